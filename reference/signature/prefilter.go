package signature

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An output may have a megabyte, and a search for a pattern looks at each of its characters several times. What stands
// here finds out in a hundredth of the time that there is nothing to be found, or where it must begin.

// containing returns the output if it contains one of the words, which are in lower case and stand for either case.
// Otherwise it returns an empty text: a pattern that needs one of the words finds nothing in either.
func containing(output string, words ...string) string {
	lower := strings.ToLower(output)
	if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(lower, word) }) {
		return output
	}
	return ""
}

// fromError returns what the patterns of errors need of an output: all from the first "error" on, in upper or lower
// case, and the four bytes before, since the character directly before it tells whether the word is whole. They may
// begin inside a character, which no pattern then reaches. The text is empty if the word does not occur.
func fromError(output string) string {
	const word = "error"
	for at := range len(output) - len(word) + 1 {
		if isFolded(output[at:at+len(word)], word) {
			return output[max(0, at-utf8.UTFMax):]
		}
	}
	return ""
}
