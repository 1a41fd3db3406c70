package generate

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// plainTexts are what most texts are: short, and the same again and again.
var plainTexts = []string{"a", "b", "a.py", "src/a.ts", "b.go", "x y", "null", "1", "1.0", "true", "A", ""}

// trickyTexts are where languages differ: in normalization, escaping, case, ordering, white space, and in what they put
// in the place of a pattern.
var trickyTexts = []string{
	"é", "e\u0301", "😀", "\uff5e", "\U00010000", "\x7f", "\x00", "\x1f", "\n", "\r\n", "\t", "\b\f", "\u0085", "\u2028",
	"\"", "~", "\\", "\\n", "\\u0041", "'", "/", "<>&", "{}", "{tool}", "{N}", "{count}", "$&", "$1", "%s", "%d", "Σ", "ΑΣ", "İ", "ı", "ſ",
	"\u212a", "ß", "ǅ", "\ufeff", "\u00a0", "\ufffd", "\U000e0100", " ", " a", "a ", "a  b", "0", "-0", "1e5",
	"constructor", "__proto__", "toString", "undefined", "NaN", "[]", "None",
}

// longStart begins the long texts: who compares or hashes only the beginning of a text takes them for equal.
var longStart = strings.Repeat("0123456789abcdef", 4)

// text returns any text.
func (d dice) text() string {
	switch {
	case d.maybe():
		return pick(d, plainTexts)
	case d.maybe():
		return pick(d, trickyTexts)
	case d.oneIn(4):
		return longStart + pick(d, plainTexts)
	default:
		return d.runes(d.between(1, 6))
	}
}

// runes returns n characters from all over Unicode.
func (d dice) runes(n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(d.rune())
	}
	return b.String()
}

// asciiTexts are those for places where a port may write other characters as it likes.
var asciiTexts = []string{
	"a", "b", "", "it's", `say "x"`, `it's "x"`, `back\slash`, "two\nlines", "tab\tand\rreturn", "{}", "%s", "a b", "~!@#$%^&*()",
}

// ascii returns a text of printable ASCII, tabs and ends of lines.
func (d dice) ascii() string {
	if d.oneIn(8) {
		return longStart + strings.Repeat("x", d.between(30, 40))
	}
	return pick(d, asciiTexts)
}

// cutAt is where the signatures cut a text, in UTF-16 units.
const cutAt = 50

// uncut returns the text, or the text after one more character where the cut would part a surrogate pair.
func uncut(text string) string {
	if len(text) < cutAt {
		return text
	}
	units := 0
	for _, r := range text {
		if units++; r > 0xFFFF {
			units++
		}
		if units == cutAt {
			return text
		}
		if units > cutAt {
			return "x" + text
		}
	}
	return text
}

// units returns the length in UTF-16 units.
func units(text string) int {
	n := utf8.RuneCountInString(text)
	for _, r := range text {
		if utf16.RuneLen(r) == 2 {
			n++
		}
	}
	return n
}
