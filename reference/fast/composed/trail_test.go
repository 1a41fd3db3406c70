package composed

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// TestATrailNamesTheLatestAndTakesNothingBack holds a trail against a list that keeps all, be its indices late or not. What it
// has lent stays as it was, whatever is added or forgotten later.
func TestATrailNamesTheLatestAndTakesNothingBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var tr trail
		var all []int
		var lent, was [][]int
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			for range rapid.IntRange(0, 2*spec.MaxEvidence).Draw(t, "added") {
				index := len(all) + rapid.SampledFrom([]int{0, 0, 0, 0, -2}).Draw(t, "late")
				tr.add(index)
				all = append(all, index)
			}
			n := rapid.IntRange(0, min(len(all), spec.MaxEvidence)).Draw(t, "wanted")
			got, want := tr.last(n), slices.Sorted(slices.Values(all[len(all)-n:]))
			if !slices.Equal(got, want) {
				t.Fatalf("the last %d are %v, want %v", n, got, want)
			}
			lent, was = append(lent, got), append(was, want)
			if rapid.IntRange(0, 4).Draw(t, "forget") == 0 {
				tr.forget()
				all = nil
			}
		}
		for i := range lent {
			if !slices.Equal(lent[i], was[i]) {
				t.Fatalf("what was lent has changed: %v, it was %v", lent[i], was[i])
			}
		}
	})
}
