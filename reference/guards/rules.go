// Package guards is the reference implementation of D2's safety guards: limits on iterations and runtime, loop
// detection by signatures, and the counter of consecutive errors that D3 quotes. After each iteration of an agent:
//
//  1. Every guard takes the iteration in, whichever of them will speak.
//  2. The first guard that holds gives the verdict, in the order max_iterations, max_runtime, loop_detection,
//     consecutive_errors.
//  3. Where none holds, there is no loop.
//
// The rules stand in rules.go; detector.go finds the same verdicts event by event. The clauses are in
// spec/clauses/guards.md.
package guards

import (
	"slices"

	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// plainSignatures is the detector that loop_detection asks.
var plainSignatures = signature.Rules()

// config is a configuration of the guards.
type config struct {
	maxIterations limit
	maxRuntimeS   limit // seconds
	maxErrors     int   // at least 1
	reading       spec.Reading
	signature     spec.Value // the configuration of the detector of signatures; absent for its defaults
}

// limit is an optional upper limit; 0 where there is none.
type limit int

// reached reports whether a number is at the limit or above it.
func (l limit) reached(n float64) bool { return l > 0 && n >= float64(l) }

// readConfig reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func readConfig(v spec.Value) (config, error) {
	c := config{maxErrors: 3, reading: spec.Text}      // GU-12
	err := spec.ReadConfig(v, map[string]spec.Setting{ // GU-13
		"max_iterations":         spec.AtLeast(1, (*int)(&c.maxIterations)),
		"max_runtime_s":          spec.AtLeast(1, (*int)(&c.maxRuntimeS)),
		"max_consecutive_errors": spec.AtLeast(1, &c.maxErrors),
		"signature":              c.readSignature,
	})
	return c, err
}

// readSignature is the [spec.Setting] of the member signature. What stands in it is checked where it is opened.
func (c *config) readSignature(field string, v spec.Value) error {
	if v.Kind() != spec.Object { // GU-14
		return spec.BadConfig(field, "want an object, got %s", v.Kind())
	}
	c.signature = v.Without("reading")
	if reading := v.Get("reading"); !reading.IsAbsent() {
		name, _ := reading.Str()
		c.reading = spec.Reading(name)
	}
	return nil
}

// open returns a detector of signatures with an empty trace, or the fault of the configuration. [GU-14]
func (c config) open(signatures spec.Implementation) (spec.Detector, error) {
	if !slices.Contains(signatures.Readings, c.reading) {
		return nil, spec.BadConfig("signature", "reading: want one of %v, got %q", signatures.Readings, c.reading)
	}
	d, err := signatures.New(c.reading, c.signature)
	if err != nil {
		return nil, spec.BadConfig("signature", "%v", err)
	}
	return d, nil
}

// verdict is the verdict after the trace, which is not empty: that of the first guard that holds.
func verdict(c config, trace []spec.Event) spec.Verdict {
	last := trace[len(trace)-1]
	if last.Type != spec.Iteration { // GU-1
		return spec.Verdict{}
	}
	var iterations []spec.Event // GU-2: all of them, whichever guard spoke
	for _, e := range trace {
		if e.Type == spec.Iteration {
			iterations = append(iterations, e)
		}
	}
	repeated, failed := loopDetection(c, iterations), failures(iterations)
	switch { // GU-3, GU-4
	case c.maxIterations.reached(float64(len(iterations))): // GU-5
		return loop(spec.KindMaxIterations, len(iterations), []int{last.Index}) // GU-11
	case c.maxRuntimeS.reached(last.ElapsedS): // GU-6
		return loop(spec.KindMaxRuntime, 0, []int{last.Index}) // GU-11
	case repeated.Loop:
		return loop(spec.KindLoopDetection, repeated.Count, repeated.Evidence) // GU-11
	case len(failed) >= c.maxErrors: // GU-8
		return loop(spec.KindConsecutiveErrors, len(failed), failed[max(0, len(failed)-spec.MaxEvidence):]) // GU-11
	}
	return spec.Verdict{} // GU-10
}

// loopDetection is the verdict of the detector of signatures on all outputs. [GU-7]
func loopDetection(c config, iterations []spec.Event) spec.Verdict {
	signatures, _ := c.open(plainSignatures) // Rules has seen that it opens
	var v spec.Verdict
	for _, e := range iterations {
		v = signatures.Observe(output(e))
	}
	return v
}

// output is an iteration as the detector of signatures sees it.
func output(e spec.Event) spec.Event {
	return spec.Event{Type: spec.Output, Index: e.Index, Text: e.Text}
}

// failures returns the iterations that failed since the last success. Why one failed does not matter. [GU-8, GU-9]
func failures(iterations []spec.Event) []int {
	var run []int
	for _, e := range iterations {
		run = append(run, e.Index)
		if !e.Failed {
			run = nil
		}
	}
	return run
}

func loop(kind spec.VerdictKind, count int, evidence []int) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Evidence: evidence}
}
