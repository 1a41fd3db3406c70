package memory_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// TestATrailTakesNothingBack holds a trail against a list that keeps all. What it has given out stays as it was,
// whatever is added or forgotten later.
func TestATrailTakesNothingBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var trail memory.Trail
		var all []int
		var given, was [][]int
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			for range rapid.IntRange(0, 2*spec.MaxEvidence).Draw(t, "added") {
				trail.Add(len(all))
				all = append(all, len(all))
			}
			n := rapid.IntRange(0, len(all)).Draw(t, "wanted")
			got, want := trail.Last(n), all[len(all)-min(n, spec.MaxEvidence):]
			if !slices.Equal(got, want) {
				t.Fatalf("the last %d are %v, want %v", n, got, want)
			}
			given, was = append(given, got), append(was, slices.Clone(want))
			if rapid.IntRange(0, 4).Draw(t, "forget") == 0 {
				trail = memory.Trail{}
				all = nil
			}
		}
		for i := range given {
			if !slices.Equal(given[i], was[i]) {
				t.Fatalf("what was given out has changed: %v, it was %v", given[i], was[i])
			}
		}
	})
}

// TestATrailMakesNoCopy makes sure that a verdict in a long loop costs what one in a short loop does.
func TestATrailMakesNoCopy(t *testing.T) {
	var trail memory.Trail
	for i := range spec.MaxEvidence {
		trail.Add(i)
	}
	if n := testing.AllocsPerRun(100, func() { trail.Last(spec.MaxEvidence) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
