package fuzz

import (
	"sync/atomic"

	"github.com/loopstone/loopstone/spec"
)

// What the checks of one detector in one reading may spend on shrinking before what they find is told as it was drawn:
// a port that dies of every trace is started anew for each step of it, and one that says megabytes says them again.
// Both are counts, so that what a run finds does not depend on how busy the machine is.
const (
	mostRevivals = 150      // processes
	mostExcess   = 64 << 20 // bytes of verdicts beyond usualVerdict
	usualVerdict = 4 << 10  // bytes; a verdict with all its texts and 100 indices has fewer
)

// spending is what was spent so far. Nil is never at its end.
type spending struct{ revivals, excess atomic.Int64 }

// isOver reports whether nothing is left for shrinking.
func (s *spending) isOver() bool {
	return s != nil && (s.revivals.Load() >= mostRevivals || s.isTooMuch())
}

// tooMuch is why a check is not carried out to its end.
const tooMuch = "not checked: the port's verdicts are too large, 64 MB beyond 4 KB each"

// isTooMuch reports whether the port says so much that no further trace is played to it.
func (s *spending) isTooMuch() bool { return s != nil && s.excess.Load() >= mostExcess }

// renew lets the checks that are left after a survey be made as if there had been none.
func (s *spending) renew() { s.excess.Store(0) }

func (s *spending) revive() {
	if s != nil {
		s.revivals.Add(1)
	}
}

// spend has the hunt count what it spends.
func (h *Hunt) spend(s *spending) {
	h.spent = s
	h.asked.told = func(q request) {
		h.tally.add(q)
		s.hear(q.verdicts)
	}
}

// hear counts what is too large in verdicts.
func (s *spending) hear(verdicts []spec.Value) {
	if s == nil {
		return
	}
	for _, v := range verdicts {
		if n := sizeOf(v); n > usualVerdict {
			s.excess.Add(int64(n - usualVerdict))
		}
	}
}

// sizeOf returns about how many bytes a value takes when it is written.
func sizeOf(v spec.Value) int {
	text, _ := v.Str()
	digits, _ := v.Spelling()
	n := 1 + len(text) + len(digits)
	for _, item := range v.Items() {
		n += sizeOf(item)
	}
	for _, m := range v.Members() {
		n += len(m.Name) + sizeOf(m.Value)
	}
	return n
}
