package fuzz

import (
	"fmt"
	"sync/atomic"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
)

// What the checks of one detector in one reading may cost before what they find is told as it was drawn: a port that
// dies of every trace is started anew for each step of shrinking it, and one that says megabytes says them again. All
// are counts, so that what a run finds does not depend on how busy the machine is.
const (
	mostRestarts = 150      // processes
	mostCrashes  = 5        // of them, to shrink a trace that the process dies of
	mostExcess   = 64 << 20 // bytes of verdicts beyond usualVerdict
	usualVerdict = 4 << 10  // bytes; a verdict with all its texts and 100 indices has fewer
	mostSilences = 1        // answers that did not come in time: each was waited for three times
	mostDeaths   = 3        // of the process, that no subject shows again
)

// costs is what was spent so far. Nil is never at its end.
type costs struct {
	restarts, excess, silences, deaths atomic.Int64

	shown atomic.Pointer[Counterexample] // the first subject that alone brought the process down; nil: none did
}

// isOver reports whether nothing is left for shrinking.
func (c *costs) isOver() bool {
	return c != nil && (c.restarts.Load() >= mostRestarts || c.exhausted() != "")
}

// tooMuch is why a check is not carried out to its end where the port says too much.
const tooMuch = "not checked: the port's verdicts are too large, 64 MB beyond 4 KB each"

// exhausted says why no further trace is played to the port; it is empty where there is no reason.
func (c *costs) exhausted() string {
	switch {
	case c == nil:
		return ""
	case c.excess.Load() >= mostExcess:
		return tooMuch
	case c.silences.Load() >= mostSilences:
		return "not checked: on other generated traces the port gave no answer in time"
	case c.deaths.Load() >= mostDeaths:
		return fmt.Sprintf("not checked: the port died %d times, and no trace shows why", mostDeaths)
	default:
		return ""
	}
}

// show notes that a subject alone brings the process down.
func (c *costs) show(shown *Counterexample) {
	if f := shown.Finding; c != nil && f.Gone != nil && !f.Unrepeated && f.Status() == conformance.Failed {
		c.shown.CompareAndSwap(nil, shown)
	}
}

// shownAs returns the counterexample that showed the same death on a subject alone, nil where there is none.
func (c *costs) shownAs(f *Finding) *Counterexample {
	if c == nil || f.Gone == nil || f.Status() != conformance.Failed {
		return nil
	}
	if shown := c.shown.Load(); shown != nil && shown.Finding.Problem == f.Problem {
		return shown
	}
	return nil
}

// budget returns what says that shrinking has cost too much: a trace that the process dies of gets few processes.
func (c *costs) budget(of *Finding) (spent func() bool) {
	if c == nil || of.Gone == nil {
		return c.isOver
	}
	before := c.restarts.Load()
	return func() bool { return c.isOver() || c.restarts.Load()-before >= mostCrashes }
}

// lose counts a process that was lost and is the fault of no subject, or was waited for in vain.
func (c *costs) lose(gone *stdio.ProcessError) {
	switch {
	case c == nil:
	case conformance.StatusOf(gone) == conformance.Undecided:
		c.silences.Add(1)
	default:
		c.deaths.Add(1)
	}
}

// listen counts what is too large of the verdicts that came of a request.
func (c *costs) listen(q request) {
	if c == nil {
		return
	}
	var text []byte
	for _, v := range q.verdicts {
		text = v.AppendJSON(text[:0])
		if excess := len(text) - usualVerdict; excess > 0 {
			c.excess.Add(int64(excess))
		}
	}
}
