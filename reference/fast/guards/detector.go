// Package guards is the fast twin of reference/guards: the same verdicts iteration by iteration, with snapshots. It
// counts where the rules look at the whole trace.
package guards

import (
	"github.com/loopstone/loopstone/reference/fast/signature"
	rules "github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
)

// detector finds the verdicts of the rules event by event: it counts, where they look at the whole trace.
type detector struct {
	config     rules.Config
	signatures signatureDetector // sees each iteration's output
	iterations int               // since the session was opened or reset
	failures   int               // the failed iterations since the last success
	latest     spec.Trail        // of all iterations; the last failures of these are the run
}

// signatureDetector is what the guards need of the detector of signatures.
type signatureDetector interface {
	spec.Detector
	spec.Snapshotter
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	return newDetector(rules.ConfigOf(s)), nil
}

func newDetector(c rules.Config) *detector {
	return &detector{config: c, signatures: c.Signatures(signature.New).(signatureDetector)}
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Iteration { // GU-1
		return spec.Verdict{}
	}
	d.latest.Add(e.Index)
	d.iterations++ // GU-2
	d.failures++   // GU-8, GU-9
	if !e.Failed {
		d.failures = 0
	}
	repeated := d.signatures.Observe(rules.Output(e)) // GU-7
	switch {                                          // GU-3
	case d.config.MaxIterations.Reached(float64(d.iterations)): // GU-5
		return rules.Loop(spec.KindMaxIterations, d.iterations, []int{e.Index})
	case d.config.MaxRuntimeS.Reached(e.ElapsedS): // GU-6
		return rules.Loop(spec.KindMaxRuntime, 0, []int{e.Index})
	case repeated.Loop:
		return rules.Loop(spec.KindLoopDetection, repeated.Count, repeated.Evidence)
	case d.failures >= d.config.MaxErrors: // GU-8
		return rules.Loop(spec.KindConsecutiveErrors, d.failures, d.latest.Last(d.failures))
	}
	return spec.Verdict{} // GU-10
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { // GU-15
	d.signatures.Reset()
	d.iterations, d.failures = 0, 0
}
