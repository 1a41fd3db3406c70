package crow

import (
	"strconv"
	"unicode/utf8"

	"github.com/loopstone/loopstone/spec"
)

// The verdicts of the five rules, as D5's listing words them. Each takes what its rule counted. // CR-12, CR-14

func repeatingAction(tool string, count int) spec.Verdict { // CR-16
	return spec.Verdict{
		Loop: true, Kind: spec.KindRepeatingAction, Count: count, Confidence: 0.9,
		Pattern:    "Executed action '" + tool + "' " + strconv.Itoa(count) + " times with identical results",
		Suggestion: "Try a different approach or tool",
	}
}

func repeatingError(message string, count int) spec.Verdict { // CR-17
	return spec.Verdict{
		Loop: true, Kind: spec.KindRepeatingError, Count: count, Confidence: 0.95,
		Pattern:    "Error '" + message + "' occurred " + strconv.Itoa(count) + " times",
		Suggestion: "Fix the error causing: " + start(message) + "...",
	}
}

func monologue(count int) spec.Verdict { // CR-18
	return spec.Verdict{
		Loop: true, Kind: spec.KindMonologue, Count: count, Confidence: 0.85,
		Pattern:    "Agent sent " + strconv.Itoa(count) + " consecutive messages without action",
		Suggestion: "Either execute a tool or ask the user for clarification",
	}
}

func alternating(first, second string, count int) spec.Verdict { // CR-19
	return spec.Verdict{
		Loop: true, Kind: spec.KindAlternating, Count: count, Confidence: 0.8,
		Pattern:    "Alternating between '" + first + "' and '" + second + "'",
		Suggestion: "Break the cycle by trying a different strategy",
	}
}

func contextError(count int) spec.Verdict { // CR-20
	return spec.Verdict{
		Loop: true, Kind: spec.KindContextError, Count: count, Confidence: 0.95,
		Pattern:    "Context window exceeded " + strconv.Itoa(count) + " times",
		Suggestion: "Use conversation compaction to reduce context size",
	}
}

// startLength is where D5 cuts texts, in code points.
const startLength = 100

// start returns the first 100 code points of a text, or all of a shorter one.
func start(text string) string {
	end := 0
	for range startLength {
		if end == len(text) {
			return text
		}
		_, width := utf8.DecodeRuneInString(text[end:])
		end += width
	}
	return text[:end]
}

// wordClauses are the clauses that say how the verdicts read.
var wordClauses = map[spec.VerdictKind]string{
	spec.KindRepeatingAction: "CR-16",
	spec.KindRepeatingError:  "CR-17",
	spec.KindMonologue:       "CR-18",
	spec.KindAlternating:     "CR-19",
	spec.KindContextError:    "CR-20",
}

// firstLoop asks the rules in their order and returns the verdict of the first that holds.
func firstLoop(rules []func() spec.Verdict) spec.Verdict {
	for _, rule := range rules {
		if v := rule(); v.Loop {
			return v
		}
	}
	return spec.Verdict{}
}
