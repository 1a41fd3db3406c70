// Package swarm is the reference of D1's global doom loop: the same call, made again and again by the workers of a
// swarm together (D1#global-doom-loop-detection-swarm-mode).
//
// After each tool call:
//
//  1. The call is counted under its fingerprint, and its worker is added to the fingerprint's set. (SW-3, SW-4, SW-5)
//  2. The call is a loop if the fingerprint now has at least Threshold calls from at least MinWorkers workers. (SW-6)
//  3. There is no window and no decay: what was counted stays counted until a reset. (SW-4)
//
// The rules stand in this file; the state with D1's form stands in state.go. The clauses are in spec/clauses/swarm.md.
// The fast twin is in reference/fast/swarm, with Totals for a Go program whose workers run at the same time; a swarm of
// several processes is in the folder shared.
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

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	l := LimitsOf(s)
	plain := spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(l, trace) }) // SW-15
	return struct {
		spec.Detector
		Checker
	}{Detector: plain}, nil
}

// Checker implements [spec.EventChecker]: a call must say who made it.
type Checker struct{}

func (Checker) CheckEvent(e spec.Event) error {
	if e.Type == spec.ToolCall && !e.HasWorker { // SW-2
		return spec.BadEvent("worker", "a tool call in a swarm must name its worker")
	}
	return nil
}

// verdict returns the verdict after the trace, which is not empty. It depends on the calls with the fingerprint of the
// last event, but not on their order.
func verdict(l Limits, trace []spec.Event) spec.Verdict { // SW-7, SW-11
	last := trace[len(trace)-1]
	if last.Type != spec.ToolCall { // SW-1
		return spec.Verdict{}
	}
	var calls []int
	workers := map[string]struct{}{}
	same := fingerprintOf(last)
	for _, e := range trace {
		if e.Type == spec.ToolCall && fingerprintOf(e) == same { // SW-3, SW-4, SW-5
			calls = append(calls, e.Index)
			workers[e.Worker] = struct{}{}
		}
	}
	v := l.Judge(last.Tool, len(calls), len(workers))
	if v.Loop {
		v.Evidence = calls[max(0, len(calls)-spec.MaxEvidence):] // SW-10
	}
	return v
}

// fingerprintOf returns the fingerprint that the detector fingerprint gives to a call.
func fingerprintOf(call spec.Event) string { // SW-3
	return string(fingerprint.Append(nil, call.Tool, call.Args))
}

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
