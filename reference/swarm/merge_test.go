package swarm_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

var empty = spec.MustParse(`{"fingerprints":[]}`)

// merged returns the merge of states that must be sound.
func merged(t *rapid.T, states ...spec.Value) spec.Value {
	sum, err := merge(states...)
	if err != nil {
		t.Fatalf("merge %v: %v", states, err)
	}
	return sum
}

// wantSame compares two states as texts: their order is fixed, too.
func wantSame(t *rapid.T, law string, a, b spec.Value) {
	if a.String() != b.String() {
		t.Fatalf("%s: %s\nis not %s", law, a, b)
	}
}

func state(t *rapid.T) spec.Value {
	return after(swarm.Limits{Threshold: 10, MinWorkers: 2}, calls(t)).Snapshot()
}

func TestMergeIsCommutativeAssociativeAndHasANeutralState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := state(t), state(t), state(t)
		wantSame(t, "commutative", merged(t, a, b), merged(t, b, a))
		wantSame(t, "associative", merged(t, merged(t, a, b), c), merged(t, a, merged(t, b, c)))
		wantSame(t, "a list at once", merged(t, a, b, c), merged(t, merged(t, a, b), c))
		wantSame(t, "neutral", merged(t, a, empty), a)
		wantSame(t, "alone", merged(t, disordered(t, a)), a)
		wantSame(t, "none", merged(t), empty)
	})
}

func TestMergedPartsAreTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, trace := limits(t), calls(t)
		cut := rapid.IntRange(0, len(trace)).Draw(t, "cut")
		left, right := after(l, trace[:cut]).Snapshot(), after(l, trace[cut:]).Snapshot()
		whole := after(l, trace).Snapshot()
		wantSame(t, "parts", merged(t, disordered(t, left), disordered(t, right)), whole)
	})
}

func TestMergeRefusesAFingerprintOfTwoTools(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := after(swarm.Limits{Threshold: 10, MinWorkers: 2}, append(calls(t), call{})).Snapshot()
		entries := slices.Clone(a.Get("fingerprints").Items())
		at := rapid.IntRange(0, len(entries)-1).Draw(t, "at")
		entries[at] = entries[at].With("tool", spec.StringValue("other"))
		b := a.With("fingerprints", spec.ArrayValue(entries...))
		_, err := merge(a, state(t), b)
		if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
			t.Fatalf("got %v", err)
		}
	})
}
