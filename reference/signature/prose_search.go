package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

var searchedWord = newVocabulary("searched")

// searchRule reads "Searched … '<query>'".
func searchRule(s string, log *spec.ClauseLog) (string, bool) { // SG-24
	log.Apply("SG-24")
	for start, end := searchedWord.nextWhole(s, 0); start >= 0; start, end = searchedWord.nextWhole(s, end) {
		lineEnd := jstext.LineEnd(s, end)
		_, quoted, opened := strings.Cut(s[end:lineEnd], "'")
		query, _, closed := strings.Cut(quoted, "'")
		if query != "" && closed {
			log.Apply("SG-7")
			return "search:" + jstext.HyphenateSpace(jstext.Lower(query)), true
		}
		// Before the apostrophe that did not do, no other word of this line can do better.
		end = lineEnd
		if opened && closed {
			end = lineEnd - len(quoted)
		}
	}
	return "", false
}
