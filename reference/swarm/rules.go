// Package swarm is the reference of D1's global doom loop: the same call, made again and again by the workers of a
// swarm together (D1#global-doom-loop-detection-swarm-mode).
//
// After each tool call:
//
//  1. The call is counted under its fingerprint, and its worker is added to the fingerprint's set. (SW-3, SW-4, SW-5)
//  2. The call is a loop if the fingerprint now has at least Threshold calls from at least MinWorkers workers. (SW-6)
//  3. There is no window and no decay: what was counted stays counted until a reset. (SW-4)
//
// The rules stand in this file; the state with D1's form stands in state.go. totals.go has Totals, for a Go program
// whose workers run at the same time; a swarm of several processes is in the folder shared. The clauses are in
// spec/clauses/swarm.md.
package swarm

import (
	"fmt"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// Limits are the numbers that make a fingerprint a global doom loop. Both are at least 1.
type Limits struct {
	Threshold  int // calls
	MinWorkers int // workers who made the calls
}

// LimitsOf takes the limits from the settings; their defaults stand in the detector's row of spec/detectors.go.
func LimitsOf(s spec.Settings) Limits { // SW-12, SW-13, SW-14
	return Limits{Threshold: s.Number("threshold"), MinWorkers: s.Number("min_workers")}
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	return &detector{Limits: LimitsOf(s), tallies: Tallies{}}, nil
}

// detector remembers a tally for each fingerprint that it ever saw. Its snapshots have the form that D1 gives them, so
// it writes and reads them itself.
type detector struct {
	Limits
	Checker
	tallies Tallies
}

// Checker implements [spec.EventChecker]: a call must say who made it.
type Checker struct{}

func (Checker) CheckEvent(e spec.Event) error {
	if e.Type == spec.ToolCall && !e.HasWorker { // SW-2
		return spec.BadEvent("worker", "a tool call in a swarm must name its worker")
	}
	return nil
}

// Observe implements [spec.Detector]: it counts a call under its fingerprint, and judges the tally of this fingerprint.
// The order of the calls does not matter.
func (d *detector) Observe(e spec.Event) spec.Verdict { // SW-7, SW-11
	if e.Type != spec.ToolCall { // SW-1
		return spec.Verdict{}
	}
	tally := d.tallies.Of(fingerprint.Append(nil, e.Tool, e.Args), e.Tool) // SW-3
	tally.Report(e.Worker)
	tally.Trail.Add(e.Index)
	v := d.Judge(e.Tool, tally.Count, len(tally.Workers))
	if v.Loop {
		v.Evidence = tally.Trail.Last(tally.Count) // SW-10
	}
	return v
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { d.tallies = Tallies{} } // SW-15

// Judge returns the verdict on a number of calls of the tool by a number of workers.
func (l Limits) Judge(tool string, count, workers int) spec.Verdict {
	if count < l.Threshold || workers < l.MinWorkers { // SW-6
		return spec.Verdict{}
	}
	return spec.Verdict{ // SW-8
		Loop: true, Kind: spec.KindGlobal, Count: count, Workers: workers, Message: nudge(tool, count, workers), // SW-8, SW-9
	}
}

// nudge returns D1's text for a global doom loop, line breaks included.
func nudge(tool string, count, workers int) string { // SW-9
	return fmt.Sprintf(`[System] GLOBAL DOOM LOOP: %d calls to %s across
%d workers. The entire swarm is stuck on this approach.
1. Try a fundamentally different strategy
2. Do NOT retry the same tool/parameters
3. Consider whether the task goal itself needs re-evaluation`, count, tool, workers)
}
