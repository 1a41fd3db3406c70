package shared

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// totals are the totals of one swarm, in a store, as one session knows them.
type totals struct {
	store *Store
	keys  []string  // of the totals, of the ids, of earlier ids, of requests, of earlier requests
	lived time.Time // when an acknowledged request made the keys live on
	heard time.Time // when a report was last acknowledged
	mark  string    // of the totals, as the latest answer told it; toldOfLoss after a loss
}

// named returns the totals of the swarm with the name.
func (s *Store) named(name string) *totals { // SW-32
	return s.totals("n" + hex.EncodeToString([]byte(name)))
}

// alone returns totals that no other session has.
func (s *Store) alone() *totals { return s.totals("p" + newID()) }

// totals makes the keys. They have one hash tag, so that a cluster keeps a swarm on one of its servers; the name stands
// there in hexadecimal digits, since braces in it would end the tag.
func (s *Store) totals(tag string) *totals {
	t := &totals{store: s}
	for _, part := range []string{"totals", "ids", "earlier-ids", "requests", "earlier-requests"} {
		t.keys = append(t.keys, "loopstone:{"+tag+"}:"+part)
	}
	return t
}

// toldOfLoss stands for the mark if the session was told that the totals are gone.
const toldOfLoss = "-"

// knows returns the mark that the session expects in the store. It is empty if the store may have forgotten the totals
// for want of reports.
func (t *totals) knows() string { // SW-42
	if t.mark != toldOfLoss && time.Since(t.heard) >= t.store.life {
		return ""
	}
	return t.mark
}

// run executes a script. It remembers that the session was told of a loss.
func (t *totals) run(ctx context.Context, script *rueidis.Lua, asked []byte) (answer, error) {
	a, err := t.store.run(ctx, script, t.keys, asked)
	if _, lost := errors.AsType[*loss](err); lost {
		t.mark = toldOfLoss
	}
	return a, err
}

// report counts a batch. It returns the mark of the totals, and a tally for each report.
func (t *totals) report(ctx context.Context, reports []report) (mark string, tallies []tally, err error) {
	b, now := newBatch(reports), time.Now()
	liveOn := now.Sub(t.lived) > t.store.margin()
	a, err := t.run(ctx, reportScript, appendText(b.asked(liveOn), t.knows()))
	if err != nil {
		return "", nil, err
	}
	if liveOn {
		t.lived = now
	}
	mark, tallies, err = b.tallies(a)
	if errors.Is(err, errCounted) { // SW-40
		return "", nil, t.store.unavailable(err)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%d reports were answered by %v: %w", len(reports), a.value, err)
	}
	t.heard, t.mark = now, mark
	return mark, tallies, nil
}

// replace replaces the totals by the totals of a valid state, or by no totals if the state is absent.
func (t *totals) replace(ctx context.Context, state spec.Value) error { // SW-37
	entries := state.Get("fingerprints").Items()
	asked := appendText(appendList(nil, 1+4*len(entries)), "r"+newID())
	for _, entry := range entries {
		for _, name := range []string{"fingerprint", "tool"} {
			text, _ := entry.Get(name).Str()
			asked = appendText(asked, text)
		}
		count, _ := entry.Get("count").Int()
		workers := entry.Get("workers").Items()
		asked = appendList(appendNumber(asked, count), len(workers))
		for _, worker := range workers {
			text, _ := worker.Str()
			asked = appendText(asked, text)
		}
	}
	_, err := t.run(ctx, replaceScript, asked)
	return err
}

// snapshot returns the state at one moment.
func (t *totals) snapshot(ctx context.Context) (spec.Value, error) {
	a, err := t.run(ctx, snapshotScript, appendText(appendList(nil, 1), t.knows()))
	if err != nil {
		return spec.Value{}, err
	}
	fields := map[string]string{}
	pairs, _ := a.value.([]any)
	for i := 1; i < len(pairs); i += 2 {
		name, _ := pairs[i-1].(string)
		fields[name], _ = pairs[i].(string)
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

// stateOf builds a state in any order, and lets the rules of one session check and sort it.
func stateOf(fields map[string]string, workers map[string][]string) (spec.Value, error) {
	var entries []spec.Value
	for fingerprint, names := range workers {
		packed := fields["c"+fingerprint]
		if len(packed) != totalSize {
			return spec.Value{}, fmt.Errorf("the totals have a count %q that nobody wrote", packed)
		}
		count, _ := unpackTotal(packed)
		entries = append(entries, spec.ObjectValue(
			spec.Member{Name: "fingerprint", Value: spec.StringValue(fingerprint)},
			spec.Member{Name: "tool", Value: spec.StringValue(fields["t"+fingerprint])},
			spec.Member{Name: "count", Value: spec.IntValue(count)},
			spec.Member{Name: "workers", Value: spec.StringsValue(names)},
		))
	}
	state := spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)})
	tallies, err := swarm.ReadState(state)
	if err != nil {
		return spec.Value{}, fmt.Errorf("the store holds what no session wrote: %w", err)
	}
	return tallies.Value(), nil
}

// forget deletes everything about the swarm, the ids included.
func (t *totals) forget(ctx context.Context) error {
	client := t.store.client
	return t.store.insist(ctx, func(ctx context.Context) error {
		return client.Do(ctx, client.B().Unlink().Key(t.keys...).Build()).Error()
	})
}
