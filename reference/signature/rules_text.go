package signature

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loopstone/loopstone/reference/parts/jstext"
)

// The shapes that D2 shows (D2#signature-extraction), as regular expressions of JavaScript that match in upper and
// lower case. Three symbols are added: \h is a blank, which is white space that does not end a line; \< is the
// beginning of a whole word and \> its end. (SG-17)
var (
	errorShape   = jstext.Pattern(`\<error:\h*(\w+)(?:\h+-(\h+.*|)|\h+at(?:\h+.*|)|)\h+at\h+(\S+)`)      // SG-18
	testsShape   = jstext.Pattern(`\<([1-9]\d*)\h+(?:tests?\h+)?(failed|failing)\>`)                     // SG-21
	searchShape  = jstext.Pattern(`\<searched(?:` + noQuoteNoWord + noQuote + `*)?'(` + noQuote + `+)'`) // SG-24
	changeShape  = jstext.Pattern(`\<(?:modified|changed|updated|fixed)\h+(\S+\.(?:ts|js|go|py))\>`)     // SG-25
	actionsShape = jstext.Pattern(`\<(?:added|removed|fixed|updated|changed|refactored)(\h+)`)           // SG-26
)

// One character of the line that is no quotation mark; one that is no word character, either.
const (
	noQuote       = `[^'` + jstext.LineEnds + `]`
	noQuoteNoWord = `[^'` + jstext.WordCharacters + jstext.LineEnds + `]`
)

// changes are the verbs that changeShape begins with.
var changes = []string{"modified", "changed", "updated", "fixed"} // SG-25

var prepositions = []string{"for", "to", "in", "from", "at", "of", "on", "with"} // SG-27

// fromProse returns the signature of the reading text. The first shape that occurs in the output decides.
func fromProse(output string) string { // SG-17, SG-28
	if m := errorShape().FindStringSubmatch(fromError(output)); m != nil { // SG-18, SG-19
		return errorSignature(m[1], piecesOf(m[2]), m[3])
	}
	if m := testsShape().FindStringSubmatchIndex(containing(output, "fail")); m != nil { // SG-21
		return failureSignature(output[m[2]:m[3]], output[m[5]:jstext.LineEnd(output, m[5])])
	}
	if m := searchShape().FindStringSubmatch(containing(output, "searched")); m != nil { // SG-24
		return searchSignature(m[1])
	}
	if m := changeShape().FindStringSubmatchIndex(containing(output, changes...)); m != nil { // SG-25
		return output[m[2]:m[3]] + ":" + action(output[m[3]:])
	}
	return beginning(output) // SG-6
}

// action returns the phrase of the first verb that has one, "modified" if none has.
func action(s string) string { // SG-26
	for m := actionsShape().FindStringSubmatchIndex(s); m != nil; m = actionsShape().FindStringSubmatchIndex(s) {
		s = s[m[2]:]
		if words := phrase(s); len(words) > 0 {
			return strings.Join(words, "-")
		}
	}
	return "modified"
}

// errorSignature returns the signature for a type, the pieces of the message, which may be none, and the place.
func errorSignature(typ string, message []string, place string) string { // SG-18
	if word := lastWord(message); word != "" {
		typ += "-" + word
	}
	return "error:" + typ + "-" + withoutLine(place)
}

// lastWord returns the last piece of the message that has a word character, without the punctuation around the word.
func lastWord(message []string) string { // SG-20
	for i := len(message) - 1; i >= 0; i-- {
		word := strings.TrimFunc(message[i], func(r rune) bool { return !isWordRune(r) })
		if word != "" {
			return word
		}
	}
	return ""
}

// withoutLine returns the place without a line number, or line and column numbers, at its end.
func withoutLine(place string) string { // SG-19
	for range 2 {
		cut := strings.TrimRight(place, "0123456789")
		if len(cut) == len(place) || len(cut) < 2 || cut[len(cut)-1] != ':' {
			break
		}
		place = cut[:len(cut)-1]
	}
	return place
}

// failureSignature returns the signature for n failures; rest is what follows them on their line.
func failureSignature(n, rest string) string { // SG-22
	if strings.HasPrefix(rest, ":") {
		start := jstext.SkipBlank(rest, 1)
		end := jstext.SkipText(rest, start)
		if names := namesAfterDash(rest[end:]); names != "" {
			return rest[start:end] + ":" + names
		}
	} else if names := namesAfterDash(rest); names != "" {
		return "test-fail:" + n + "-" + names
	}
	return "test-fail:" + n
}

// namesAfterDash reads " - <a>, <b>…" and returns the first two names, joined; an empty text if there is no name.
func namesAfterDash(s string) string { // SG-23
	var names []string
	for item := range strings.SplitSeq(afterDash(s), ",") {
		if name := testName(item); name != "" {
			names = append(names, name)
		}
		if len(names) == 2 {
			break
		}
	}
	return strings.Join(names, ",")
}

// afterDash returns what follows a hyphen between two gaps at the beginning of s; an empty text if s does not begin so.
func afterDash(s string) string { // SG-22
	dash := jstext.SkipBlank(s, 0)
	if dash == 0 || !strings.HasPrefix(s[dash:], "-") {
		return ""
	}
	after := jstext.SkipBlank(s, dash+1)
	if after == dash+1 {
		return ""
	}
	return s[after:]
}

// testName returns the pieces of an item, without the word test, joined.
func testName(item string) string { // SG-23
	var words []string
	for _, word := range piecesOf(item) {
		if !isAnyOf(word, "test") {
			words = append(words, word)
		}
	}
	return strings.Join(words, "-")
}

func searchSignature(query string) string { // SG-24
	return "search:" + jstext.HyphenateSpace(jstext.Lower(query))
}

// phrase returns the words at the beginning of s, each after a gap, up to a preposition, punctuation or the end of the
// line. It assumes that s does not begin with a word.
func phrase(s string) []string { // SG-27
	var words []string
	for {
		start := jstext.SkipBlank(s, 0)
		end := start + hyphenatedLength(s[start:])
		if start == end || isAnyOf(s[start:end], prepositions...) {
			return words
		}
		words = append(words, s[start:end])
		s = s[end:]
	}
}

// hyphenatedLength returns the length of the word that s begins with, hyphens between two of its characters included,
// or 0 if s does not begin with a word.
func hyphenatedLength(s string) int { // SG-27
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

// wordLength returns the length of the word that s begins with, or 0 if s does not begin with a word.
func wordLength(s string) int { return len(s) - len(strings.TrimLeftFunc(s, isWordRune)) }

// isWordRune reports whether r is a word character: a letter, a number or an underscore.
func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) } // SG-17

// piecesOf splits a line at its gaps.
func piecesOf(line string) []string { return strings.FieldsFunc(line, jstext.IsSpace) } // SG-17

// isAnyOf reports whether s is one of the words, with ASCII upper and lower case treated alike.
func isAnyOf(s string, words ...string) bool { // SG-17
	return slices.ContainsFunc(words, func(word string) bool { return isFolded(s, word) })
}

// isFolded reports whether s is the word, which is ASCII letters in lower case. No letter outside ASCII matches, though
// Unicode folds two of them to s and k.
func isFolded(s, word string) bool {
	if len(s) != len(word) {
		return false
	}
	for i := range len(word) {
		if s[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}
