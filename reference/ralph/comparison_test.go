package ralph

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/spec"
)

// nearTexts draws two texts of which the second is often a small change of the first, longer than one machine word.
func nearTexts(t *rapid.T) (a, b []rune) {
	alphabet := []rune(rapid.SampledFrom([]string{"ab", "abcdefgh ", "aé中😀"}).Draw(t, "alphabet"))
	letters := func(n int, label string) []rune {
		return rapid.SliceOfN(rapid.SampledFrom(alphabet), n, n).Draw(t, label)
	}
	a = letters(rapid.IntRange(0, 200).Draw(t, "length"), "a")
	if rapid.Bool().Draw(t, "unrelated") {
		return a, letters(rapid.IntRange(0, 200).Draw(t, "length of b"), "b")
	}
	b = slices.Clone(a)
	for range rapid.IntRange(0, 20).Draw(t, "edits") {
		at := rapid.IntRange(0, len(b)).Draw(t, "at")
		if at < len(b) && rapid.Bool().Draw(t, "delete") {
			b = slices.Delete(b, at, at+1)
		} else {
			b = slices.Insert(b, at, letters(1, "insert")...)
		}
	}
	return a, b
}

// commonByTable returns the length of the longest common subsequence of two texts, by the table that textbooks fill.
func commonByTable(a, b []rune) int {
	row := make([]int, len(b)+1) // row[j]: what a has in common with the first j code points of b, as far as a was read
	for _, x := range a {
		above := row
		row = make([]int, len(b)+1)
		for j, y := range b {
			if x == y {
				row[j+1] = above[j] + 1
			} else {
				row[j+1] = max(above[j+1], row[j])
			}
		}
	}
	return row[len(b)]
}

func TestComparisonFindsWhatTheTableFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := nearTexts(t)
		want := commonByTable(a, b)
		var c comparison
		if got := c.common(a, b, 0); got != want {
			t.Fatalf("common(%q, %q) = %d, want %d", string(a), string(b), got, want)
		}
		least := rapid.IntRange(max(want-3, 0), want+3).Draw(t, "least")
		got := c.common(a, b, least)
		if want >= least && got != want || want < least && got >= least {
			t.Fatalf("common(%q, %q, at least %d) = %d, want %d", string(a), string(b), least, got, want)
		}
	})
}

// BenchmarkLongOutputs observes outputs of 100 KB that have little in common: the worst case, since nothing is shared
// at their ends and every comparison goes all the way.
func BenchmarkLongOutputs(b *testing.B) {
	d := detectortest.Open(b, spec.Ralph, New, spec.Text, spec.Value{})
	texts := make([]string, 7)
	for i := range texts {
		texts[i] = scrambled(uint32(i), 100_000)
	}
	for i := 0; b.Loop(); i++ {
		d.Observe(spec.Event{Type: spec.Output, Text: texts[i%len(texts)], Index: i})
	}
}

func scrambled(seed uint32, n int) string {
	var s strings.Builder
	for x := seed*2654435761 + 1; s.Len() < n; x = x*1664525 + 1013904223 {
		s.WriteByte("abcdefghijklmnopqrstuvwxyz     .\n"[x>>24%32%33])
	}
	return s.String()
}
