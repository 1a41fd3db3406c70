package stream

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWhatIsNotSearchedHoldsNoChunk shows that the rule chunk finds after each character what it finds if it searches
// after each: in texts with fences and elements, which empty the recorded text or cut it.
func TestWhatIsNotSearchedHoldsNoChunk(t *testing.T) {
	t.Parallel()
	pieces := rapid.SampledFrom([]string{"a", "b", "ab", "abc", "aab", "\n", "\n- ", "\n* ", "```", "```\n", " ", "|", "é"})
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			ChunkSize: rapid.IntRange(1, 8).Draw(t, "size"), ChunkCopies: rapid.IntRange(1, 4).Draw(t, "copies"),
			ChunkDistance: rapid.IntRange(1, 20).Draw(t, "distance"), ChunkTexts: rapid.IntRange(1, 3).Draw(t, "texts"),
		}
		usual, thorough := c.emptyChunk(), c.emptyChunk()
		for i, piece := range rapid.SliceOfN(pieces, 1, 60).Draw(t, "text") {
			for _, r := range piece {
				thorough.search = search{}
				got, want := c.chunk(&usual, r), c.chunk(&thorough, r)
				if got.Loop != want.Loop || got.back != want.back {
					t.Fatalf("in piece %d: got %+v, want %+v", i, got, want)
				}
			}
		}
	})
}
