package signature

import (
	"slices"
	"sync"
	"unicode/utf8"

	rules "github.com/loopstone/loopstone/reference/signature"
)

// vocabulary is a set of ASCII words in lower case that a pattern looks for in any case. Letters outside ASCII never
// match, though Unicode folds two of them to s and k.
//
// Outputs may be long and hold none of the words, so the search does not look at each byte: one pair of letters in
// every stride is enough, where the stride is so short that no word fits in without one of these pairs.
type vocabulary struct {
	words   []string
	indexed sync.Once // what follows is made when it is first needed
	stride  int
	pairs   [1024]bool // the pairs of letters that a word may have at one of its first stride places
}

func newVocabulary(words ...string) *vocabulary { return &vocabulary{words: words} }

func (v *vocabulary) index() {
	shortest := slices.MinFunc(v.words, func(a, b string) int { return len(a) - len(b) })
	v.stride = len(shortest) - 1
	for _, word := range v.words {
		for i := range v.stride {
			v.pairs[pairOf(word[i], word[i+1])] = true
		}
	}
}

// pairOf numbers two letters, their case aside. Other bytes share numbers with letters: a pair only says where it is
// worth to look.
func pairOf(a, b byte) int { return int(a&0x1F)<<5 | int(b&0x1F) }

// next returns where the first of the words at or after from begins and ends, even within a longer word; -1 if none
// follows.
func (v *vocabulary) next(s string, from int) (start, end int) {
	v.indexed.Do(v.index)
	for i := from + v.stride - 1; i+1 < len(s); i += v.stride {
		if !v.pairs[pairOf(s[i], s[i+1])] {
			continue
		}
		if start, end = v.around(s, i); start >= 0 {
			return start, end
		}
	}
	return -1, -1
}

// around is next for words with one of their first stride letters at i.
func (v *vocabulary) around(s string, i int) (start, end int) {
	for start := i - v.stride + 1; start <= i; start++ {
		for _, word := range v.words {
			if rules.StartsFolded(s[start:], word) {
				return start, start + len(word)
			}
		}
	}
	return -1, -1
}

// nextWhole is next for words that are not part of a longer word.
func (v *vocabulary) nextWhole(s string, from int) (start, end int) {
	for start, end = v.next(s, from); start >= 0; start, end = v.next(s, end) {
		if !endsInWord(s[:start]) && rules.WordLength(s[end:]) == 0 {
			return start, end
		}
	}
	return -1, -1
}

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s) // U+FFFD of an empty text, which is none
	return rules.IsWordRune(r)
}

// asciiWordLength returns the length of what \w+ of JavaScript matches at the beginning of s.
func asciiWordLength(s string) int {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return i
		}
	}
	return len(s)
}

// isWordByte is \w of JavaScript.
func isWordByte(b byte) bool {
	return b < utf8.RuneSelf && rules.IsWordRune(rune(b))
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
