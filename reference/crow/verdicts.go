package crow

import (
	"strconv"
	"unicode/utf8"

	"github.com/loopstone/loopstone/spec"
)

// The verdicts of the five rules, with the texts of D5's listing. Each function takes what its rule counted.

func repeatingError(message string, count int, evidence []int) spec.Verdict { // CR-12, CR-14, CR-17
	return spec.Verdict{
		Loop: true, Kind: spec.KindRepeatingError, Count: count, Confidence: 0.95, Evidence: evidence,
		Pattern:    "Error '" + message + "' occurred " + strconv.Itoa(count) + " times",
		Suggestion: "Fix the error causing: " + start(message) + "...",
	}
}

func contextError(count int, evidence []int) spec.Verdict { // CR-12, CR-14, CR-20
	return spec.Verdict{
		Loop: true, Kind: spec.KindContextError, Count: count, Confidence: 0.95, Evidence: evidence,
		Pattern:    "Context window exceeded " + strconv.Itoa(count) + " times",
		Suggestion: "Use conversation compaction to reduce context size",
	}
}

func repeatingAction(tool string, count int, evidence []int) spec.Verdict { // CR-12, CR-14, CR-16
	return spec.Verdict{
		Loop: true, Kind: spec.KindRepeatingAction, Count: count, Confidence: 0.9, Evidence: evidence,
		Pattern:    "Executed action '" + tool + "' " + strconv.Itoa(count) + " times with identical results",
		Suggestion: "Try a different approach or tool",
	}
}

func monologue(count int, evidence []int) spec.Verdict { // CR-12, CR-14, CR-18
	return spec.Verdict{
		Loop: true, Kind: spec.KindMonologue, Count: count, Confidence: 0.85, Evidence: evidence,
		Pattern:    "Agent sent " + strconv.Itoa(count) + " consecutive messages without action",
		Suggestion: "Either execute a tool or ask the user for clarification",
	}
}

func alternating(first, second string, count int, evidence []int) spec.Verdict { // CR-12, CR-14, CR-19
	return spec.Verdict{
		Loop: true, Kind: spec.KindAlternating, Count: count, Confidence: 0.8, Evidence: evidence,
		Pattern:    "Alternating between '" + first + "' and '" + second + "'",
		Suggestion: "Break the cycle by trying a different strategy",
	}
}

// start returns the first 100 code points of a text, or all of a shorter text.
func start(text string) string { // CR-17, CR-50
	end := 0
	for range 100 {
		_, width := utf8.DecodeRuneInString(text[end:]) // no width at the end
		end += width
	}
	return text[:end]
}
