package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// startsAfresh reports whether the rule starts afresh at event i.
func (s *state) startsAfresh(i int) bool { // CO-23
	e := s.trace[i]
	return slices.ContainsFunc(s.Fresh, func(start string) bool {
		switch start {
		case "user":
			return e.Role == spec.User
		case "reply":
			return e.Type == spec.Reply
		case "message":
			return e.Role == spec.Assistant
		case "call":
			return e.Type == spec.ToolCall
		default: // CO-24: change
			call := s.answers[i]
			return call != none && Succeeded(e) && Has(s.Changes, s.trace[call])
		}
	})
}
