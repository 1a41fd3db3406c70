package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

var (
	doneVerbs    = newVocabulary("added", "removed", "fixed", "updated", "changed", "refactored")
	prepositions = newVocabulary("for", "to", "in", "from", "at", "of", "on", "with")
)

// changeRule reads "Modified <file>" and, anywhere after it, "added <phrase>".
func changeRule(s string, log *spec.ClauseLog) (string, bool) { // SG-25
	log.Apply("SG-25")
	for start, end := changeVerbs.nextWhole(s, 0); start >= 0; start, end = changeVerbs.nextWhole(s, end) {
		from := jstext.SkipBlank(s, end)
		if from == end {
			continue
		}
		file := sourceFile(s[from:jstext.SkipText(s, from)])
		if file == "" {
			continue
		}
		return file + ":" + donePhrase(s[from+len(file):], log), true
	}
	return "", false
}

// sourceFile returns the longest beginning of the text, which has no white space, that ends in an extension and is not
// followed by more of a word; an empty text where there is none.
func sourceFile(text string) string {
	for i := len(text) - len(".ts"); i > 0; i-- {
		end := i + len(".ts")
		if hasExtension(text[i:]) && wordLength(text[end:]) == 0 {
			return text[:end]
		}
	}
	return ""
}

// donePhrase returns the phrase of the first verb that has one, "modified" where none has.
func donePhrase(s string, log *spec.ClauseLog) string { // SG-26
	for start, end := doneVerbs.nextWhole(s, 0); start >= 0; start, end = doneVerbs.nextWhole(s, end) {
		log.Apply("SG-27")
		if words := phrase(s[end:]); len(words) > 0 {
			log.Apply("SG-26")
			return strings.Join(words, "-")
		}
	}
	log.Apply("SG-26")
	return "modified"
}

// phrase returns the words at the beginning of s, each after blanks, up to a preposition, punctuation or the end of
// the line.
func phrase(s string) []string { // SG-27
	var words []string
	for {
		start := jstext.SkipBlank(s, 0)
		end := start + hyphenatedLength(s[start:])
		if start == 0 || start == end || prepositions.has(s[start:end]) {
			return words
		}
		words = append(words, s[start:end])
		s = s[end:]
	}
}

// hyphenatedLength returns the length of the word that s begins with, hyphens between two of its characters included;
// 0 where s begins with none.
func hyphenatedLength(s string) int {
	length := wordLength(s)
	for length > 0 && strings.HasPrefix(s[length:], "-") {
		more := wordLength(s[length+1:])
		if more == 0 {
			break
		}
		length += 1 + more
	}
	return length
}
