package swarm_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/swarm"
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

// corruptions are ways to make a state one that no snapshot has written, by what is then wrong. Each gets the state and
// a position in its list of fingerprints, which is not empty.
var corruptions = map[string]func(state spec.Value, at int) spec.Value{
	"is null":              func(spec.Value, int) spec.Value { return spec.NullValue() },
	"is an array":          func(s spec.Value, _ int) spec.Value { return s.Get("fingerprints") },
	"no fingerprints":      func(s spec.Value, _ int) spec.Value { return s.Without("fingerprints") },
	"unknown member":       func(s spec.Value, _ int) spec.Value { return s.With("version", spec.IntValue(1)) },
	"fingerprints is null": func(s spec.Value, _ int) spec.Value { return s.With("fingerprints", spec.NullValue()) },
	"duplicate": func(s spec.Value, at int) spec.Value {
		entries := s.Get("fingerprints").Items()
		return s.With("fingerprints", spec.ArrayValue(append(slices.Clone(entries), entries[at])...))
	},
	"entry is text":         inEntry(func(spec.Value) spec.Value { return spec.StringValue("grep") }),
	"entry unknown member":  inEntry(func(e spec.Value) spec.Value { return e.With("first", spec.IntValue(1)) }),
	"no fingerprint":        inEntry(func(e spec.Value) spec.Value { return e.Without("fingerprint") }),
	"no tool":               inEntry(func(e spec.Value) spec.Value { return e.Without("tool") }),
	"no count":              inEntry(func(e spec.Value) spec.Value { return e.Without("count") }),
	"no workers":            inEntry(func(e spec.Value) spec.Value { return e.Without("workers") }),
	"tool is null":          inEntry(func(e spec.Value) spec.Value { return e.With("tool", spec.NullValue()) }),
	"fingerprint is number": inEntry(func(e spec.Value) spec.Value { return e.With("fingerprint", spec.IntValue(1)) }),
	"count is text":         inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.StringValue("3")) }),
	"count is true":         inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.BoolValue(true)) }),
	"count is 0":            inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.IntValue(0)) }),
	"count is negative":     inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.IntValue(-3)) }),
	"count is a fraction":   inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.NumberValue("90.5")) }),
	"count is 2^53":         inEntry(func(e spec.Value) spec.Value { return e.With("count", spec.NumberValue("9007199254740992")) }),
	"count is 10^30": inEntry(func(e spec.Value) spec.Value {
		return e.With("count", spec.NumberValue("1000000000000000000000000000000"))
	}),
	"workers is text":  inEntry(func(e spec.Value) spec.Value { return e.With("workers", spec.StringValue("w1")) }),
	"workers is empty": inEntry(func(e spec.Value) spec.Value { return e.With("workers", spec.ArrayValue()) }),
	"worker is number": inEntry(func(e spec.Value) spec.Value { return e.With("workers", spec.IntsValue([]int{1})) }),
	"worker twice": inEntry(func(e spec.Value) spec.Value {
		return e.With("count", spec.IntValue(9)).With("workers", spec.StringsValue([]string{"w", "v", "w"}))
	}),
	"more workers than calls": inEntry(func(e spec.Value) spec.Value {
		return e.With("count", spec.IntValue(1)).With("workers", spec.StringsValue([]string{"w", "v"}))
	}),
}

// inEntry returns the corruption of one entry.
func inEntry(corrupt func(spec.Value) spec.Value) func(spec.Value, int) spec.Value {
	return func(state spec.Value, at int) spec.Value {
		entries := slices.Clone(state.Get("fingerprints").Items())
		entries[at] = corrupt(entries[at])
		return state.With("fingerprints", spec.ArrayValue(entries...))
	}
}

func TestCorruptStateIsRefusedWholeAndChangesNothing(t *testing.T) {
	t.Parallel()
	trace := []call{{worker: "w1"}, {class: 2, worker: "w1"}, {class: 2, worker: "w2"}, {class: 3, worker: "w2"}}
	l := rules.Limits{Threshold: 2, MinWorkers: 2}
	sound := after(l, trace).Snapshot()
	for name, corrupt := range corruptions {
		for at := range sound.Get("fingerprints").Items() {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				t.Parallel()
				refuses(t, after(l, trace[1:]), corrupt(sound, at))
			})
		}
	}
}

// refuses checks that neither restore nor merge takes the state, and that restore leaves the detector as it was.
func refuses(t *testing.T, d detectortest.Session, state spec.Value) {
	before := d.Snapshot()
	if fault, ok := d.Restore(state).(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
		t.Errorf("restore %s: got %v", state, fault)
	}
	if got := d.Snapshot(); got.String() != before.String() {
		t.Errorf("the refused state changed %s to %s", before, got)
	}
	if got := d.Observe(call{class: 2, worker: "w1"}.event(9)).Evidence; !slices.Equal(got, []int{0, 1, 9}) {
		t.Errorf("evidence after the refusal: %v", got)
	}
	if _, err := merge(before, state); err == nil {
		t.Errorf("merge took %s", state)
	}
}

func TestRestoreAtTheLargestCount(t *testing.T) {
	t.Parallel()
	const state = `{"fingerprints":[{"fingerprint":"bash:file_read:a.go","tool":"bash","count":9007199254740991,"workers":["w"]}]}`
	d := after(rules.Limits{Threshold: 10, MinWorkers: 2}, nil)
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
