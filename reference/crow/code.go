package crow

import "github.com/loopstone/loopstone/spec"

// codeReading is D5's listing as Python runs it (D5#loopdetector-class), with n = cycles:
//
//  1. Fewer than 2n events in the window: no loop.
//  2. repeating_error: the last 3 errors have equal messages.
//  3. context_error: at least 2 context errors.
//  4. repeating_action: the last n tool calls are identical.
//  5. monologue: the last 3 assistant messages have no tool calls, and no user message stands at or after the first of them.
//  6. alternating: of the first 2(n+3) tool calls each is identical to the one two places before.
//
// The rules are asked in this order, that of their confidence; the first that holds is the verdict.
type codeReading struct {
	cycles int                   // n
	ranked []func() spec.Verdict // the rules, the most confident first // CR-15
	events int                   // in the window, of all types

	calls     queue[codeCall]
	sameCalls int // identical calls at the end of those of the window

	errors     int // in the window
	sameErrors int // errors with equal messages at the end of those of the window
	lastError  string
	errorTrail spec.Trail

	context contextErrors
	speech  speech
	log     *spec.ClauseLog
}

// codeCall is a tool call and what is needed to know in one step whether a stretch of calls that ends with it alternates.
type codeCall struct {
	call
	paired int // how many calls up to this one, without a gap, are identical to the one two places before them
}

// codeErrors is how many equal errors D5's listing asks for, whatever n is.
const codeErrors = 3

func newCodeReading(cycles int) *codeReading {
	r := &codeReading{cycles: cycles, context: contextErrors{phrases: []string{"context"}}, speech: newSpeech()}
	r.ranked = []func() spec.Verdict{r.repeatingError, r.contextError, r.repeatingAction, r.monologue, r.alternating}
	return r
}

func (r *codeReading) add(e spec.Event) {
	r.events++
	switch e.Type {
	case spec.ToolCall:
		r.addCall(e)
	case spec.ErrorEvent:
		r.addError(e)
	case spec.Message:
		r.speech.add(e)
	}
}

func (r *codeReading) addCall(e spec.Event) {
	r.log.Apply("CR-2")
	r.log.Apply("CR-3")
	r.log.Apply("CR-4")
	r.calls.push().set(e)
	this, n := r.calls.last(0), r.calls.size
	if n > 1 && this.identical(&r.calls.last(1).call) {
		r.sameCalls++
	} else {
		r.sameCalls = 1
	}
	this.paired = 0
	if n > 2 && this.identical(&r.calls.last(2).call) {
		this.paired = r.calls.last(1).paired + 1
	}
}

func (r *codeReading) addError(e spec.Event) {
	if r.errors > 0 && e.Message == r.lastError {
		r.sameErrors++
	} else {
		r.sameErrors = 1
	}
	r.errors++
	r.lastError = e.Message
	note(&r.errorTrail, e)
	r.context.add(e)
}

// drop takes away the oldest event. A run at the end of the window cannot be longer than what is left there.
func (r *codeReading) drop(e spec.Event) {
	r.events--
	switch e.Type {
	case spec.ToolCall:
		r.calls.drop()
		r.sameCalls = min(r.sameCalls, r.calls.size)
	case spec.ErrorEvent:
		r.errors--
		r.sameErrors = min(r.sameErrors, r.errors)
		r.context.drop()
	case spec.Message:
		r.speech.drop(e)
	}
}

func (r *codeReading) verdict() spec.Verdict {
	if r.events < 2*r.cycles {
		r.log.Apply("CR-21")
		return spec.Verdict{}
	}
	v := firstLoop(r.ranked)
	if v.Loop {
		r.log.Apply("CR-61")
	}
	return v
}

func (r *codeReading) repeatingError() spec.Verdict {
	r.log.Apply("CR-24")
	if r.sameErrors < codeErrors {
		return spec.Verdict{}
	}
	v := repeatingError(r.lastError, codeErrors)
	v.Evidence = latest(&r.errorTrail, codeErrors)
	return v
}

func (r *codeReading) contextError() spec.Verdict {
	r.log.Apply("CR-30")
	return r.context.verdict()
}

// repeatingAction is about the last n calls; their results are not looked at. // CR-23
func (r *codeReading) repeatingAction() spec.Verdict {
	r.log.Apply("CR-22")
	r.log.Apply("CR-23")
	if r.sameCalls < r.cycles {
		return spec.Verdict{}
	}
	if r.calls.size >= 2*(r.cycles+3) {
		r.log.Apply("CR-29")
	}
	v := repeatingAction(r.calls.last(0).tool, r.cycles)
	v.Evidence = r.callEvidence(r.calls.size-r.cycles, r.calls.size)
	return v
}

func (r *codeReading) monologue() spec.Verdict {
	r.log.Apply("CR-25")
	r.log.Apply("CR-27")
	if !r.speech.isMonologue() {
		return spec.Verdict{}
	}
	v := monologue(codeMessages)
	v.Evidence = latest(&r.speech.trail, codeMessages)
	return v
}

// alternating is about the first calls of the window, of which the first two have nothing before them. // CR-28, CR-29
func (r *codeReading) alternating() spec.Verdict {
	r.log.Apply("CR-28")
	r.log.Apply("CR-29")
	n := 2 * (r.cycles + 3)
	if r.calls.size < n || r.calls.at(n-1).paired < n-2 {
		return spec.Verdict{}
	}
	v := alternating(r.calls.at(0).tool, r.calls.at(1).tool, r.cycles+3)
	v.Evidence = r.callEvidence(0, n)
	return v
}

func (r *codeReading) callEvidence(from, to int) []int {
	return evidence(from, to, func(i int) int { return r.calls.at(i).index })
}

func (r *codeReading) clear() {
	r.events = 0
	r.calls.clear()
	r.sameCalls = 0
	r.errors, r.sameErrors = 0, 0
	r.errorTrail.Reset()
	r.context.clear()
	r.speech.clear()
}

func (r *codeReading) logClauses(l *spec.ClauseLog) { r.log, r.speech.log = l, l }
