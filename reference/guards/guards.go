// Package guards is the reference implementation of D2's safety guards: limits on iterations and runtime, loop
// detection by signatures, and the counter of consecutive errors that D3 quotes.
package guards

import "github.com/loopstone/loopstone/spec"

// maxCount is where the counters stop: the largest integer that every language's numbers hold exactly, so that every
// snapshot can be restored anywhere.
const maxCount = 1<<53 - 1

// Detector watches the iterations of one agent (D2#integration-with-safety-guards). On each:
//
//  1. Every guard takes the iteration in, whichever of them will speak.
//  2. The first guard that holds gives the verdict, in the order max_iterations, max_runtime, loop_detection,
//     consecutive_errors.
//  3. Where none holds, there is no loop.
type Detector struct {
	limits     limits
	signatures signatureDetector // sees each iteration's output
	unused     spec.Value        // the snapshot of signatures before any output
	iterations int               // since the session was opened or reset
	failures   int               // the failed iterations since the last success
	failed     spec.Trail        // which ones these are
	log        *spec.ClauseLog
}

// signatureDetector is what the guards need of the detector of signatures.
type signatureDetector interface {
	spec.Detector
	spec.Snapshotter
}

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Guards)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New:   func(_ spec.Reading, config spec.Value) (spec.Detector, error) { return New(config) },
	}
}

// New returns a Detector with an empty trace. The config is an object of the members that GU-12 names, or absent; the
// error is a [*spec.Fault] of kind [spec.InvalidConfig].
func New(config spec.Value) (*Detector, error) {
	limits, err := readLimits(config)
	if err != nil {
		return nil, err
	}
	signatures, err := limits.signature.open()
	if err != nil {
		return nil, spec.BadConfig("signature", "%v", err) // GU-14
	}
	return &Detector{limits: limits, signatures: signatures, unused: signatures.Snapshot()}, nil
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Iteration {
		d.log.Apply("GU-1")
		return spec.Verdict{}
	}
	d.log.Apply("GU-2")
	d.iterations = min(d.iterations+1, maxCount)
	d.countFailure(e)
	d.log.Apply("GU-7")
	repeated := d.signatures.Observe(spec.Event{Type: spec.Output, Index: e.Index, Text: e.Text}) // GU-7
	verdict := d.judge(e, repeated)
	if verdict.Loop {
		d.log.Apply("GU-4")
		d.log.Apply("GU-11")
	} else {
		d.log.Apply("GU-10")
	}
	return verdict
}

// judge returns the verdict of the first guard that holds. [GU-3]
func (d *Detector) judge(e spec.Event, repeated spec.Verdict) spec.Verdict {
	d.log.Apply("GU-3")
	switch {
	case d.limits.iterations.reached(float64(d.iterations)):
		d.log.Apply("GU-5")
		return spec.Verdict{Loop: true, Kind: spec.KindMaxIterations, Count: d.iterations, Evidence: []int{e.Index}}
	case d.limits.runtimeS.reached(e.ElapsedS):
		d.log.Apply("GU-6")
		return spec.Verdict{Loop: true, Kind: spec.KindMaxRuntime, Evidence: []int{e.Index}}
	case repeated.Loop:
		return spec.Verdict{Loop: true, Kind: spec.KindLoopDetection, Count: repeated.Count, Evidence: repeated.Evidence}
	case d.failures >= d.limits.consecutiveErrors:
		return spec.Verdict{
			Loop: true, Kind: spec.KindConsecutiveErrors, Count: d.failures, Evidence: d.failed.Last(d.failures),
		}
	}
	return spec.Verdict{}
}

// countFailure keeps the run of failed iterations up to date. Why one failed does not matter. [GU-9]
func (d *Detector) countFailure(e spec.Event) {
	if !e.Failed {
		d.log.Apply("GU-8")
		d.failures = 0
		d.failed.Reset()
		return
	}
	d.log.Apply("GU-8")
	d.log.Apply("GU-9")
	d.failures = min(d.failures+1, maxCount)
	d.failed.Add(e.Index)
}

// Reset implements [spec.Detector].
func (d *Detector) Reset() {
	d.log.Apply("GU-15")
	d.signatures.Reset()
	d.iterations, d.failures = 0, 0
	d.failed.Reset()
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(log *spec.ClauseLog) {
	d.log = log
	if inner, ok := d.signatures.(spec.ClauseLogger); ok {
		inner.LogClauses(log)
	}
}
