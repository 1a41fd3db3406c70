package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	rules "github.com/loopstone/loopstone/reference/signature"
)

// The words of the listing's patterns.
var (
	errorWord   = newVocabulary("error")
	failPart    = newVocabulary("fail")
	changeVerbs = newVocabulary("modified", "changed", "updated", "fixed")
	actionVerbs = newVocabulary("added", "removed", "fixed", "updated", "changed")
)

// extensions are the extensions of the files that both readings know, without dots.
var extensions = []string{"ts", "js", "go", "py"}

// listing is the extraction of the reading code. Each pattern is matched by hand, in time proportional to the output,
// where a backtracking engine needs its square on outputs such as a long line of errors; the pattern stands above the
// function that matches it.
func listing(output string) string { // SG-8
	if word, place, ok := listedError(output); ok {
		return "error:" + word + "-" + place
	}
	if hasFailingTests(output) {
		return "test-fail:" + strings.Join(listedFailures(output), ",")
	}
	if file, ok := listedFile(output); ok {
		return "file:" + file + "-" + listedAction(output)
	}
	return rules.Beginning(output)
}

// listedError matches /Error:?\s*(\w+).*?at\s*(\S+)/i and returns its groups.
//
// The word takes all letters that it can. If no "at" follows it on its line, it gives letters back until it ends before
// its own last "at". So there is a match exactly if an "at" begins after the word's first letter.
func listedError(s string) (word, place string, ok bool) {
	start, end := errorWord.next(s, 0)
	if start < 0 { // most outputs
		return "", "", false
	}
	textEnd := len(strings.TrimRightFunc(s, jstext.IsSpace))
	barren := 0 // no usable "at" between the last word looked at and here
	for ; start >= 0; start, end = errorWord.next(s, end) {
		from := wordAfterColon(s, end)
		if from == len(s) || !isWordByte(s[from]) || from < barren {
			continue
		}
		if findAt(s[:textEnd], from+1) < 0 {
			barren = jstext.LineEnd(s, from)
			continue
		}
		wordEnd := from + asciiWordLength(s[from:])
		at := findAt(s[:textEnd], wordEnd)
		if at < 0 {
			at = lastAt(s[:textEnd], wordEnd)
			wordEnd = at
		}
		placeStart := jstext.SkipSpace(s, at+len("at"))
		return s[from:wordEnd], s[placeStart:jstext.SkipText(s, placeStart)], true
	}
	return "", "", false
}

// wordAfterColon matches :?\s* and returns where it ends.
func wordAfterColon(s string, from int) int {
	if strings.HasPrefix(s[from:], ":") {
		from++
	}
	return jstext.SkipSpace(s, from)
}

// findAt returns where the first "at" at or after from begins that lies on the same line and has text after it; -1 if
// there is none. It assumes that s ends with the last text.
func findAt(s string, from int) int {
	for i := from; i+len("at") < len(s); i++ {
		switch b := s[i]; {
		case b|0x20 == 'a' && s[i+1]|0x20 == 't':
			return i
		case (b == '\n' || b == '\r' || b == 0xE2) && jstext.LineEnd(s[:min(i+3, len(s))], i) == i:
			return -1
		}
	}
	return -1
}

// lastAt returns where the last "at" begins that ends at or before end and has text after it. It assumes that there is
// such an "at".
func lastAt(s string, end int) int {
	i := min(end, len(s)-1) - len("at")
	for !rules.StartsFolded(s[i:], "at") {
		i--
	}
	return i
}

// hasFailingTests reports whether /(\d+)\s*(?:tests?\s*)?fail/i matches. It looks backward from each "fail", because
// the pattern does not care how many digits there are.
func hasFailingTests(s string) bool {
	for start, end := failPart.next(s, 0); start >= 0; start, end = failPart.next(s, end) {
		before := strings.TrimRightFunc(s[:start], jstext.IsSpace)
		if endsInDigit(strings.TrimRightFunc(cutTestWord(before), jstext.IsSpace)) {
			return true
		}
	}
	return false
}

func endsInDigit(s string) bool { return s != "" && isDigit(s[len(s)-1]) }

// cutTestWord returns s without "test" or "tests" at its end.
func cutTestWord(s string) string {
	for _, word := range []string{"tests", "test"} {
		if cut := len(s) - len(word); cut >= 0 && rules.StartsFolded(s[cut:], word) {
			return s[:cut]
		}
	}
	return s
}

// listedFailures returns the first two matches of /fail.*?:\s*(\S+)/gi, whole.
func listedFailures(s string) []string {
	var found []string
	textEnd := len(strings.TrimRightFunc(s, jstext.IsSpace))
	for from := 0; len(found) < 2; {
		start, end := failPart.next(s, from)
		if start < 0 {
			break
		}
		lineEnd := jstext.LineEnd(s, end)
		colon := strings.IndexByte(s[end:lineEnd], ':')
		if colon < 0 {
			from = lineEnd
			continue
		}
		after := end + colon + 1
		if after >= textEnd {
			break
		}
		from = jstext.SkipText(s, jstext.SkipSpace(s, after))
		found = append(found, s[start:from])
	}
	return found
}

// listedFile matches /(?:modified|changed|updated|fixed)\s+(\S+\.(?:ts|js|go|py))/i and returns its group.
func listedFile(s string) (string, bool) {
	for start, end := changeVerbs.next(s, 0); start >= 0; start, end = changeVerbs.next(s, end) {
		from := jstext.SkipSpace(s, end)
		if from == end {
			continue
		}
		run := s[from:jstext.SkipText(s, from)]
		for i := len(run) - len(".ts"); i > 0; i-- {
			if hasExtension(run[i:]) {
				return run[:i+len(".ts")], true
			}
		}
	}
	return "", false
}

// hasExtension reports whether s begins with one of the extensions, in any case.
func hasExtension(s string) bool {
	if s[0] != '.' {
		return false
	}
	for _, extension := range extensions {
		if rules.StartsFolded(s[1:], extension) {
			return true
		}
	}
	return false
}

// listedAction returns the second group of /(added|removed|fixed|updated|changed)\s+(\w+)/i, "modified" without a
// match.
func listedAction(s string) string {
	for start, end := actionVerbs.next(s, 0); start >= 0; start, end = actionVerbs.next(s, end) {
		from := jstext.SkipSpace(s, end)
		if from == end {
			continue
		}
		if length := asciiWordLength(s[from:]); length > 0 {
			return s[from : from+length]
		}
	}
	return "modified"
}
