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
// The clauses are in spec/clauses/guards.md.
package guards

import (
	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// Config is a configuration of the guards.
type Config struct {
	MaxIterations limit
	MaxRuntimeS   limit // seconds
	MaxErrors     int   // at least 1
	Signatures    signature.Config
}

// limit is an optional upper limit; 0 means no limit.
type limit int

// isReached reports whether a number is at the limit or above it.
func (l limit) isReached(n float64) bool { return l > 0 && n >= float64(l) }

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // GU-12, GU-13
	return Config{
		MaxIterations: limit(s.Number("max_iterations")),
		MaxRuntimeS:   limit(s.Number("max_runtime_s")),
		MaxErrors:     s.Number("max_consecutive_errors"),
		Signatures:    signaturesOf(s.Value("signature")),
	}
}

// signaturesOf returns the reading and the configuration of the detector of signatures.
func signaturesOf(v spec.Value) signature.Config { // GU-14
	row, _ := spec.DefinitionOf(spec.Signature)
	reading, _ := v.Get("reading").Str()
	s, err := row.Offer().Read(spec.Reading(reading), v.Without("reading"))
	if err != nil {
		panic(err) // the row of the guards has the settings of signatures
	}
	return signature.ConfigOf(s)
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return memory.NewDetector(c.fresh, c.observe), nil
}

// remembered is what the guards remember of the iterations.
type remembered struct { // GU-16, GU-17
	Iterations memory.Count     `json:"iterations"`
	Failures   memory.Streak    `json:"consecutive_errors"` // the iterations that failed since the last success
	Signatures signature.Memory `json:"signature"`
}

func (c *Config) fresh() remembered { return remembered{Signatures: c.Signatures.Fresh()} } // GU-15

// observe updates every guard, whichever guard reports (GU-2), and returns the verdict of the first guard that holds.
func (c *Config) observe(m *remembered, e spec.Event) spec.Verdict {
	if e.Type != spec.Iteration { // GU-1
		return spec.Verdict{}
	}
	m.Iterations.Add()
	m.Failures.AddOrEnd(e.Index, e.Failed)                     // GU-8, GU-9
	repeated := c.Signatures.Observe(&m.Signatures, output(e)) // GU-7
	switch {                                                   // GU-3, GU-4
	case c.MaxIterations.isReached(float64(m.Iterations)): // GU-5
		return loop(spec.KindMaxIterations, int(m.Iterations), []int{e.Index}) // GU-11
	case c.MaxRuntimeS.isReached(e.ElapsedS): // GU-6
		return loop(spec.KindMaxRuntime, 0, []int{e.Index}) // GU-11
	case repeated.Loop:
		return loop(spec.KindLoopDetection, repeated.Count, repeated.Evidence) // GU-11
	case m.Failures.Len() >= c.MaxErrors: // GU-8
		return loop(spec.KindConsecutiveErrors, m.Failures.Len(), m.Failures.Evidence()) // GU-11
	}
	return spec.Verdict{} // GU-10
}

// output is an iteration as the detector of signatures sees it.
func output(e spec.Event) spec.Event {
	return spec.Event{Type: spec.Output, Index: e.Index, Text: e.Text} // GU-7
}

func loop(kind spec.VerdictKind, count int, evidence []int) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Evidence: evidence}
}
