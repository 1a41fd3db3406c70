package swarm

import (
	"fmt"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter].
func (d *detector) Snapshot() spec.Value { return d.tallies.Value() }

// Restore implements [spec.Snapshotter]. Its error is a [*spec.Fault] of kind [spec.InvalidState], and then nothing has
// changed.
func (d *detector) Restore(state spec.Value) error { // SW-18
	tallies, err := ReadState(state)
	if err != nil { // SW-23
		return spec.BadState("%v", err)
	}
	d.tallies = tallies
	return nil
}

// Tally holds the totals of one fingerprint: the tool of its calls, their number, and the workers who made them.
type Tally struct {
	Tool    string
	Count   int // 1 to [spec.MaxCount]; counts stop there
	Workers map[string]struct{}
	Trail   memory.Trail // the calls since the last restore; kept by the detector, which alone reads it
}

// Report counts one call by the worker.
func (t *Tally) Report(worker string) {
	t.Count = min(t.Count+1, spec.MaxCount)    // SW-4, SW-25
	if _, known := t.Workers[worker]; !known { // SW-5; looking is cheaper than writing, above all with many processors
		t.Workers[worker] = struct{}{}
	}
}

// add counts all calls of the other tally, too. It assumes that both are of the same tool.
func (t *Tally) add(other *Tally) { // SW-26
	t.Count = min(t.Count+other.Count, spec.MaxCount) // SW-25
	maps.Copy(t.Workers, other.Workers)
}

// Tallies holds a tally per fingerprint.
type Tallies map[string]*Tally

// Of returns the fingerprint's tally. It adds an empty tally if the fingerprint is new.
func (ts Tallies) Of(fingerprint []byte, tool string) *Tally {
	t := ts[string(fingerprint)]
	if t == nil {
		t = &Tally{Tool: tool, Workers: map[string]struct{}{}}
		ts[string(fingerprint)] = t
	}
	return t
}

// Value returns the state as D1's toJSON writes it: fingerprints and workers in the order of their code points, which
// is also the order of their UTF-8 bytes.
func (ts Tallies) Value() spec.Value { // SW-11, SW-16, SW-28
	entries := make([]spec.Value, 0, len(ts))
	for _, fingerprint := range slices.Sorted(maps.Keys(ts)) { // SW-17
		t := ts[fingerprint]
		entries = append(entries, spec.ObjectValue(
			spec.Member{Name: "fingerprint", Value: spec.StringValue(fingerprint)},
			spec.Member{Name: "tool", Value: spec.StringValue(t.Tool)},
			spec.Member{Name: "count", Value: spec.IntValue(t.Count)},
			spec.Member{Name: "workers", Value: spec.StringsValue(slices.Sorted(maps.Keys(t.Workers)))}, // SW-17
		))
	}
	return spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)})
}

// ReadState reads a state that [Tallies.Value] or another port wrote, and checks it completely. The order of
// fingerprints, workers and members does not matter (SW-19), and it does not interpret texts (SW-24). Its error says
// where the state is wrong.
func ReadState(state spec.Value) (Tallies, error) {
	list := state.Get("fingerprints")
	if list.Kind() != spec.Array || len(state.Members()) != 1 { // SW-20, SW-21
		return nil, fmt.Errorf("want an object whose only member is an array fingerprints, got %s", state)
	}
	ts := make(Tallies, len(list.Items()))
	for i, entry := range list.Items() {
		fingerprint, t, err := readEntry(entry)
		if err != nil {
			return nil, fmt.Errorf("fingerprints/%d: %w", i, err)
		}
		if ts[fingerprint] != nil { // SW-22
			return nil, fmt.Errorf("fingerprints/%d: %q is there already", i, fingerprint)
		}
		ts[fingerprint] = t
	}
	return ts, nil
}

// readEntry reads the entry of one fingerprint. It reads a count that is not an integer as 0, and workers that are not
// a list as an empty list; both are refused, because every call has a worker.
func readEntry(entry spec.Value) (string, *Tally, error) {
	fingerprint, isText := entry.Get("fingerprint").Str()
	tool, isTool := entry.Get("tool").Str()
	count, _ := entry.Get("count").Int()
	workers := entry.Get("workers").Items()
	switch {
	case !isText || !isTool || len(entry.Members()) != 4: // SW-20, SW-21
		return "", nil, fmt.Errorf("want the texts fingerprint and tool, count and workers, and no more, got %s", entry)
	case count > spec.MaxCount: // SW-22
		return "", nil, fmt.Errorf("count: want 1 to %d, got %s", spec.MaxCount, entry.Get("count"))
	case len(workers) < 1 || len(workers) > count: // SW-20, SW-22
		return "", nil, fmt.Errorf("want 1 to count workers, got %s of %s", entry.Get("workers"), entry.Get("count"))
	}
	t := &Tally{Tool: tool, Count: count, Workers: make(map[string]struct{}, len(workers))}
	for _, v := range workers {
		worker, isText := v.Str()
		if !isText { // SW-20
			return "", nil, fmt.Errorf("workers: want texts, got %s", v)
		}
		t.Workers[worker] = struct{}{}
	}
	if len(t.Workers) < len(workers) { // SW-22
		return "", nil, fmt.Errorf("a worker is twice in %s", entry.Get("workers"))
	}
	return fingerprint, t, nil
}
