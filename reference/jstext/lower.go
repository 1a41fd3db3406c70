package jstext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	capitalSigma = 'Σ'
	smallSigma   = 'σ'
	finalSigma   = 'ς'
	dottedI      = 'İ'
	loweredI     = "i\u0307" // i and a combining dot above
)

// Lower returns s in lower case as JavaScript's toLowerCase has it: the full mapping of Unicode, in which İ becomes two
// characters and a Σ that ends a word becomes ς. No language's own rules apply.
func Lower(s string) string {
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

// loweredSigma returns what a Σ becomes between two texts: ς after a cased character and not before one. Characters
// that Unicode calls case-ignorable do not count, be they cased too.
func loweredSigma(before, after string) rune {
	if endsCased(before) && !startsCased(after) {
		return finalSigma
	}
	return smallSigma
}

func startsCased(s string) bool {
	for _, r := range s {
		if !ignorable(r) {
			return cased(r)
		}
	}
	return false
}

func endsCased(s string) bool {
	for s != "" {
		r, size := utf8.DecodeLastRuneInString(s)
		if !ignorable(r) {
			return cased(r)
		}
		s = s[:len(s)-size]
	}
	return false
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
