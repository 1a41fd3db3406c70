package crow

import "github.com/loopstone/loopstone/spec"

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
	return &textCounts{steps: steps{byID: map[string]int{}}, full: fullErrors{phrases: textContext}}
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
	case isPlain(e): // CR-41
		c.spoken++
		c.alone++
		note(&c.trail, e)
	case isBreak(e): // CR-41, CR-42
		c.alone = 0
	}
}

func (c *textCounts) drop(e spec.Event) {
	switch {
	case e.Type == spec.ToolCall:
		c.steps.dropCall()
	case e.Type == spec.ErrorEvent:
		c.full.drop(e)
	case isPlain(e):
		c.spoken--
	}
}

// verdict asks the rules in their order. // CR-15, CR-38
func (c *textCounts) verdict() spec.Verdict {
	last, equal, rounds := c.steps.runs()
	alone := min(c.alone, c.spoken)
	switch {
	case equal >= textErrors && last.outcome.kind == spec.ErrorEvent: // CR-40
		return repeatingError(last.outcome.text, equal, c.steps.evidence(equal))
	case c.full.count >= contextErrors: // CR-45
		return c.full.verdict()
	case equal >= textActions: // CR-39: results, for so many errors have spoken before
		return repeatingAction(last.tool, equal, c.steps.evidence(equal))
	case alone >= textMessages: // CR-41
		return monologue(alone, latest(&c.trail, alone))
	case rounds >= textRounds: // CR-43
		first, second := c.steps.last(2*rounds), c.steps.last(2*rounds-1)
		return alternating(first.tool, second.tool, rounds, c.steps.evidence(2*rounds))
	}
	return spec.Verdict{}
}

// textStep is a tool call with its outcome, once it has one. // CR-31
type textStep struct {
	call
	id    string
	hasID bool

	outcome outcome
	before  int        // number of the tool's call before this one, or none
	back    [trees]int // by tree: number of the call that this one leads back to, or its own
}

// The trees by which steps finds in a few jumps where going from call to call would end.
const (
	equalSteps = iota // the first of a run of equal steps
	swaps             // the second of a run A B A B … of two different steps
	open              // the latest call without outcome
	openOfTool        // the latest of the tool without outcome
	trees
)

// none is the number of no call. Like any number before that of the oldest call held, it ends a search.
const none = -1

// outcome is what came of a call. The zero outcome is none. // CR-35
type outcome struct {
	kind spec.EventType // ToolResult or ErrorEvent
	text string         // the result's content or the error's message
	ok   bool           // of a result
}

func (s *textStep) isAnswered() bool { return s.outcome.kind != "" }

// isEqual is false where only one of the calls has an outcome. // CR-35
func (s *textStep) isEqual(t *textStep) bool { return s.outcome == t.outcome && s.isIdentical(&t.call) }

// steps holds the calls of the window, numbered in their order. Which outcome belongs to which call does not change
// when older events leave the window: an outcome whose call has left belongs to none.
type steps struct {
	calls  queue[textStep]
	first  int            // number of the oldest call held
	byID   map[string]int // number of the latest call of each id
	byTool map[string]int // number of the latest call of each tool; nil until an outcome names no more than its tool
	end    int            // one more than the number of the last step, be it in the window or not
}

func (s *steps) number(n int) *textStep { return s.calls.at(n - s.first) }

// next is the number that the next call will have.
func (s *steps) next() int { return s.first + s.calls.size }

func (s *steps) addCall(e spec.Event) {
	n := s.next()
	this := s.calls.push()
	*this = textStep{call: callOf(e, this.args), id: e.ID, hasID: e.HasID, back: [trees]int{n, n, n, n}}
	if e.HasID {
		s.byID[e.ID] = n
	}
	if s.byTool != nil {
		s.addToTool(n)
	}
}

func (s *steps) addToTool(n int) {
	this := s.number(n)
	this.before = none
	if before, known := s.byTool[this.tool]; known {
		this.before = before
	}
	if this.isAnswered() {
		this.back[openOfTool] = this.before
	}
	s.byTool[this.tool] = n
}

// dropCall takes away the oldest call.
func (s *steps) dropCall() {
	oldest := s.calls.at(0)
	if oldest.hasID && s.byID[oldest.id] == s.first {
		delete(s.byID, oldest.id)
	}
	if s.byTool[oldest.tool] == s.first {
		delete(s.byTool, oldest.tool)
	}
	s.calls.drop()
	s.first++
}

// addOutcome gives a result or an error to the call that it belongs to; without one it is neutral. An outcome that
// arrives late may join the steps before it to those after it. // CR-34, CR-36
func (s *steps) addOutcome(e spec.Event) {
	n := s.find(e)
	if n < s.first {
		return
	}
	this := s.number(n)
	this.outcome = outcome{e.Type, e.Content + e.Message, e.OK} // it has one of the texts
	this.back[open], this.back[openOfTool] = n-1, this.before
	s.end = max(s.end, n+1)
	s.join(n)
	s.join(n + 1)
	s.join(n + 2)
}

// find returns the number of the open call that the outcome belongs to; without one, that of none in the window.
func (s *steps) find(e spec.Event) int {
	switch {
	case e.HasCall: // CR-32
		if n, known := s.byID[e.Call]; known && !s.number(n).isAnswered() {
			return n
		}
		return none
	case e.HasTool: // CR-33
		return s.findOfTool(e.Tool)
	default: // CR-33
		return s.start(open, s.next()-1)
	}
}

// findOfTool returns the number of the latest open call of the tool.
func (s *steps) findOfTool(tool string) int {
	if s.byTool == nil {
		s.byTool = map[string]int{}
		for n := s.first; n < s.next(); n++ {
			s.addToTool(n)
		}
	}
	if n, known := s.byTool[tool]; known {
		return s.start(openOfTool, n)
	}
	return none
}

// join lets a step lead back to the one before it where both are of one run.
func (s *steps) join(n int) {
	if n >= s.next() || !s.number(n).isAnswered() {
		return
	}
	this, before := s.number(n), s.number(n-1)
	switch {
	case this.isEqual(before):
		this.back[equalSteps] = n - 1
	case before.isAnswered() && this.isEqual(s.number(n-2)):
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

// runs returns the last step of the window and how many equal steps and how many rounds end there. Calls after it have
// no outcome and are left out. // CR-36, CR-44
func (s *steps) runs() (last *textStep, equal, rounds int) {
	held := s.end - s.first
	if held <= 0 {
		return nil, 0, 0
	}
	equal, swapped := s.end-s.start(equalSteps, s.end-1), s.end-s.start(swaps, s.end-1)+1
	return s.last(1), min(equal, held), min(swapped, held) / 2
}

// last returns the nth of the steps counted from the end, 1 being the last one. The window must hold so many.
func (s *steps) last(n int) *textStep { return s.number(s.end - n) }

// evidence names the calls of the last n steps.
func (s *steps) evidence(n int) []int {
	return evidence(s.end-n, s.end, func(number int) *call { return &s.number(number).call })
}
