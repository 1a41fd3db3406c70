package wording

import (
	"encoding/json"
	"slices"
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
		if got := Visible(test.text); got != test.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", test.reason, test.text, got, test.want)
		}
	}
}

func TestVisibleLeavesNothingToHideAndIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := Visible(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()),
			func(b []byte) string { return string(b) })).Draw(t, "text"))
		if !utf8.ValidString(text) || strings.ContainsFunc(text, isHidden) || Visible(text) != text {
			t.Fatalf("%q", text)
		}
	})
}

func TestJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.SampledFrom([]rune{0x7f, 0x9b, 0xa0, 0x2028, 0x202e, 0xe0001, 0x10ffff, 'a', 'é', '😀', 0x1b})
		want := rapid.OneOf(rapid.String(), rapid.StringOf(odd)).Draw(t, "text")
		text, err := json.MarshalIndent(map[string]string{want: want}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		shown := VisibleJSON(text)
		var got map[string]string
		if err := json.Unmarshal(shown, &got); err != nil || got[want] != want {
			t.Fatalf("%q became %q: %v", text, shown, err)
		}
		if strings.ContainsFunc(string(shown), isHidden) {
			t.Fatalf("something is hidden in %q", shown)
		}
	})
}

func TestShortenedSaysHowMuchThereWas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "ääää": "ääää", "äbcde": "äbcd… (5 characters)", "abc": "abc"} {
		if got := Shortened(text, 4); got != want {
			t.Errorf("%q is shortened to %q, want %q", text, got, want)
		}
	}
}

func TestCutLeavesSomethingAtAnyWidth(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]string{-3: "…", 0: "…", 1: "…", 2: "ä…", 3: "äbc", 9: "äbc"} {
		if got := Cut("äbc", limit); got != want {
			t.Errorf("Cut to %d is %q, want %q", limit, got, want)
		}
	}
}

func TestWrapKeepsEveryWordAndTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab  ä\n")), 0, 100, -1).Draw(t, "text")
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		lines := Wrap(text, limit)
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

func TestHangBreaksALongWordBehindItsLastSlash(t *testing.T) {
	t.Parallel()
	got := Hang("see /home/me/logs/run.jsonl or abcdefghij", 10, 8)
	want := []string{"see", "/home/", "me/logs/", "run.json", "l or", "abcdefgh", "ij"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
