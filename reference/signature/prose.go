package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

// prose is the extraction of the text reading: the signatures that D2 shows, from outputs such as it shows
// (D2#signature-extraction). The first rule whose shape is in the output decides.
func prose(output string, log *spec.ClauseLog) string { // SG-17
	log.Apply("SG-5")
	log.Apply("SG-17")
	for _, rule := range []func(string, *spec.ClauseLog) (string, bool){errorRule, testRule, searchRule, changeRule} {
		if signature, ok := rule(output, log); ok {
			return signature
		}
	}
	log.Apply("SG-28")
	return normalized(output, log)
}

// piecesOf splits a line at its blanks.
func piecesOf(line string) []string { return strings.FieldsFunc(line, jstext.IsSpace) }

// cutBlank returns s without the blanks that it ends in and whether there were any.
func cutBlank(s string) (string, bool) {
	cut := strings.TrimRightFunc(s, jstext.IsBlank)
	return cut, len(cut) < len(s)
}

// afterDash returns what follows a hyphen that stands between blanks at the beginning of s, and whether one does.
func afterDash(s string) (string, bool) {
	dash := jstext.SkipBlank(s, 0)
	if dash == 0 || !strings.HasPrefix(s[dash:], "-") {
		return "", false
	}
	after := jstext.SkipBlank(s, dash+1)
	return s[after:], after > dash+1
}
