package fuzz

import (
	"fmt"
	"sync/atomic"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// What the checks of one detector in one reading may spend on shrinking before what they find is told as it was drawn:
// a port that dies of every trace is started anew for each step of it, and one that says megabytes says them again.
// Both are counts, so that what a run finds does not depend on how busy the machine is.
const (
	mostRevivals = 150      // processes
	mostExcess   = 64 << 20 // bytes of verdicts beyond usualVerdict
	usualVerdict = 4 << 10  // bytes; a verdict with all its texts and 100 indices has fewer
	mostSilences = 2        // answers that did not come in time, each of which costs as long a wait
	mostDeaths   = 3        // of the process, that no subject shows again
)

// spending is what was spent so far. Nil is never at its end.
type spending struct{ revivals, excess, silences, deaths atomic.Int64 }

// isOver reports whether nothing is left for shrinking.
func (s *spending) isOver() bool {
	return s != nil && (s.revivals.Load() >= mostRevivals || s.exhausted() != "")
}

// tooMuch is why a check is not carried out to its end where the port says too much.
const tooMuch = "not checked: the port's verdicts are too large, 64 MB beyond 4 KB each"

// exhausted says why no further trace is played to the port; it is empty where there is no reason.
func (s *spending) exhausted() string {
	switch {
	case s == nil:
		return ""
	case s.excess.Load() >= mostExcess:
		return tooMuch
	case s.silences.Load() >= mostSilences:
		return "not checked: on other generated traces the port gave no answer in time"
	case s.deaths.Load() >= mostDeaths:
		return fmt.Sprintf("not checked: the port died %d times, and no trace shows why", mostDeaths)
	default:
		return ""
	}
}

// lose counts a process that was lost and is the fault of no subject, or was waited for in vain.
func (s *spending) lose(gone *stdio.ProcessError) {
	switch {
	case s == nil:
	case conformance.StatusOf(gone) == conformance.Undecided:
		s.silences.Add(1)
	default:
		s.deaths.Add(1)
	}
}

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
