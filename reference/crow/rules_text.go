package crow

import "github.com/loopstone/loopstone/spec"

// The thresholds of the reading text. There is no minimum number of events.
const (
	TextActions  = 4
	TextErrors   = 3
	TextMessages = 3
	TextRounds   = 6
)

// TextContext lists the phrases of a context error.
var TextContext = []string{"context window", "context length"} // CR-45

// textVerdict follows what D5 says outside its listing (D5#loop-patterns, D5#testing). The rules come in the order of
// their confidence.
func textVerdict(window []spec.Event) spec.Verdict { // CR-15
	steps := stepsOf(window)
	equal, rounds := run(steps, areEqualSteps), run(roundsOf(steps), areEqualRounds)
	last, counted := steps[len(steps)-equal:], steps[len(steps)-2*rounds:]
	full := only(window, func(e spec.Event) bool { return IsContextError(e, TextContext) })
	said := textMonologue(window)
	switch { // CR-38
	case equal >= TextErrors && last[0].outcome.Type == spec.ErrorEvent: // CR-40
		return RepeatingError(last[0].outcome.Message, equal, indices(callsOf(last)))
	case len(full) >= ContextErrors: // CR-45
		return ContextError(len(full), indices(full))
	case equal >= TextActions: // CR-39: results, for so many errors have spoken before
		return RepeatingAction(last[0].call.Tool, equal, indices(callsOf(last)))
	case len(said) >= TextMessages: // CR-41
		return Monologue(len(said), indices(said))
	case rounds >= TextRounds: // CR-43
		return Alternating(counted[0].call.Tool, counted[1].call.Tool, rounds, indices(callsOf(counted)))
	}
	return spec.Verdict{}
}

// step is a call with its outcome, a result or an error. The outcome is the zero event if the call has none.
type step struct{ call, outcome spec.Event } // CR-31

func (s step) isAnswered() bool { return s.outcome.Type != "" }

// stepsOf returns the calls of the window in their order, each with the first outcome that belongs to it. It ignores
// messages, and outcomes that belong to no call.
func stepsOf(window []spec.Event) []step { // CR-31, CR-34, CR-37
	var steps []step
	for _, e := range window {
		switch e.Type {
		case spec.ToolCall:
			steps = append(steps, step{call: e})
		case spec.ToolResult, spec.ErrorEvent:
			if owner := ownerOf(e, steps); owner != nil && !owner.isAnswered() { // CR-32, CR-34
				owner.outcome = e
			}
		}
	}
	for len(steps) > 0 && !steps[len(steps)-1].isAnswered() { // CR-36
		steps = steps[:len(steps)-1]
	}
	return steps
}

// ownerOf returns the call that the outcome belongs to, nil if it belongs to no call.
func ownerOf(outcome spec.Event, calls []step) *step {
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		switch {
		case outcome.HasCall:
			if c.call.HasID && c.call.ID == outcome.Call { // CR-32
				return c
			}
		case !c.isAnswered() && (!outcome.HasTool || c.call.Tool == outcome.Tool): // CR-33
			return c
		}
	}
	return nil
}

// areEqualSteps is false if a call has no outcome, so that such a call interrupts every run.
func areEqualSteps(a, b step) bool { // CR-35, CR-36
	return a.isAnswered() && areIdentical(a.call, b.call) && a.outcome.Type == b.outcome.Type &&
		a.outcome.Content == b.outcome.Content && a.outcome.OK == b.outcome.OK && a.outcome.Message == b.outcome.Message
}

// roundsOf returns the steps in pairs. If their number is odd, the first is left out.
func roundsOf(steps []step) [][2]step { // CR-43, CR-44
	var rounds [][2]step
	for rest := steps[len(steps)%2:]; len(rest) > 0; rest = rest[2:] {
		rounds = append(rounds, [2]step(rest))
	}
	return rounds
}

// areEqualRounds need not check that the two steps of a round differ: if they are equal, the rules for equal steps have
// given the verdict already.
func areEqualRounds(a, b [2]step) bool { // CR-44
	return areEqualSteps(a[0], b[0]) && areEqualSteps(a[1], b[1])
}

func callsOf(steps []step) []spec.Event {
	var calls []spec.Event
	for _, s := range steps {
		calls = append(calls, s.call)
	}
	return calls
}

// textMonologue returns the assistant messages without tool calls after the last break.
func textMonologue(window []spec.Event) []spec.Event { // CR-41
	var said []spec.Event
	for _, e := range window {
		switch {
		case IsPlain(e):
			said = append(said, e)
		case IsBreak(e):
			said = nil
		}
	}
	return said
}

// IsPlain reports whether the event is an assistant message without tool calls; it may be empty.
func IsPlain(e spec.Event) bool { return e.Role == spec.Assistant && !HasCalls(e) } // CR-41, CR-42

// IsBreak reports whether an event that is not plain ends a monologue: a call, a message of the user, or a message of
// the assistant, which then has calls. Results, errors and system messages do not.
func IsBreak(e spec.Event) bool { // CR-41, CR-42
	return e.Type == spec.ToolCall || e.Role == spec.User || e.Role == spec.Assistant
}
