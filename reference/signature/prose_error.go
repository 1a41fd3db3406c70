package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

var atWord = newVocabulary("at")

// errorRule reads "Error: <Type> - <message> at <place>".
func errorRule(s string, log *spec.ClauseLog) (string, bool) { // SG-18
	log.Apply("SG-18")
	for start, end := errorWord.nextWhole(s, 0); start >= 0; start, end = errorWord.nextWhole(s, end) {
		typ, rest := errorType(s, end)
		if typ == "" { // SG-28
			log.Apply("SG-28")
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
		log.Apply("SG-19")
		if word := lastWord(message, log); word != "" {
			typ += "-" + word
		}
		return "error:" + typ + "-" + withoutLine(place), true
	}
	return "", false
}

// errorType returns the type of an error whose word ends at from and where the type ends; an empty type where the
// shape does not go on as it should.
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
	if piece != "-" && !atWord.has(piece) {
		return "", end
	}
	return s[start:end], end
}

// messageAndPlace splits what follows the type, which begins with the piece "-" or "at", at the last "at" that has a
// place after it.
func messageAndPlace(line string) (message []string, place string, ok bool) {
	pieces := piecesOf(line)
	for i := len(pieces) - 2; i >= 0; i-- {
		if !atWord.has(pieces[i]) {
			continue
		}
		if pieces[0] == "-" {
			message = pieces[1:i]
		}
		return message, pieces[i+1], true
	}
	return nil, "", false
}

// lastWord returns the last piece of the message that is more than punctuation, without the punctuation around it.
func lastWord(message []string, log *spec.ClauseLog) string { // SG-20
	for i := len(message) - 1; i >= 0; i-- {
		word := strings.TrimFunc(message[i], func(r rune) bool { return !isWordRune(r) })
		if word != "" {
			log.Apply("SG-20")
			return word
		}
	}
	return ""
}

// withoutLine returns the place without a line, or a line and a column, at its end.
func withoutLine(place string) string {
	for range 2 {
		cut := strings.TrimRight(place, "0123456789")
		if len(cut) == len(place) || len(cut) < 2 || cut[len(cut)-1] != ':' {
			break
		}
		place = cut[:len(cut)-1]
	}
	return place
}
