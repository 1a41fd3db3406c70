// Package swarm is the fast twin of reference/swarm: the same verdicts call by call, with snapshots. [Totals] are for a
// Go program whose workers run at the same time.
package swarm

import (
	"github.com/loopstone/loopstone/reference/fingerprint"
	rules "github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// detector finds the verdicts of the rules call by call: it keeps [Totals], which see one goroutine here.
type detector struct {
	rules.Checker
	totals *Totals
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	return &detector{totals: NewTotals(rules.LimitsOf(s))}, nil
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall { // SW-1
		return spec.Verdict{}
	}
	var room [usualBytes]byte
	count, workers, trail := d.totals.count(fingerprint.Append(room[:0], e.Tool, e.Args), e.Tool, e.Worker) // SW-3
	trail.Add(e.Index)
	verdict := d.totals.limits.Judge(e.Tool, count, workers)
	if verdict.Loop {
		verdict.Evidence = trail.Last(count) // SW-10
	}
	return verdict
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { d.totals.Reset() } // SW-15

// Snapshot implements [spec.Snapshotter].
func (d *detector) Snapshot() spec.Value { return d.totals.Snapshot() }

// Restore implements [spec.Snapshotter].
func (d *detector) Restore(state spec.Value) error { return d.totals.Restore(state) }
