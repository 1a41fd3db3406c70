// Package guards is the reference of D2's safety guards: limits on iterations and runtime, loop detection by
// signatures, and the counter of consecutive errors that D3 quotes.
//
// After each iteration of an agent:
//
//  1. The iteration updates every guard, whichever guard gives the verdict. (GU-2)
//  2. "max_iterations": there were as many iterations as the limit says. (GU-5)
//  3. "max_runtime": the agent has run for as many seconds as the limit says. (GU-6)
//  4. "loop_detection": the detector signature reports a loop. (GU-7)
//  5. "consecutive_errors": enough iterations failed in a row. (GU-8)
//  6. The first of these guards that holds gives the verdict. (GU-3)
//
// The verdict is a function of the configuration and the events since the last reset. The clauses are in
// spec/clauses/guards.md, the fast twin in reference/fast/guards.
package guards

import (
	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// Config is a configuration of the guards.
type Config struct {
	MaxIterations limit
	MaxRuntimeS   limit      // seconds
	MaxErrors     int        // at least 1
	signature     spec.Value // the reading and the configuration of the detector of signatures
}

// limit is an optional upper limit; 0 means no limit.
type limit int

// Reached reports whether a number is at the limit or above it.
func (l limit) Reached(n float64) bool { return l > 0 && n >= float64(l) }

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // GU-12, GU-13
	return Config{
		MaxIterations: limit(s.Number("max_iterations")),
		MaxRuntimeS:   limit(s.Number("max_runtime_s")),
		MaxErrors:     s.Number("max_consecutive_errors"),
		signature:     s.Value("signature"),
	}
}

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // GU-15
}

// Signatures returns a detector of signatures with an empty trace.
func (c Config) Signatures(signatures spec.Constructor) spec.Detector { // GU-14
	reading, _ := c.signature.Get("reading").Str()
	d, err := spec.Define(spec.Signature, signatures, nil).New(spec.Reading(reading), c.signature.Without("reading"))
	if err != nil {
		panic(err) // the row of the guards has the settings of signatures
	}
	return d
}

// verdict returns the verdict of the first guard that holds after the trace, which is not empty.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	last := trace[len(trace)-1]
	if last.Type != spec.Iteration { // GU-1
		return spec.Verdict{}
	}
	var iterations []spec.Event // GU-2: all of them, whichever guard reported
	for _, e := range trace {
		if e.Type == spec.Iteration {
			iterations = append(iterations, e)
		}
	}
	repeated, failed := loopDetection(c, iterations), failures(iterations)
	switch { // GU-3, GU-4
	case c.MaxIterations.Reached(float64(len(iterations))): // GU-5
		return Loop(spec.KindMaxIterations, len(iterations), []int{last.Index}) // GU-11
	case c.MaxRuntimeS.Reached(last.ElapsedS): // GU-6
		return Loop(spec.KindMaxRuntime, 0, []int{last.Index}) // GU-11
	case repeated.Loop:
		return Loop(spec.KindLoopDetection, repeated.Count, repeated.Evidence) // GU-11
	case len(failed) >= c.MaxErrors: // GU-8
		return Loop(spec.KindConsecutiveErrors, len(failed), failed[max(0, len(failed)-spec.MaxEvidence):]) // GU-11
	}
	return spec.Verdict{} // GU-10
}

// loopDetection is the verdict of the detector of signatures on all outputs.
func loopDetection(c Config, iterations []spec.Event) spec.Verdict { // GU-7
	signatures := c.Signatures(signature.New)
	var v spec.Verdict
	for _, e := range iterations {
		v = signatures.Observe(Output(e)) // GU-7
	}
	return v
}

// Output is an iteration as the detector of signatures sees it.
func Output(e spec.Event) spec.Event {
	return spec.Event{Type: spec.Output, Index: e.Index, Text: e.Text} // GU-7
}

// failures returns the iterations that failed since the last success. Why one failed does not matter.
func failures(iterations []spec.Event) []int { // GU-8, GU-9
	var run []int
	for _, e := range iterations {
		run = append(run, e.Index)
		if !e.Failed {
			run = nil
		}
	}
	return run
}

func Loop(kind spec.VerdictKind, count int, evidence []int) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Evidence: evidence}
}
