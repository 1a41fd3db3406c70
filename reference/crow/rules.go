// Package crow is the reference of the detector of the agent Crow (D5): five patterns over its last events.
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
// The clauses are in spec/clauses/crow.md.
package crow

import (
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/reference/parts/pyjson"
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
		Recent:     s.Number("recent"),           // CR-5, CR-6, CR-7
		CheckEvery: s.Number("check_every"),      // CR-8
		Cycles:     s.Number("threshold_cycles"), // CR-9
	}
}

// New returns the detector with an empty trace, in either of D5's readings.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return memory.NewDetector(c.fresh, c.observe), nil
}

// remembered is what the detector remembers.
type remembered struct { // CR-59, CR-60
	Window     memory.Window[event] `json:"events"`
	SinceCheck memory.Count         `json:"since_check"` // events stored since the last check
}

func (c *Config) fresh() remembered { // CR-58
	if c.Recent == 0 {
		return remembered{Window: memory.NewWindow[event](math.MaxInt)}
	}
	return remembered{Window: memory.NewWindow[event](c.Recent)} // CR-5
}

// event is what the rules look at in a stored event. No event has all members.
type event struct {
	Type spec.EventType `json:"type"`
	Tool string         `json:"tool,omitempty"`
	Role spec.Role      `json:"role,omitempty"`
	Text string         `json:"text,omitempty"` // the content, or the message of an error
	Args string         `json:"args,omitempty"` // the arguments of a call, or the tool calls of a message: CR-3
	ID   string         `json:"id,omitempty"`   // of the call, or of the call that an outcome names

	HasTool   bool `json:"has_tool,omitempty"`
	HasID     bool `json:"has_id,omitempty"`
	Succeeded bool `json:"ok,omitempty"`   // of a result
	IsFull    bool `json:"full,omitempty"` // it is a context error

	Outcome int `json:"outcome,omitempty"` // how many events later a call has its outcome; 0 if it has none: CR-31

	index memory.Index
}

// observe stores an event and, if it is a check, judges the window.
func (c *Config) observe(m *remembered, e spec.Event) spec.Verdict {
	if !isObserved(e) { // CR-1
		return spec.Verdict{}
	}
	m.Window.Add(c.eventOf(e)) // CR-5
	if c.Reading == spec.Text {
		matchOutcome(m.Window.Items())
	}
	m.SinceCheck.Add()
	if int(m.SinceCheck) < c.CheckEvery { // CR-8
		return spec.Verdict{}
	}
	m.SinceCheck = 0
	if c.Reading == spec.Text { // CR-13
		return textVerdict(m.Window.Items())
	}
	return codeVerdict(c.Cycles, m.Window.Items())
}

// isObserved reports whether the event is of a type that is stored.
func isObserved(e spec.Event) bool { // CR-1
	return e.Type == spec.ToolCall || e.Type == spec.ToolResult || e.Type == spec.ErrorEvent || e.Type == spec.Message
}

// eventOf reduces an event to what the rules look at.
func (c *Config) eventOf(e spec.Event) event {
	kept := event{
		Type: e.Type, Tool: e.Tool, Role: e.Role, Text: e.Content, ID: e.Call,
		HasTool: e.HasTool, HasID: e.HasCall, Succeeded: e.OK, index: memory.IndexOf(e),
	}
	switch e.Type {
	case spec.ToolCall:
		kept.Args, kept.ID, kept.HasID = python(e.Args), e.ID, e.HasID
	case spec.Message:
		kept.Args = python(e.ToolCalls)
	case spec.ErrorEvent:
		kept.Text, kept.IsFull = e.Message, c.isContextError(e)
	}
	return kept
}

// python returns the text by which values are compared; empty if there is no value.
func python(v spec.Value) string { // CR-3
	if v.IsAbsent() {
		return ""
	}
	return string(pyjson.AppendSorted(nil, v))
}

// areIdentical reports whether two calls have the same tool and the same arguments; nothing else matters.
func areIdentical(a, b *event) bool { // CR-2, CR-3, CR-4
	return a.Tool == b.Tool && a.Args == b.Args
}

// hasCalls reports whether a message has tool calls. A list without items has none.
func (e *event) hasCalls() bool { return e.Args != "" && e.Args != "[]" } // CR-25, CR-41

// isContextError reports whether the event is an error about a full context: its type says so, or its message contains
// a phrase of the reading.
func (c *Config) isContextError(e spec.Event) bool { // CR-30, CR-45
	phrases := codeContext
	if c.Reading == spec.Text {
		phrases = textContext
	}
	return e.ErrorType == "context_length_exceeded" ||
		slices.ContainsFunc(phrases, func(phrase string) bool { return containsFold(e.Message, phrase) })
}

// contextErrors is the number of context errors that make a loop, in both readings.
const contextErrors = 2 // CR-30, CR-45

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

// only returns the events for which wanted is true.
func only(window []event, wanted func(*event) bool) (found []*event) {
	for i := range window {
		if e := &window[i]; wanted(e) {
			found = append(found, e)
		}
	}
	return found
}

func ofType(window []event, t spec.EventType) []*event {
	return only(window, func(e *event) bool { return e.Type == t })
}

func isFull(e *event) bool { return e.IsFull }

// run returns the number of items at the end of the list that equal the last one.
func run[T any](list []T, same func(a, b T) bool) int {
	n := 0
	for n < len(list) && same(list[len(list)-1-n], list[len(list)-1]) {
		n++
	}
	return n
}

// evidence returns the evidence for these events: the indices of the latest 100.
func evidence(events []*event) []int { // CR-61, CR-62
	list := make([]memory.Index, len(events))
	for i, e := range events {
		list[i] = e.index
	}
	return memory.Evidence(list)
}
