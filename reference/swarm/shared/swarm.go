package shared

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// totals are those of one swarm, in a store.
type totals struct {
	store *Store
	keys  []string // of the totals, of the ids, of earlier ids
}

// named returns the totals of the swarm with the name. [SW-32]
func (s *Store) named(name string) totals { return s.totals("n" + hex.EncodeToString([]byte(name))) }

// alone returns totals that no other session has.
func (s *Store) alone() totals { return s.totals("p" + newID()) }

// totals makes the keys. They have one hash tag, so that a cluster keeps a swarm on one of its servers; the name stands
// there in hexadecimal digits, since braces in it would end the tag.
func (s *Store) totals(tag string) totals {
	key := "loopstone:{" + tag + "}:"
	return totals{store: s, keys: []string{key + "totals", key + "ids", key + "earlier"}}
}

// report is one call as the store counts it.
type report struct {
	id, fingerprint, worker, tool string
}

// tally is what the store knows of a report's fingerprint once it has taken it in.
type tally struct {
	counted        bool // now, and not before
	count, workers int
}

// report counts a batch. It returns the mark of the latest reset or restore, and a tally for each report.
func (t totals) report(ctx context.Context, batch []report) (mark string, tallies []tally, err error) {
	args := make([]any, 1, 1+4*len(batch))
	for _, r := range batch {
		args = append(args, r.id, r.fingerprint, r.worker, r.tool)
	}
	answer, err := t.store.run(ctx, reportScript, t.keys, args)
	if err != nil {
		return "", nil, err
	}
	list, _ := answer.([]any)
	if len(list) != 1+3*len(batch) {
		return "", nil, fmt.Errorf("%d reports were answered by %v", len(batch), answer)
	}
	mark, _ = list[0].(string)
	for three := range slices.Chunk(list[1:], 3) {
		fresh, _ := three[0].(int64)
		count, _ := three[1].(int64)
		workers, _ := three[2].(int64)
		tallies = append(tallies, tally{counted: fresh == 1, count: int(count), workers: int(workers)})
	}
	return mark, tallies, nil
}

// replace takes over the totals of a state, which is one that a snapshot could have written; none where it is absent.
func (t totals) replace(ctx context.Context, state spec.Value) error { // SW-37
	args := []any{nil, "r" + newID()}
	for _, entry := range state.Get("fingerprints").Items() {
		workers := entry.Get("workers").Items()
		for _, name := range []string{"fingerprint", "tool"} {
			text, _ := entry.Get(name).Str()
			args = append(args, text)
		}
		count, _ := entry.Get("count").Int()
		args = append(args, count, len(workers))
		for _, worker := range workers {
			text, _ := worker.Str()
			args = append(args, text)
		}
	}
	_, err := t.store.run(ctx, replaceScript, t.keys, args)
	return err
}

// snapshot returns the state at one moment.
func (t totals) snapshot(ctx context.Context) (spec.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	fields, err := t.store.client.HGetAll(ctx, t.keys[0]).Result()
	if err != nil {
		return spec.Value{}, t.store.away(ctx, err)
	}
	workers := map[string][]string{} // by fingerprint
	for name := range fields {
		if length, rest, found := strings.Cut(name, ":"); found && name[0] == 'w' {
			n, err := strconv.Atoi(length[1:])
			if err != nil || n > len(rest) {
				return spec.Value{}, fmt.Errorf("the totals have a worker %q that nobody reported", name)
			}
			workers[rest[:n]] = append(workers[rest[:n]], rest[n:])
		}
	}
	return stateOf(fields, workers)
}

// stateOf puts a state together, in any order, and lets the rules of one session check and sort it.
func stateOf(fields map[string]string, workers map[string][]string) (spec.Value, error) {
	var entries []spec.Value
	for fingerprint, names := range workers {
		entries = append(entries, spec.ObjectValue(
			spec.Member{Name: "fingerprint", Value: spec.StringValue(fingerprint)},
			spec.Member{Name: "tool", Value: spec.StringValue(fields["t"+fingerprint])},
			spec.Member{Name: "count", Value: spec.NumberValue(fields["c"+fingerprint])},
			spec.Member{Name: "workers", Value: spec.StringsValue(names)},
		))
	}
	state := spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)})
	sorted := swarm.NewTotals(swarm.DefaultLimits())
	if err := sorted.Restore(state); err != nil {
		return spec.Value{}, fmt.Errorf("the store holds what no session wrote: %s", err.Error())
	}
	return sorted.Snapshot(), nil
}

// forget deletes all that is known of the swarm, the ids included.
func (t totals) forget(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := t.store.client.Unlink(ctx, t.keys...).Err(); err != nil {
		return t.store.away(ctx, err)
	}
	return nil
}
