package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

var (
	failedWords = newVocabulary("failed", "failing")
	testWord    = newVocabulary("test")
)

// maxNames is how many names of failing tests a signature holds (D2#edge-case-similar-but-different).
const maxNames = 2

// testRule reads "<n> tests failed", what follows it on its line, and gives the count, or the file, and the names.
func testRule(s string, log *spec.ClauseLog) (string, bool) { // SG-21
	log.Apply("SG-21")
	for start, end := failedWords.nextWhole(s, 0); start >= 0; start, end = failedWords.nextWhole(s, end) {
		n := failuresBefore(s[:start])
		if n == "" {
			continue
		}
		log.Apply("SG-22")
		return failureSignature(n, s[end:jstext.LineEnd(s, end)], log), true
	}
	return "", false
}

// failuresBefore returns the number in "<n>", "<n> test" or "<n> tests" at the end of s, followed by a blank; an
// empty text where s does not end so.
func failuresBefore(s string) string {
	s, ok := cutBlank(s)
	if !ok {
		return ""
	}
	if before, isTest := cutTestWord(s); isTest {
		if before, ok := cutBlank(before); ok {
			s = before
		}
	}
	start := len(s)
	for start > 0 && isDigit(s[start-1]) {
		start--
	}
	if start == len(s) || s[start] == '0' || endsInWord(s[:start]) {
		return ""
	}
	return s[start:]
}

// failureSignature returns the signature of n failures from what follows them on their line.
func failureSignature(n, rest string, log *spec.ClauseLog) string { // SG-22
	if strings.HasPrefix(rest, ":") {
		start := jstext.SkipBlank(rest, 1)
		end := jstext.SkipText(rest, start)
		if names := namesAfterDash(rest[end:], log); names != "" && start < end {
			return rest[start:end] + ":" + names
		}
	} else if names := namesAfterDash(rest, log); names != "" {
		return "test-fail:" + n + "-" + names
	}
	return "test-fail:" + n
}

// namesAfterDash reads " - <a>, <b>…" and returns the first names, joined; an empty text where there is none.
func namesAfterDash(s string, log *spec.ClauseLog) string { // SG-23
	list, ok := afterDash(s)
	if !ok {
		return ""
	}
	log.Apply("SG-23")
	var names []string
	for item := range strings.SplitSeq(list, ",") {
		if name := testName(item); name != "" {
			names = append(names, name)
		}
		if len(names) == maxNames {
			break
		}
	}
	return strings.Join(names, ",")
}

// testName returns the words of an item but for the word test, joined.
func testName(item string) string {
	var words []string
	for _, word := range piecesOf(item) {
		if !testWord.has(word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, "-")
}
