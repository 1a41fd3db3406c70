package crow

import "github.com/loopstone/loopstone/spec"

// textReading is what D5 says outside of its listing (D5#loop-patterns, D5#testing):
//
//  1. repeating_error: the last 3 or more steps are equal and failed with an error.
//  2. context_error: at least 2 context errors.
//  3. repeating_action: the last 4 or more steps are equal and have a result.
//  4. monologue: at least 3 assistant messages without user message or tool call between or after them.
//  5. alternating: the steps end in 6 or more rounds of two different steps.
//
// The rules are asked in this order, that of their confidence; the first that holds is the verdict.
type textReading struct {
	ranked  []func() spec.Verdict // the rules, the most confident first // CR-15
	steps   steps
	context contextErrors

	spoken int // assistant messages without tool calls in the window
	alone  int // those of them after the last break
	trail  spec.Trail

	log *spec.ClauseLog
}

// What the rules of the reading text ask for.
const (
	leastActions  = 4
	leastErrors   = 3
	leastMessages = 3
	leastRounds   = 6
)

func newTextReading() *textReading {
	r := &textReading{
		steps:   newSteps(),
		context: contextErrors{phrases: []string{"context window", "context length"}},
	}
	r.ranked = []func() spec.Verdict{r.repeatingError, r.contextError, r.repeatingAction, r.monologue, r.alternating}
	return r
}

func (r *textReading) add(e spec.Event) {
	switch e.Type {
	case spec.ToolCall:
		r.alone = 0
		r.steps.addCall(e)
	case spec.ToolResult:
		r.steps.addOutcome(e)
	case spec.ErrorEvent:
		r.steps.addOutcome(e)
		r.context.add(e)
	case spec.Message:
		r.addMessage(e)
	}
}

// addMessage is neutral for the steps. // CR-37
func (r *textReading) addMessage(e spec.Event) {
	r.log.Apply("CR-37")
	switch {
	case isPlain(e): // CR-41
		if e.Content == "" {
			r.log.Apply("CR-42")
		}
		r.spoken++
		r.alone++
		note(&r.trail, e)
	case e.Role == spec.System: // CR-42
		r.log.Apply("CR-42")
	default:
		r.alone = 0
	}
}

// isPlain reports whether the event is an assistant message without tool calls. // CR-41
func isPlain(e spec.Event) bool {
	return e.Type == spec.Message && e.Role == spec.Assistant && len(e.ToolCalls.Items()) == 0
}

// drop takes away the oldest event. A run at the end of the window cannot be longer than what is left there.
func (r *textReading) drop(e spec.Event) {
	switch {
	case e.Type == spec.ToolCall:
		r.steps.dropCall()
	case e.Type == spec.ErrorEvent:
		r.context.drop()
	case isPlain(e):
		r.spoken--
		r.alone = min(r.alone, r.spoken)
	}
}

func (r *textReading) verdict() spec.Verdict { // CR-38
	r.log.Apply("CR-38")
	v := firstLoop(r.ranked)
	if v.Loop {
		r.log.Apply("CR-62")
	}
	return v
}

// sameSteps returns the last step of the window and the length of the run of steps equal to it that ends there, where the
// outcome is of that kind; 0 otherwise.
func (r *textReading) sameSteps(kind spec.EventType) (*step, int) {
	last, held := r.steps.end()
	if last == nil || last.outcome.kind != kind {
		return nil, 0
	}
	return last, min(last.equal, held)
}

func (r *textReading) repeatingError() spec.Verdict {
	r.log.Apply("CR-40")
	last, count := r.sameSteps(spec.ErrorEvent)
	if count < leastErrors {
		return spec.Verdict{}
	}
	v := repeatingError(last.outcome.text, count)
	v.Evidence = r.steps.evidence(count)
	return v
}

func (r *textReading) contextError() spec.Verdict {
	r.log.Apply("CR-45")
	return r.context.verdict()
}

func (r *textReading) repeatingAction() spec.Verdict {
	r.log.Apply("CR-39")
	last, count := r.sameSteps(spec.ToolResult)
	if count < leastActions {
		return spec.Verdict{}
	}
	v := repeatingAction(last.tool, count)
	v.Evidence = r.steps.evidence(count)
	return v
}

func (r *textReading) monologue() spec.Verdict {
	r.log.Apply("CR-41")
	if r.alone < leastMessages {
		return spec.Verdict{}
	}
	v := monologue(r.alone)
	v.Evidence = latest(&r.trail, r.alone)
	return v
}

// alternating is about whole rounds: of an odd number of steps the earliest is left out. // CR-43, CR-44
func (r *textReading) alternating() spec.Verdict {
	r.log.Apply("CR-43")
	r.log.Apply("CR-44")
	last, held := r.steps.end()
	if last == nil || min(last.swaps, held) < 2*leastRounds {
		return spec.Verdict{}
	}
	rounds := min(last.swaps, held) / 2
	first, second := r.steps.last(2*rounds), r.steps.last(2*rounds-1)
	v := alternating(first.tool, second.tool, rounds)
	v.Evidence = r.steps.evidence(2 * rounds)
	return v
}

func (r *textReading) clear() {
	r.steps.clear()
	r.context.clear()
	r.spoken, r.alone = 0, 0
	r.trail.Reset()
}

func (r *textReading) logClauses(l *spec.ClauseLog) { r.log, r.steps.log = l, l }
