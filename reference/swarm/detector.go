package swarm

import (
	"maps"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// detector finds the verdicts of the rules call by call: it keeps [Totals], which see one goroutine here.
type detector struct {
	Checker
	totals *Totals
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

// maxCount is the largest number of calls that a state may hold: the largest integer that every language's numbers
// hold exactly. Counts stop there.
const maxCount = 1<<53 - 1 // SW-22, SW-25

// tally is what is known of one fingerprint: the tool of its calls, how many there were, and who made them.
type tally struct {
	tool    string
	count   int // 1 to maxCount
	workers map[string]struct{}
	trail   spec.Trail // the calls since the last restore; kept by the detector, which alone reads it
}

// report counts one call by the worker.
func (t *tally) report(worker string) {
	t.count = min(t.count+1, maxCount)         // SW-4, SW-25
	if _, known := t.workers[worker]; !known { // SW-5; looking is cheaper than writing, above all with many processors
		t.workers[worker] = struct{}{}
	}
}

// add counts all calls of the other tally, too. It assumes that both are of the same tool.
func (t *tally) add(other *tally) { // SW-26
	t.count = min(t.count+other.count, maxCount) // SW-25
	maps.Copy(t.workers, other.workers)
}

// tallies holds a tally per fingerprint.
type tallies map[string]*tally

// of returns the fingerprint's tally, a new and empty one where there is none yet.
func (ts tallies) of(fingerprint []byte, tool string) *tally {
	t := ts[string(fingerprint)]
	if t == nil {
		t = &tally{tool: tool, workers: map[string]struct{}{}}
		ts[string(fingerprint)] = t
	}
	return t
}
