package swarm

import (
	"maps"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// maxCount is the largest number of calls that a state may hold: the largest integer that every language's numbers
// hold exactly. Counts stop there.
const maxCount = 1<<53 - 1 // SW-22, SW-25

// tally is what is known of one fingerprint: the tool of its calls, how many there were, and who made them.
type tally struct {
	tool    string
	count   int // 1 to maxCount
	workers map[string]struct{}
}

func newTally(tool string) *tally {
	return &tally{tool: tool, workers: map[string]struct{}{}}
}

// report counts one call by the worker.
func (t *tally) report(worker string) {
	t.count = min(t.count+1, maxCount)         // SW-4, SW-25
	if _, known := t.workers[worker]; !known { // SW-5; looking is cheaper than writing, above all with many processors
		t.workers[worker] = struct{}{}
	}
}

// add counts all calls of the other tally, too. It assumes that both are of the same tool.
func (t *tally) add(other *tally) {
	t.count = min(t.count+other.count, maxCount) // SW-26, SW-25
	maps.Copy(t.workers, other.workers)          // SW-26
}

// tallies holds a tally per fingerprint.
type tallies map[string]*tally

// of returns the fingerprint's tally, a new and empty one where there is none yet.
func (ts tallies) of(fingerprint []byte, tool string) *tally {
	t := ts[string(fingerprint)]
	if t == nil {
		t = newTally(tool)
		ts[string(fingerprint)] = t
	}
	return t
}

// value returns the state as D1's toJSON writes it: fingerprints and workers in the order of their code points, which
// is also the order of their UTF-8 bytes.
func (ts tallies) value() spec.Value {
	entries := make([]spec.Value, 0, len(ts))
	for _, fingerprint := range slices.Sorted(maps.Keys(ts)) { // SW-17
		t := ts[fingerprint]
		entries = append(entries, spec.ObjectValue(
			spec.Member{Name: "fingerprint", Value: spec.StringValue(fingerprint)},
			spec.Member{Name: "tool", Value: spec.StringValue(t.tool)},
			spec.Member{Name: "count", Value: spec.IntValue(t.count)},
			spec.Member{Name: "workers", Value: spec.StringsValue(slices.Sorted(maps.Keys(t.workers)))}, // SW-17
		))
	}
	return spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)}) // SW-16
}
