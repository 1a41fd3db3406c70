package crow

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// The thresholds of D5's listing that do not depend on n.
const (
	codeErrors   = 3
	codeMessages = 3
)

// codeContext lists the phrases of a context error.
var codeContext = []string{"context"} // CR-30

// codeVerdict is D5's listing as Python runs it (D5#loopdetector-class). The rules come in the order of their
// confidence.
func codeVerdict(n int, window []event) spec.Verdict { // CR-15
	if len(window) < 2*n { // CR-21
		return spec.Verdict{}
	}
	calls, errors := ofType(window, spec.ToolCall), ofType(window, spec.ErrorEvent) // results count for nothing: CR-23
	full := only(window, isFull)
	said := codeMonologue(window)
	switch {
	case run(errors, haveEqualMessages) >= codeErrors: // CR-24
		last := errors[len(errors)-codeErrors:]
		return repeatingError(last[0].Text, codeErrors, evidence(last))
	case len(full) >= contextErrors: // CR-30
		return contextError(len(full), evidence(full))
	case run(calls, areIdentical) >= n: // CR-22, CR-23
		last := calls[len(calls)-n:]
		return repeatingAction(last[0].Tool, n, evidence(last))
	case len(said) == codeMessages: // CR-25
		return monologue(codeMessages, evidence(said))
	case codeAlternates(n+3, calls): // CR-28
		return alternating(calls[0].Tool, calls[1].Tool, n+3, evidence(calls[:2*(n+3)]))
	}
	return spec.Verdict{}
}

func haveEqualMessages(a, b *event) bool { return a.Text == b.Text } // CR-24

// codeMonologue returns the last three assistant messages if they are a monologue, otherwise nothing. Only messages of
// the user and of the assistant can end a monologue.
func codeMonologue(window []event) []*event { // CR-25, CR-27
	said := only(window, func(e *event) bool { return e.Role == spec.Assistant })
	if len(said) < codeMessages {
		return nil
	}
	said = said[len(said)-codeMessages:]
	if slices.ContainsFunc(said, (*event).hasCalls) {
		return nil
	}
	messages := ofType(window, spec.Message)
	position := slices.IndexFunc(messages, func(e *event) bool { return e.identity() == said[0].identity() })
	before := map[identity]bool{}           // the messages that have a position before this one
	for _, e := range messages[:position] { // CR-26
		before[e.identity()] = true
	}
	endsIt := func(e *event) bool { return e.Role == spec.User && !before[e.identity()] } // CR-26
	if slices.ContainsFunc(messages, endsIt) {                                            // CR-26
		return nil
	}
	return said
}

// identity is what equal messages have in common. An absent list of tool calls does not equal an empty one.
type identity struct { // CR-26
	role        spec.Role
	text, calls string
}

func (e *event) identity() identity { return identity{e.Role, e.Text, e.Args} }

// codeAlternates reports whether each of the first 2·rounds calls is identical to the call two before it. All of them
// may be identical; later calls do not matter.
func codeAlternates(rounds int, calls []*event) bool { // CR-28, CR-29
	first := 2 * rounds
	return len(calls) >= first && slices.EqualFunc(calls[2:first], calls[:first-2], areIdentical)
}
