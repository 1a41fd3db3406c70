package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	rules "github.com/loopstone/loopstone/reference/signature"
)

// The words of the shapes.
var (
	failedWords  = newVocabulary("failed", "failing")
	searchedWord = newVocabulary("searched")
	doneVerbs    = newVocabulary("added", "removed", "fixed", "updated", "changed", "refactored")
)

// prose is the extraction of the reading text in time proportional to the output: it finds the shapes by their words.
func prose(output string) string { // SG-17
	for _, rule := range []func(string) (string, bool){errorRule, testRule, searchRule, changeRule} {
		if signature, ok := rule(output); ok {
			return signature
		}
	}
	return rules.Beginning(output) // SG-28
}

// errorRule reads "Error: <Type> - <message> at <place>".
func errorRule(s string) (string, bool) { // SG-18
	for start, end := errorWord.nextWhole(s, 0); start >= 0; start, end = errorWord.nextWhole(s, end) {
		typ, rest := errorType(s, end)
		if typ == "" { // SG-28
			continue
		}
		lineEnd := jstext.LineEnd(s, rest)
		message, place, ok := messageAndPlace(s[rest:lineEnd])
		if !ok {
			// What fails is that the line has no place, so no other error on it has one: looking at each of them
			// would take the square of a long line.
			end = lineEnd
			continue
		}
		return rules.ErrorSignature(typ, message, place), true
	}
	return "", false
}

// errorType returns the type of an error whose word ends at from, and where the type ends; an empty type if the shape
// does not go on.
func errorType(s string, from int) (typ string, end int) {
	if !strings.HasPrefix(s[from:], ":") {
		return "", from
	}
	start := jstext.SkipBlank(s, from+1)
	end = start + asciiWordLength(s[start:])
	next := jstext.SkipBlank(s, end)
	if next == end { // a letter outside ASCII, punctuation or the end of the line
		return "", end
	}
	piece := s[next:jstext.SkipText(s, next)]
	if piece != "-" && !rules.IsAnyOf(piece, "at") {
		return "", end
	}
	return s[start:end], end
}

// messageAndPlace splits what follows the type, which begins with the piece "-" or "at", at the last "at" that has a
// place after it. The "-" may stay with the message: it has no word.
func messageAndPlace(line string) (message []string, place string, ok bool) { // SG-19, SG-20
	pieces := rules.PiecesOf(line)
	for i := len(pieces) - 2; i >= 0; i-- {
		if !rules.IsAnyOf(pieces[i], "at") {
			continue
		}
		if pieces[0] == "-" {
			message = pieces[:i]
		}
		return message, pieces[i+1], true
	}
	return nil, "", false
}

// testRule reads "<n> tests failed", what follows it on its line, and gives the count, or the file, and the names.
func testRule(s string) (string, bool) { // SG-21
	for start, end := failedWords.nextWhole(s, 0); start >= 0; start, end = failedWords.nextWhole(s, end) {
		n := failuresBefore(s[:start])
		if n == "" {
			continue
		}
		return rules.FailureSignature(n, s[end:jstext.LineEnd(s, end)]), true
	}
	return "", false
}

// failuresBefore returns the number in "<n>", "<n> test" or "<n> tests" at the end of s; an empty text where s does not
// end so. It assumes that s ends in no word character, so that a blank follows the number.
func failuresBefore(s string) string { // SG-21
	s = trimBlank(s)
	if before := cutTestWord(s); before != trimBlank(before) {
		s = trimBlank(before)
	}
	start := len(strings.TrimRight(s, "0123456789"))
	if start == len(s) || s[start] == '0' || endsInWord(s[:start]) {
		return ""
	}
	return s[start:]
}

func trimBlank(s string) string { return strings.TrimRightFunc(s, jstext.IsBlank) }

// searchRule reads "Searched … '<query>'".
func searchRule(s string) (string, bool) { // SG-24
	for start, end := searchedWord.nextWhole(s, 0); start >= 0; start, end = searchedWord.nextWhole(s, end) {
		lineEnd := jstext.LineEnd(s, end)
		_, quoted, _ := strings.Cut(s[end:lineEnd], "'")
		query, _, closed := strings.Cut(quoted, "'")
		if query != "" && closed {
			return rules.SearchSignature(query), true
		}
		// Before the apostrophe that did not do, no other word of this line can do better.
		end = lineEnd
		if closed {
			end = lineEnd - len(quoted)
		}
	}
	return "", false
}

// changeRule reads "Modified <file>" and, anywhere after it, "added <phrase>".
func changeRule(s string) (string, bool) { // SG-25
	for start, end := changeVerbs.nextWhole(s, 0); start >= 0; start, end = changeVerbs.nextWhole(s, end) {
		from := jstext.SkipBlank(s, end)
		if from == end {
			continue
		}
		file := sourceFile(s[from:jstext.SkipText(s, from)])
		if file == "" {
			continue
		}
		return file + ":" + donePhrase(s[from+len(file):]), true
	}
	return "", false
}

// sourceFile returns the longest beginning of the text, which has no white space, that ends in an extension and is not
// followed by more of a word; an empty text where there is none.
func sourceFile(text string) string {
	for i := len(text) - len(".ts"); i > 0; i-- {
		end := i + len(".ts")
		if hasExtension(text[i:]) && rules.WordLength(text[end:]) == 0 {
			return text[:end]
		}
	}
	return ""
}

// donePhrase returns the phrase of the first verb that has a phrase; "modified" if no verb has one.
func donePhrase(s string) string { // SG-26
	for start, end := doneVerbs.nextWhole(s, 0); start >= 0; start, end = doneVerbs.nextWhole(s, end) {
		if words := rules.Phrase(s[end:]); len(words) > 0 {
			return strings.Join(words, "-")
		}
	}
	return "modified"
}
