package crow

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// step is a tool call with its outcome, once it has one (CR-31).
type step struct {
	call
	id    string
	hasID bool

	outcome outcome
	equal   int // length of the run of equal steps that ends here; 0 while there is no outcome
	swaps   int // length of the run A B A B … of two different steps that ends here; likewise
}

// outcome is what came of a call. The zero outcome is none. // CR-35
type outcome struct {
	kind spec.EventType // ToolResult or ErrorEvent
	text string         // the result's content or the error's message
	ok   bool           // of a result
}

func (s *step) answered() bool { return s.outcome.kind != "" }

// same reports whether a step is equal to another call with its outcome: identical calls, equal outcomes. A call
// without an outcome is equal to no step. // CR-35
func (s *step) same(t *step) bool { return s.outcome == t.outcome && s.identical(&t.call) }

// steps holds the calls of the window. Calls are numbered from 1 in their order. Which outcome belongs to which call does not
// change when older events leave the window: an outcome whose call has left belongs to none.
type steps struct {
	calls queue[step]
	first int            // number of the oldest call held
	byID  map[string]int // number of the latest call of each id
	open  []int          // numbers of the calls without outcome, ascending
	final int            // number of the last step, be it in the window or not; 0 before any
	log   *spec.ClauseLog
}

func newSteps() steps { return steps{first: 1, byID: map[string]int{}} }

func (s *steps) number(n int) *step { return s.calls.at(n - s.first) }

// next is the number that the next call will have.
func (s *steps) next() int { return s.first + s.calls.size }

func (s *steps) addCall(e spec.Event) {
	s.log.Apply("CR-2")
	s.log.Apply("CR-3")
	s.log.Apply("CR-4")
	s.log.Apply("CR-36")
	n := s.next()
	this := s.calls.push()
	*this = step{call: this.call, id: e.ID, hasID: e.HasID} // the call's memory is used again
	this.set(e)
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
		s.log.Apply("CR-34")
		return
	}
	n := s.open[i]
	s.open = slices.Delete(s.open, i, i+1)
	s.log.Apply("CR-31")
	text := e.Content
	if e.Type == spec.ErrorEvent {
		text = e.Message
	}
	s.number(n).outcome = outcome{e.Type, text, e.Type == spec.ToolResult && e.OK}
	s.final = max(s.final, n)
	s.measure(n)
}

// find returns the place among the open calls of the one that the outcome belongs to; −1 without one.
func (s *steps) find(e spec.Event) int {
	if e.HasCall {
		s.log.Apply("CR-32")
		if i, open := slices.BinarySearch(s.open, s.byID[e.Call]); open {
			return i
		}
		return -1
	}
	s.log.Apply("CR-33")
	for i := len(s.open) - 1; i >= 0; i-- {
		if !e.HasTool || s.number(s.open[i]).tool == e.Tool {
			return i
		}
	}
	return -1
}

// measure works out the runs from call n on. Only the steps up to the next gap can change: an outcome that arrives late may
// join them to those before it. // CR-36
func (s *steps) measure(n int) {
	for ; n < s.next() && s.number(n).answered(); n++ {
		s.log.Apply("CR-35")
		this := s.number(n)
		this.equal, this.swaps = 1, 1
		if n == s.first {
			continue
		}
		before := s.number(n - 1)
		switch {
		case this.same(before):
			this.equal = before.equal + 1
		case n-1 > s.first && this.same(s.number(n-2)):
			this.swaps = before.swaps + 1
		case before.answered():
			this.swaps = 2
		}
	}
}

// end returns the last step of the window and how many calls the window holds up to it; nil without a step. Calls after it
// have no outcome and are left out. // CR-36
func (s *steps) end() (*step, int) {
	if s.final < s.first {
		return nil, 0
	}
	return s.last(1), s.final - s.first + 1
}

// last returns the nth of the steps counted from the end: 1 is the last one. It assumes that the n last are in the window.
func (s *steps) last(n int) *step { return s.number(s.final + 1 - n) }

// evidence names the calls of the last n steps.
func (s *steps) evidence(n int) []int {
	return evidence(s.final+1-n, s.final+1, func(number int) int { return s.number(number).index })
}

func (s *steps) clear() {
	s.calls.clear()
	clear(s.byID)
	*s = steps{first: 1, calls: s.calls, byID: s.byID, open: s.open[:0], log: s.log}
}
