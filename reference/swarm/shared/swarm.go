package shared

import (
	"context"
	"encoding/hex"
	"fmt"
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

// report counts a batch. It returns the mark of the latest reset or restore, and a tally for each report.
func (t totals) report(ctx context.Context, reports []report) (mark string, tallies []tally, err error) {
	b := newBatch(reports)
	answer, err := t.store.run(ctx, reportScript, t.keys, b.words())
	if err != nil {
		return "", nil, err
	}
	if mark, tallies, err = b.tallies(answer); err != nil {
		return "", nil, fmt.Errorf("%d reports were answered by %v: %w", len(reports), answer, err)
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
			workers[rest[n:]] = append(workers[rest[n:]], rest[:n])
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
