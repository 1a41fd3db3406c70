package history

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFirstIsWhatCountingFinds compares the ranking with a count of the whole window, over windows that are long enough
// for a deep heap and for keys that come and go.
func TestFirstIsWhatCountingFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size, keys := rapid.IntRange(1, 60).Draw(t, "size"), rapid.IntRange(1, 40).Draw(t, "keys")
		above := rapid.SampledFrom([]int{0, 1, 2, 5}).Draw(t, "above")
		r := newRanking[int]()
		var calls []int
		for number := range rapid.IntRange(0, 200).Draw(t, "calls") {
			if number >= size {
				r.remove(calls[number-size])
			}
			key := rapid.IntRange(0, keys-1).Draw(t, "key")
			calls = append(calls, key)
			r.add(key, number, above)
			first := r.first()
			oldest := max(0, len(calls)-size)
			count, place := countAll(calls[oldest:])
			want := standing{}
			if count > above {
				want = standing{count: count, latest: oldest + place, above: above}
			}
			if first != want {
				t.Fatalf("%v in a window of %d: got %+v, want %+v", calls, size, first, want)
			}
		}
	})
}

// countAll returns the highest count and the latest place of a key that has it.
func countAll(window []int) (count, latest int) {
	counts := map[int]int{}
	for _, key := range window {
		counts[key]++
	}
	for i, key := range window {
		if counts[key] >= count {
			count, latest = counts[key], i
		}
	}
	return count, latest
}
