// Package crow is the reference of the detector crow: five patterns over the last events of an agent (D5).
//
// After each event:
//
//  1. Tool calls, results, errors and messages are stored; any other event is ignored. (CR-1)
//  2. The rules are evaluated at every check_every-th stored event. (CR-8)
//  3. The rules look at the window, the last `recent` stored events. (CR-5)
//  4. The first rule that holds gives the verdict, in this order: repeating_error, context_error, repeating_action,
//     monologue, alternating. (CR-15)
//
// D5 describes the patterns twice. The reading code (rules_code.go) does what D5's listing does when it runs; the
// reading text (rules_text.go) does what its prose, its headings and its test promise. Both look at the same window,
// and their verdicts have the same texts (verdicts.go). Read this file first, then these two; functions.go, prompts.go
// and repr.go have what a port can be asked beside verdicts.
//
// The verdict is a function of the configuration and the events since the last reset. The clauses are in
// spec/clauses/crow.md, the fast twin in reference/fast/crow.
package crow

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// Config is a reading with its settings.
type Config struct {
	Reading    spec.Reading
	Recent     int // events looked at; 0 for all
	CheckEvery int // events from one check to the next
	Cycles     int // D5's threshold_cycles, of the reading code only
}

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // CR-10, CR-11
	return Config{
		Reading:    s.Reading,
		Recent:     s.Number("recent"),           // CR-6, CR-7
		CheckEvery: s.Number("check_every"),      // CR-8
		Cycles:     s.Number("threshold_cycles"), // CR-9
	}
}

// New returns the detector made of its rules, in either of D5's readings.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil
}

// verdict is the verdict after the last event of the trace; earlier verdicts do not matter.
func verdict(c Config, trace []spec.Event) spec.Verdict { // CR-13
	stored := only(trace, IsObserved)
	if !IsObserved(trace[len(trace)-1]) { // CR-1
		return spec.Verdict{}
	}
	if len(stored)%c.CheckEvery != 0 { // CR-8
		return spec.Verdict{}
	}
	window := stored
	if c.Recent > 0 { // CR-5
		window = stored[max(0, len(stored)-c.Recent):]
	}
	if c.Reading == spec.Text {
		return textVerdict(window)
	}
	return codeVerdict(c.Cycles, window)
}

// IsObserved reports whether the event is of a type that is stored.
func IsObserved(e spec.Event) bool { // CR-1
	return e.Type == spec.ToolCall || e.Type == spec.ToolResult || e.Type == spec.ErrorEvent || e.Type == spec.Message
}

// areIdentical reports whether two calls have the same tool and the same arguments; nothing else matters.
func areIdentical(a, b spec.Event) bool { // CR-2, CR-3, CR-4
	return a.Tool == b.Tool && Python(a.Args) == Python(b.Args)
}

// Python returns the text by which arguments are compared.
func Python(v spec.Value) string { return string(pyjson.AppendSorted(nil, v)) } // CR-3

// IsContextError reports whether the event is an error about a full context: its type says so, or its message contains
// one of the phrases.
func IsContextError(e spec.Event, phrases []string) bool { // CR-30, CR-45
	return e.ErrorType == "context_length_exceeded" ||
		slices.ContainsFunc(phrases, func(phrase string) bool { return containsFold(e.Message, phrase) })
}

// ContextErrors is the number of context errors that make a loop, in both readings.
const ContextErrors = 2 // CR-30, CR-45

// containsFold reports whether the text contains the phrase, with ASCII upper and lower case treated alike. No other
// character matches a letter of a phrase.
func containsFold(text, phrase string) bool {
	for i := range len(text) - len(phrase) + 1 {
		if strings.EqualFold(text[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// only returns the items for which wanted is true.
func only[T any](list []T, wanted func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !wanted(item) })
}

func ofType(events []spec.Event, t spec.EventType) []spec.Event {
	return only(events, func(e spec.Event) bool { return e.Type == t })
}

// run returns the number of items at the end of the list that equal the last one.
func run[T any](list []T, same func(a, b T) bool) int {
	n := 0
	for n < len(list) && same(list[len(list)-1-n], list[len(list)-1]) {
		n++
	}
	return n
}

// indices returns the evidence for these events: their indices, at most the latest 100.
func indices(events []spec.Event) []int { // CR-61, CR-62
	var list []int
	for _, e := range events[max(0, len(events)-spec.MaxEvidence):] {
		list = append(list, e.Index)
	}
	return list
}
