package conformance

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestExcerptsOfDifferentTextsDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringOfN(rapid.SampledFrom([]rune("ab😀")), 0, 60, -1)
		same := strings.Repeat("x", rapid.IntRange(0, 60).Draw(t, "same"))
		a, b := same+piece.Draw(t, "a"), same+piece.Draw(t, "b")
		limit := rapid.IntRange(around+3, 80).Draw(t, "limit")
		x, y := excerpts(a, b, limit)
		if (a == b) != (x == y) {
			t.Fatalf("%q and %q are cut to %q and %q", a, b, x, y)
		}
		if utf8.RuneCountInString(x) > limit || utf8.RuneCountInString(y) > limit {
			t.Fatalf("%q or %q is longer than %d", x, y, limit)
		}
	})
}

// TestARunningTextIsCutAtItsLastLine: the lines that there is room for are filled, and the mark takes none of its own.
func TestARunningTextIsCutAtItsLastLine(t *testing.T) {
	s := &sheet{limits: Explanation{Width: 60}.limits()}
	s.field("clause", strings.Repeat("word ", 60))
	if len(s.lines) != s.limits.lines {
		t.Errorf("%d lines, want %d", len(s.lines), s.limits.lines)
	}
	for i, line := range s.lines {
		if cut := strings.HasSuffix(line, "word …"); cut != (i == len(s.lines)-1) || len([]rune(line)) > 60 {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
}
