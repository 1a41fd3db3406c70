// Package jstext holds the rules of text in which JavaScript differs from Go: white space and the ends of lines (SG-5),
// the length of a text (SG-6), and its lower case (SG-7). Document D2 gives its detector as a listing in TypeScript, so
// these rules are part of what the listing does.
//
// No other detector needs this package.
package jstext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// otherSpaces is what a regular expression of JavaScript matches with \s beyond ASCII.
const otherSpaces = "\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A" + // SG-5
	"\u2028\u2029\u202F\u205F\u3000\uFEFF"

// IsSpace reports whether r is white space: what \s matches in JavaScript.
func IsSpace(r rune) bool { // SG-5
	if r < 0x80 {
		return r == ' ' || '\t' <= r && r <= '\r'
	}
	return strings.ContainsRune(otherSpaces, r)
}

// endsLine reports whether r is a line terminator: a character that the dot of a regular expression does not match in
// JavaScript. CR LF is two line terminators.
func endsLine(r rune) bool { // SG-5
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}

// IsBlank reports whether r is white space that does not end a line.
func IsBlank(r rune) bool { return IsSpace(r) && !endsLine(r) }

// LineEnd returns the position of the first line terminator at or after from; len(s) if there is none.
func LineEnd(s string, from int) int {
	return skip(s, from, func(r rune) bool { return !endsLine(r) })
}

// SkipSpace returns the position of the first character at or after from that is not white space; len(s) if there is
// none.
func SkipSpace(s string, from int) int { return skip(s, from, IsSpace) }

// SkipBlank returns the position of the first character at or after from that is not white space or ends the line;
// len(s) if there is none.
func SkipBlank(s string, from int) int { return skip(s, from, IsBlank) }

// SkipText returns the position of the first white space at or after from; len(s) if there is none.
func SkipText(s string, from int) int {
	for i, r := range s[from:] {
		if IsSpace(r) {
			return from + i
		}
	}
	return len(s)
}

func skip(s string, from int, over func(rune) bool) int {
	for i, r := range s[from:] {
		if !over(r) {
			return from + i
		}
	}
	return len(s)
}

// HyphenateSpace replaces each run of white space by one hyphen.
func HyphenateSpace(s string) string { // SG-6, SG-24
	var b strings.Builder
	for i := 0; i < len(s); {
		end := SkipText(s, i)
		b.WriteString(s[i:end])
		if i = SkipSpace(s, end); i > end {
			b.WriteByte('-')
		}
	}
	return b.String()
}

// Prefix returns the first n UTF-16 code units of s, as slice(0, n) does in JavaScript. If the cut would split a
// character of two units, Prefix leaves this character out: Go has no text for half of it.
func Prefix(s string, n int) string { // SG-6
	for i, r := range s {
		if n--; r > 0xFFFF {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}

const (
	capitalSigma = 'Σ'
	smallSigma   = 'σ'
	finalSigma   = 'ς'
	dottedI      = 'İ'
	loweredI     = "i\u0307" // i and a combining dot above
)

// Lower returns s in lower case as JavaScript's toLowerCase does: by the full mapping of Unicode, without the rules of
// any language. İ becomes two characters, and a Σ that ends a word becomes ς.
func Lower(s string) string { // SG-7
	if !strings.ContainsAny(s, "Σİ") {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch r {
		case dottedI:
			b.WriteString(loweredI)
		case capitalSigma:
			b.WriteRune(loweredSigma(s[:i], s[i+utf8.RuneLen(r):]))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// loweredSigma returns what a Σ becomes between two texts: ς if a cased character precedes it and no cased character
// follows it. It skips case-ignorable characters, even if they are cased, too.
func loweredSigma(before, after string) rune { // SG-7
	previous, _ := utf8.DecodeLastRuneInString(strings.TrimRightFunc(before, ignorable))
	next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(after, ignorable))
	if cased(previous) && !cased(next) { // if there is none, it is U+FFFD, which is not cased
		return finalSigma
	}
	return smallSigma
}

// cased is Unicode's property Cased.
func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// ignorablePunctuation is what Unicode's property Case_Ignorable has beyond whole categories: the characters that may
// stand inside a word, such as an apostrophe.
const ignorablePunctuation = "'.:·\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A"

// ignorable is Unicode's property Case_Ignorable.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune(ignorablePunctuation, r)
}
