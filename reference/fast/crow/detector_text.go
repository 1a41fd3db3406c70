package crow

import (
	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
)

// textCounts is what the rules of the reading text count. Lengths of runs may go back to events that have left the
// window, or to none at all: a run is no longer than what the window holds.
type textCounts struct {
	steps steps
	full  fullErrors

	spoken int // assistant messages without tool calls in the window
	alone  int // those of them after the last break; as a run's length
	trail  spec.Trail
}

func newTextCounts() *textCounts {
	return &textCounts{steps: steps{first: 1, byID: map[string]int{}}, full: fullErrors{phrases: rules.TextContext}}
}

func (c *textCounts) add(e spec.Event) {
	switch e.Type {
	case spec.ToolCall:
		c.steps.addCall(e)
	case spec.ToolResult:
		c.steps.addOutcome(e)
	case spec.ErrorEvent:
		c.steps.addOutcome(e)
		c.full.add(e)
	}
	switch {
	case rules.IsPlain(e): // CR-41
		c.spoken++
		c.alone++
		note(&c.trail, e)
	case rules.IsBreak(e): // CR-41, CR-42
		c.alone = 0
	}
}

func (c *textCounts) drop(k *kept) {
	switch {
	case k.kind == spec.ToolCall:
		c.steps.dropCall()
	case k.kind == spec.ErrorEvent:
		c.full.drop(k)
	case k.kind == spec.Message && rules.IsPlain(k.event()):
		c.spoken--
	}
}

// verdict evaluates the rules in their order.
func (c *textCounts) verdict() spec.Verdict { // CR-15, CR-38
	equal, rounds := c.steps.runs()
	alone := min(c.alone, c.spoken)
	switch {
	case equal >= rules.TextErrors && c.steps.last(equal).outcome.error: // CR-40
		return rules.RepeatingError(c.steps.last(equal).outcome.text, equal, c.steps.evidence(equal))
	case c.full.count >= rules.ContextErrors: // CR-45
		return c.full.verdict()
	case equal >= rules.TextActions: // CR-39: results, for so many errors have spoken before
		return rules.RepeatingAction(c.steps.last(equal).tool, equal, c.steps.evidence(equal))
	case alone >= rules.TextMessages: // CR-41
		return rules.Monologue(alone, latest(&c.trail, alone))
	case rounds >= rules.TextRounds: // CR-43
		first, second := c.steps.last(2*rounds), c.steps.last(2*rounds-1)
		return rules.Alternating(first.tool, second.tool, rounds, c.steps.evidence(2*rounds))
	}
	return spec.Verdict{}
}

// textStep is a tool call, with its outcome if it has one.
type textStep struct { // CR-31
	call
	id string

	outcome outcome
	below   [stacks]int // by stack: number of the call below this one
	back    [trees]int  // by tree: number of the call that this one leads back to, or its own
}

// The stacks of calls, the latest on top; those with an outcome are taken off when they come up.
const (
	ofAll = iota
	ofTool
	stacks
)

// The trees by which steps finds in a few jumps where going from step to step would end.
const (
	equalSteps = iota // the first of a run of equal steps
	swaps             // the second of a run A B A B … of two different steps
	trees
)

// outcome is the outcome of a call. The zero outcome means that there is none.
type outcome struct { // CR-35
	text  string // the result's content or the error's message
	is    bool   // it is not none
	error bool   // it is an error
	ok    bool   // of a result
}

func (s *textStep) isAnswered() bool { return s.outcome.is }

// isEqual is false if only one of the calls has an outcome.
func (s *textStep) isEqual(t *textStep) bool { return s.outcome == t.outcome && s.isIdentical(&t.call) } // CR-35

// steps holds the calls of the window, numbered in their order from 1; like any number before that of the oldest call
// held, 0 is that of no call. Which outcome belongs to which call does not change when older events leave the window:
// an outcome whose call has left belongs to none.
type steps struct {
	calls  queue[textStep]
	first  int            // number of the oldest call held
	byID   map[string]int // number of the latest call of each id
	top    int            // of the stack of all calls
	byTool map[string]int // top of each tool's stack; nil until an outcome names no more than its tool
	end    int            // one more than the number of the last step, be it in the window or not
}

func (s *steps) number(n int) *textStep { return s.calls.at(n - s.first) }

