package jstext

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func TestLower(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, text, want string }{
		{"ASCII", "Read A.TS", "read a.ts"},
		{"no letter", "12 – 中", "12 – 中"},
		{"a dotted I has no single small letter", "İ", "i\u0307"},
		{"a sigma at the end of a word is final", "ΟΔΟΣ", "οδος"},
		{"a sigma inside a word is not", "ΟΔΟΣΑ", "οδοσα"},
		{"a sigma alone is not", "Σ Σ", "σ σ"},
		{"an apostrophe is passed over on both sides", "Α'Σ'Α Α'Σ'", "α'σ'α α'ς'"},
		{"a digit is not passed over", "Α1Σ ΑΣ1Α", "α1σ ας1α"},
		{"a modifier letter is passed over, though it is cased", "ʰΣ ΑΣʰ", "ʰσ αςʰ"},
		{"an iota subscript is passed over, though it is cased", "\u0345Σ", "\u0345σ"},
		{"an ordinal indicator is cased and not passed over", "ªΣ ΑΣª", "ªς ασª"},
		{"a letter beyond the basic plane is cased", "\U00010400Σ", "\U00010428ς"},
		{"a soft hyphen is passed over", "Α\u00adΣ", "α\u00adς"},
	} {
		if got := Lower(test.text); got != test.want {
			t.Errorf("%s: Lower(%q) = %q, want %q", test.reason, test.text, got, test.want)
		}
	}
}

func TestSpaceIsJavaScripts(t *testing.T) {
	t.Parallel()
	const want = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	var got strings.Builder
	for r := range rune(0x110000) {
		if IsSpace(r) {
			got.WriteRune(r)
		}
	}
	if got.String() != want {
		t.Errorf("white space is %q, want %q", got.String(), want)
	}
}

func TestPrefixIsTheFirstUnits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("aé中😀"))).Draw(t, "text")
		n := rapid.IntRange(0, 12).Draw(t, "units")
		units := utf16.Encode([]rune(s))
		units = units[:min(n, len(units))]
		if end := len(units); end > 0 && utf16.IsSurrogate(rune(units[end-1])) && units[end-1] < 0xDC00 {
			units = units[:end-1] // half a character is left out
		}
		if got, want := Prefix(s, n), string(utf16.Decode(units)); got != want {
			t.Fatalf("Prefix(%q, %d) = %q, want %q", s, n, got, want)
		}
	})
}

func TestLineEndIsTheFirstTerminator(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab\n\r\u2028\u2029\u2027\u202a中"))).Draw(t, "text")
		want := len(s)
		if i := strings.IndexFunc(s, endsLine); i >= 0 {
			want = i
		}
		if got := LineEnd(s, 0); got != want {
			t.Fatalf("LineEnd(%q, 0) = %d, want %d", s, got, want)
		}
	})
}

func TestHyphenateSpaceLeavesNoSpace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab \n\u3000\ufeff中"))).Draw(t, "text")
		got := HyphenateSpace(s)
		if strings.ContainsFunc(got, IsSpace) || strings.Contains(got, "--") {
			t.Fatalf("HyphenateSpace(%q) = %q", s, got)
		}
		if words := strings.FieldsFunc(s, IsSpace); strings.Trim(got, "-") != strings.Join(words, "-") {
			t.Fatalf("HyphenateSpace(%q) = %q, want the words %q", s, got, words)
		}
	})
}
