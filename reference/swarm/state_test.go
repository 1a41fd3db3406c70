package swarm_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// shuffled returns the items in a drawn order.
func shuffled[T any](t *rapid.T, items []T) []T {
	items = slices.Clone(items)
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
	random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return items
}

// disordered returns the state with its entries, their members and their workers in a drawn order.
func disordered(t *rapid.T, state spec.Value) spec.Value {
	entries := shuffled(t, state.Get("fingerprints").Items())
	for i, entry := range entries {
		entry = entry.With("workers", spec.ArrayValue(shuffled(t, entry.Get("workers").Items())...))
		entries[i] = spec.ObjectValue(shuffled(t, entry.Members())...)
	}
	return state.With("fingerprints", spec.ArrayValue(entries...))
}

func TestOrderOfReportsDoesNotChangeTheState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, trace := limits(t), calls(t)
		want := after(l, trace).Snapshot().String()
		if got := after(l, shuffled(t, trace)).Snapshot().String(); got != want {
			t.Fatalf("in another order the state is\n%s\nnot\n%s", got, want)
		}
	})
}

// badStates returns states that no snapshot has written, by what is wrong.
func badStates() map[string]string {
	list := func(entries ...spec.Value) string {
		return spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)}).String()
	}
	entry := spec.MustParse(`{"fingerprint":"f","tool":"grep","count":9,"workers":["w","v"]}`)
	states := map[string]string{
		"is null": `null`, "is an array": `[]`, "no fingerprints": `{}`, "fingerprints is null": `{"fingerprints":null}`,
		"unknown member": `{"fingerprints":[],"version":1}`, "duplicate": list(entry, entry),
		"entry is text": list(spec.StringValue("grep")), "entry unknown member": list(entry.With("first", spec.IntValue(1))),
		"more workers than calls": list(entry.With("count", spec.IntValue(1))),
	}
	for member, values := range map[string][]string{
		"fingerprint": {`1`}, "tool": {`null`}, "workers": {`"w1"`, `[]`, `[1]`, `["w","v","w"]`},
		"count": {`"3"`, `true`, `0`, `-3`, `90.5`, `9007199254740992`, `1000000000000000000000000000000`},
	} {
		states["no "+member] = list(entry.Without(member))
		for _, value := range values {
			states[member+" is "+value] = list(entry.With(member, spec.MustParse(value)))
		}
	}
	return states
}

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	trace := []call{{class: 2, worker: "w1"}, {class: 2, worker: "w2"}, {class: 3, worker: "w2"}}
	session := func() detectortest.Session { return after(swarm.Limits{Threshold: 2, MinWorkers: 2}, trace) }
	detectortest.CheckRefuses(t, session, badStates())
	for reason, state := range badStates() {
		if _, err := merge(session().Snapshot(), spec.MustParse(state)); err == nil {
			t.Errorf("%s: merge took %s", reason, state)
		}
	}
}

func TestRestoreAtTheLargestCount(t *testing.T) {
	t.Parallel()
	const state = `{"fingerprints":[{"fingerprint":"bash:file_read:a.go","tool":"bash","count":9007199254740991,"workers":["w"]}]}`
	d := after(swarm.Limits{Threshold: 10, MinWorkers: 2}, nil)
	if err := d.Restore(spec.MustParse(state)); err != nil {
		t.Fatal(err)
	}
	d.Observe(call{class: 3, worker: "w"}.event(0))
	if got := d.Snapshot().String(); got != state {
		t.Errorf("one call more: %s", got)
	}
	if got, err := merge(d.Snapshot(), d.Snapshot()); err != nil || got.String() != state {
		t.Errorf("merged with itself: %s, %v", got, err)
	}
}