// next is the number that the next call will have.
func (s *steps) next() int { return s.first + s.calls.size }

func (s *steps) addCall(e spec.Event) {
	n := s.next()
	this := s.calls.push()
	*this = textStep{call: callOf(e, this.args), id: e.ID, below: [stacks]int{ofAll: s.top}, back: [trees]int{n, n}}
	s.top = n
	if e.HasID {
		s.byID[e.ID] = n
	}
	if s.byTool != nil {
		s.addToTool(n)
	}
}

func (s *steps) addToTool(n int) {
	this := s.number(n)
	this.below[ofTool] = s.byTool[this.tool]
	s.byTool[this.tool] = n
}

// dropCall removes the oldest call.
func (s *steps) dropCall() {
	oldest := s.calls.at(0)
	if s.byID[oldest.id] == s.first {
		delete(s.byID, oldest.id)
	}
	if s.byTool[oldest.tool] <= s.first {
		delete(s.byTool, oldest.tool)
	}
	s.calls.drop()
	s.first++
}

// addOutcome gives a result or an error to the call that it belongs to, if there is one. A late outcome may join the
// steps before its call with the steps after it.
func (s *steps) addOutcome(e spec.Event) { // CR-34, CR-36
	n := s.find(e)
	if n < s.first || s.number(n).isAnswered() {
		return
	}
	s.number(n).outcome = outcome{e.Content + e.Message, true, e.Type == spec.ErrorEvent, e.OK} // it has one of the texts
	s.end = max(s.end, n+1)
	s.join(n)
	s.join(n + 1)
	s.join(n + 2)
}

// find returns the number of the call that the outcome belongs to, if this call is open.
func (s *steps) find(e spec.Event) int {
	switch {
	case e.HasCall: // CR-32
		return s.byID[e.Call]
	case e.HasTool: // CR-33
		return s.findOfTool(e.Tool)
	default: // CR-33
		s.top = s.open(ofAll, s.top)
		return s.top
	}
}

// findOfTool returns the number of the latest open call of the tool.
func (s *steps) findOfTool(tool string) int {
	if s.byTool == nil {
		s.byTool = map[string]int{}
		for i := range s.calls.size {
			s.addToTool(s.first + i)
		}
	}
	n, known := s.byTool[tool]
	if known {
		n = s.open(ofTool, n)
		s.byTool[tool] = n
	}
	return n
}

// open returns the first call without outcome, from call n down the stack.
func (s *steps) open(stack, n int) int {
	for n >= s.first && s.number(n).isAnswered() {
		n = s.number(n).below[stack]
	}
	return n
}

// join lets a step lead back to the one before it where both are of one run. Where equal steps are taken for a swap, as
// when the one in the middle is answered last, it does not matter: rules ask for equal steps first.
func (s *steps) join(n int) {
	if n >= s.next() || !s.number(n).isAnswered() {
		return
	}
	this := s.number(n)
	switch {
	case this.isEqual(s.number(n - 1)):
		this.back[equalSteps] = n - 1
	case this.isEqual(s.number(n - 2)):
		this.back[swaps] = n - 1
	}
}

// start returns the call to which call n leads in the end, and lets the calls on the way lead there at once; the next
// search is short. It goes no further than to the first number that is not held.
func (s *steps) start(tree, n int) int {
	start := n
	for start >= s.first && s.number(start).back[tree] != start {
		start = s.number(start).back[tree]
	}
	for n > start {
		step := s.number(n)
		n, step.back[tree] = step.back[tree], start
	}
	return start
}

// runs returns how many equal steps and how many rounds end with the last step of the window. Calls after it have no
// outcome and are left out. Where no step is in the window, neither is above 0.
func (s *steps) runs() (equal, rounds int) { // CR-36, CR-44
	held := s.end - s.first
	equal, swapped := s.end-s.start(equalSteps, s.end-1), s.end-s.start(swaps, s.end-1)+1
	return min(equal, held), min(swapped, held) / 2
}

// last returns the nth of the steps counted from the end, 1 being the last one. The window must hold so many.
func (s *steps) last(n int) *textStep { return s.number(s.end - n) }

// evidence names the calls of the last n steps.
func (s *steps) evidence(n int) []int {
	return evidence(s.end-n, s.end, func(number int) *call { return &s.number(number).call })
}
