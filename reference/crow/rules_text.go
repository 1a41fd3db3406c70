package crow

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// The thresholds of the reading text. There is no minimum number of events.
const (
	textActions  = 4
	textErrors   = 3
	textMessages = 3
	textRounds   = 6
)

// textContext lists the phrases of a context error.
var textContext = []string{"context window", "context length"} // CR-45

// textVerdict follows what D5 says outside its listing (D5#loop-patterns, D5#testing). The rules come in the order of
// their confidence.
func textVerdict(window []event) spec.Verdict { // CR-15
	steps := stepsOf(window)
	equal, rounds := run(steps, areEqualSteps), run(roundsOf(steps), areEqualRounds)
	last, counted := steps[len(steps)-equal:], steps[len(steps)-2*rounds:]
	full := only(window, isFull)
	said := textMonologue(window)
	switch { // CR-38
	case equal >= textErrors && last[0].outcome.Type == spec.ErrorEvent: // CR-40
		return repeatingError(last[0].outcome.Text, equal, evidence(callsOf(last)))
	case len(full) >= contextErrors: // CR-45
		return contextError(len(full), evidence(full))
	case equal >= textActions: // CR-39: results, for so many errors have spoken before
		return repeatingAction(last[0].call.Tool, equal, evidence(callsOf(last)))
	case len(said) >= textMessages: // CR-41
		return monologue(len(said), evidence(said))
	case rounds >= textRounds: // CR-43
		return alternating(counted[0].call.Tool, counted[1].call.Tool, rounds, evidence(callsOf(counted)))
	}
	return spec.Verdict{}
}

// matchOutcome gives the latest event of the window, if it is an outcome, to the call that it belongs to. This match
// lasts: at later checks, the window has lost earlier events only. // CR-33
func matchOutcome(window []event) {
	latest := len(window) - 1
	if t := window[latest].Type; t != spec.ToolResult && t != spec.ErrorEvent {
		return
	}
	if at := ownerOf(window[latest], window); at >= 0 && window[at].Outcome == 0 { // CR-32, CR-34
		window[at].Outcome = latest - at
	}
}

// ownerOf returns the place of the call that the outcome belongs to, -1 if it belongs to no call.
func ownerOf(outcome event, window []event) int {
	for at := range slices.Backward(window) {
		call := &window[at]
		switch {
		case call.Type != spec.ToolCall:
		case outcome.HasID:
			if call.HasID && call.ID == outcome.ID { // CR-32
				return at
			}
		case call.Outcome == 0 && (!outcome.HasTool || call.Tool == outcome.Tool): // CR-33
			return at
		}
	}
	return -1
}

// step is a call with its outcome, a result or an error; nil if the call has none.
type step struct{ call, outcome *event } // CR-31

// stepsOf returns the calls of the window in their order, each with its outcome. It ignores messages, and outcomes that
// belong to no call.
func stepsOf(window []event) []step { // CR-31, CR-34, CR-37
	var steps []step
	for i := range window {
		e := &window[i]
		if e.Type != spec.ToolCall {
			continue
		}
		s := step{call: e}
		if at := i + e.Outcome; i < at && at < len(window) {
			s.outcome = &window[at]
		}
		steps = append(steps, s)
	}
	for len(steps) > 0 && steps[len(steps)-1].outcome == nil { // CR-36
		steps = steps[:len(steps)-1]
	}
	return steps
}

// areEqualSteps is false if a call has no outcome, so that such a call interrupts every run.
func areEqualSteps(a, b step) bool { // CR-35, CR-36
	return a.outcome != nil && b.outcome != nil && areIdentical(a.call, b.call) && a.outcome.Type == b.outcome.Type &&
		a.outcome.Text == b.outcome.Text && a.outcome.Succeeded == b.outcome.Succeeded
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

func callsOf(steps []step) []*event {
	var calls []*event
	for _, s := range steps {
		calls = append(calls, s.call)
	}
	return calls
}

// textMonologue returns the assistant messages without tool calls after the last break.
func textMonologue(window []event) (said []*event) { // CR-41
	for i := range window {
		switch e := &window[i]; {
		case e.isPlain():
			said = append(said, e)
		case e.isBreak():
			said = nil
		}
	}
	return said
}

// isPlain reports whether the event is an assistant message without tool calls; it may be empty.
func (e *event) isPlain() bool { return e.Role == spec.Assistant && !e.hasCalls() } // CR-41, CR-42

// isBreak reports whether an event that is not plain ends a monologue: a call, a message of the user, or a message of
// the assistant, which then has calls. Results, errors and system messages do not.
func (e *event) isBreak() bool { // CR-41, CR-42
	return e.Type == spec.ToolCall || e.Role == spec.User || e.Role == spec.Assistant
}
