package swarm

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// readState reads a state that [tallies.value], or another port's snapshot, wrote. It checks the state whole; the
// order of fingerprints, workers and members does not matter (SW-19). Its error says where the state is at fault.
func readState(state spec.Value) (tallies, error) {
	list := state.Get("fingerprints")
	if list.Kind() != spec.Array { // SW-20
		return nil, fmt.Errorf("fingerprints: want an array, got %s", list.Kind())
	}
	if len(state.Members()) > 1 { // SW-21
		return nil, fmt.Errorf("a state has no members but fingerprints")
	}
	ts := make(tallies, len(list.Items()))
	for i, entry := range list.Items() {
		fingerprint, t, err := readEntry(entry)
		if err != nil {
			return nil, fmt.Errorf("fingerprints/%d: %w", i, err)
		}
		if ts[fingerprint] != nil { // SW-22
			return nil, fmt.Errorf("fingerprints/%d: %q stands there already", i, fingerprint)
		}
		ts[fingerprint] = t
	}
	return ts, nil
}

// readEntry reads what a state holds of one fingerprint.
func readEntry(entry spec.Value) (string, *tally, error) {
	fingerprint, isText := entry.Get("fingerprint").Str()
	tool, isTool := entry.Get("tool").Str()
	count, isInt := entry.Get("count").Int()
	workers := entry.Get("workers")
	switch {
	case !isText || !isTool || !isInt || workers.Kind() != spec.Array: // SW-20
		return "", nil, fmt.Errorf("want the texts fingerprint and tool, an integer count and an array workers, got %s", entry)
	case len(entry.Members()) > 4: // SW-21
		return "", nil, fmt.Errorf("unknown members in %s", entry)
	case count < 1 || count > maxCount: // SW-22
		return "", nil, fmt.Errorf("count: want 1 to %d, got %s", maxCount, entry.Get("count"))
	}
	t := &tally{tool: tool, count: count}
	return fingerprint, t, t.readWorkers(workers.Items())
}

// readWorkers takes over the workers of a state's entry whose count was read before.
func (t *tally) readWorkers(list []spec.Value) error {
	if len(list) < 1 || len(list) > t.count { // SW-22
		return fmt.Errorf("%d workers made %d calls", len(list), t.count)
	}
	t.workers = make(map[string]struct{}, len(list))
	for _, v := range list {
		worker, isText := v.Str()
		if !isText { // SW-20
			return fmt.Errorf("workers: want texts, got %s", v)
		}
		t.workers[worker] = struct{}{}
	}
	if len(t.workers) < len(list) { // SW-22
		return fmt.Errorf("a worker stands twice in %s", spec.ArrayValue(list...))
	}
	return nil
}
