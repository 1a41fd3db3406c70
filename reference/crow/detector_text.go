package crow

import (
	"slices"

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
	equal   int // length of the run of equal steps that ends here
	swaps   int // length of the run A B A B … of two different steps that ends here; where it is below 2, perhaps 0
}

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
	calls queue[textStep]
	first int            // number of the oldest call held
	byID  map[string]int // number of the latest call of each id
	open  []int          // numbers of the calls without outcome, ascending
	end   int            // one more than the number of the last step, be it in the window or not
}

func (s *steps) number(n int) *textStep { return s.calls.at(n - s.first) }

// next is the number that the next call will have.
func (s *steps) next() int { return s.first + s.calls.size }

func (s *steps) addCall(e spec.Event) {
	n := s.next()
	this := s.calls.push()
	*this = textStep{call: callOf(e, this.args), id: e.ID, hasID: e.HasID}
	if e.HasID {
		s.byID[e.ID] = n
	}
	s.open = append(s.open, n)
}

// dropCall takes away the oldest call.
func (s *steps) dropCall() {
	if oldest := s.calls.at(0); oldest.hasID && s.byID[oldest.id] == s.first {
		delete(s.byID, oldest.id)
	}
	if len(s.open) > 0 && s.open[0] == s.first {
		s.open = slices.Delete(s.open, 0, 1)
	}
	s.calls.drop()
	s.first++
}

// addOutcome gives a result or an error to the call that it belongs to; without one it is neutral. // CR-34
func (s *steps) addOutcome(e spec.Event) {
	i := s.find(e)
	if i < 0 {
		return
	}
	n := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	s.number(n).outcome = outcome{e.Type, e.Content + e.Message, e.OK} // it has one of the texts
	s.end = max(s.end, n+1)
	s.measure(n)
}

// find returns the place among the open calls of the one that the outcome belongs to; −1 without one.
func (s *steps) find(e spec.Event) int {
	if e.HasCall { // CR-32
		n, known := s.byID[e.Call]
		if i, open := slices.BinarySearch(s.open, n); known && open {
			return i
		}
		return -1
	}
	for i := len(s.open) - 1; i >= 0; i-- { // CR-33
		if !e.HasTool || s.number(s.open[i]).tool == e.Tool {
			return i
		}
	}
	return -1
}

// measure works out the runs from call n on. Only the steps up to the next gap can change: an outcome that arrives late
// may join them to those before it. // CR-36
func (s *steps) measure(n int) {
	for ; n < s.next() && s.number(n).isAnswered(); n++ {
		this, before := s.number(n), s.number(n-1)
		this.equal = 1
		switch {
		case this.isEqual(before):
			this.equal = before.equal + 1
		case this.isEqual(s.number(n - 2)):
			this.swaps = before.swaps + 1
		case before.isAnswered():
			this.swaps = 2
		}
	}
}

// runs returns the last step of the window and how many equal steps and how many rounds end there. Calls after it have
// no outcome and are left out. // CR-36, CR-44
func (s *steps) runs() (last *textStep, equal, rounds int) {
	held := s.end - s.first
	if held <= 0 {
		return nil, 0, 0
	}
	last = s.last(1)
	return last, min(last.equal, held), min(last.swaps, held) / 2
}

// last returns the nth of the steps counted from the end, 1 being the last one. The window must hold so many.
func (s *steps) last(n int) *textStep { return s.number(s.end - n) }

// evidence names the calls of the last n steps.
func (s *steps) evidence(n int) []int {
	return evidence(s.end-n, s.end, func(number int) *call { return &s.number(number).call })
}
