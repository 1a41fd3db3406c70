package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisibleEscapesWhatNobodySees(t *testing.T) {
	tests := []struct{ reason, text, want string }{
		{"plain text stays", "Größe 大小 😀 e\u0301 \\n", "Größe 大小 😀 e\u0301 \\n"},
		{"line ends stay", "a\nb", "a\nb"},
		{"a terminal would obey", "\x1b[31m", `\x1b[31m`},
		{"XML cannot hold it", "\x00", `\x00`},
		{"it hides what stood before", "a\rb", `a\rb`},
		{"it turns the text around", "\u202e", `\u202e`},
		{"it looks like a space", "\u00a0", `\u00a0`},
		{"no UTF-8", "a\xffb", `a\xffb`},
		{"the replacement character is one like others", "\ufffd", "\ufffd"},
	}
	for _, test := range tests {
		if got := visible(test.text); got != test.want {
			t.Errorf("%s: visible(%q) = %q, want %q", test.reason, test.text, got, test.want)
		}
	}
}

func TestVisibleLeavesNothingToHideAndIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := visible(rapid.OneOf(rapid.String(), hostileText(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).Draw(t, "text"))
		if !utf8.ValidString(text) || strings.ContainsFunc(text, isHidden) || visible(text) != text {
			t.Fatalf("%q", text)
		}
	})
}

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

func TestWrapKeepsEveryWordAndTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab  ä\n")), 0, 100, -1).Draw(t, "text")
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		lines := wrap(text, limit)
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > limit || n == 0 {
				t.Fatalf("a line of %d characters: %q", n, line)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if squeeze(strings.Join(lines, "")) != squeeze(text) {
			t.Fatalf("%q became %q", text, lines)
		}
	})
}
