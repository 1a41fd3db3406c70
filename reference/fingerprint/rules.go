// Package fingerprint is the reference of the detector of D1: runs of identical or similar tool calls, and three
// other ways of being stuck. It tells the agent; it never stops it.
//
// Each event type has its own rules, and only those judge the event (FP-2):
//
//  1. A tool call: "exact" if the run of identical calls at the end of the window is long enough, otherwise "fuzzy" if
//     the run of calls with the same fingerprint is. (FP-18, FP-19, FP-20)
//  2. A test run: "test_fix" if enough of them failed in a row. (FP-29)
//  3. A tool's result: "bash_cascade" if enough bash commands failed in a row. (FP-31)
//  4. A message: "summary" if enough messages of the assistant came without a tool call. (FP-36)
//  5. Any other event is ignored. (FP-1)
//
// Read this file first, then rules_compute.go, which computes the fingerprint. nudge.go has the texts for the agent;
// state.go and functions.go have what a port can be asked beside verdicts.
//
// The verdict is a function of the configuration and the events since the last reset. The clauses are in
// spec/clauses/fingerprint.md, the fast twin in reference/fast/fingerprint.
package fingerprint

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Config holds the thresholds and the size of the window; each is at least 1. A reset keeps it.
type Config struct { // FP-5
	Threshold, FuzzyThreshold, Window     int // tool calls
	TestFailures, BashFailures, TextTurns int // events of each special rule
}

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // FP-3, FP-4
	return Config{
		Threshold: s.Number("threshold"), FuzzyThreshold: s.Number("fuzzy_threshold"), Window: s.Number("window"),
		TestFailures: s.Number("test_failures"), BashFailures: s.Number("bash_failures"), TextTurns: s.Number("text_turns"),
	}
}

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) { return &plain{Config: ConfigOf(s)}, nil }

// verdict is the verdict after the last event of the trace.
func verdict(c Config, trace []spec.Event) spec.Verdict { // FP-2
	switch trace[len(trace)-1].Type {
	case spec.ToolCall:
		return exactOrFuzzy(c, trace)
	case spec.TestRun:
		return testFix(c, trace)
	case spec.ToolResult:
		return bashCascade(c, trace)
	case spec.Message:
		return summary(c, trace)
	default:
		return spec.Verdict{} // FP-1
	}
}

// An Effect is what an event does to a run of events of one kind, such as failed test runs.
type Effect int

const (
	neutral   Effect = iota // the run goes on
	Lengthens               // the event is one more of the run
	Ends                    // the run is over, and the event is not part of the next
)

// run returns the events that lengthened the run at the end of the trace: since the last event that ended a run.
func run(trace []spec.Event, effectOf func(spec.Event) Effect) []spec.Event {
	var events []spec.Event
	for _, e := range trace {
		switch effectOf(e) {
		case Lengthens:
			events = append(events, e)
		case Ends:
			events = nil
		}
	}
	return events
}

// loop is the verdict on a run.
func loop(kind spec.VerdictKind, run []spec.Event) spec.Verdict {
	v := spec.Verdict{Loop: true, Kind: kind, Count: len(run)}
	for _, e := range run[max(0, len(run)-spec.MaxEvidence):] { // FP-42
		v.Evidence = append(v.Evidence, e.Index)
	}
	return v
}

// exactOrFuzzy looks only at the tool calls; results and other events between the calls do not matter.
func exactOrFuzzy(c Config, trace []spec.Event) spec.Verdict { // FP-23
	calls := slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.ToolCall })
	window, last := calls[max(0, len(calls)-c.Window):], calls[len(calls)-1]
	likeTheLast := func(text func(tool string, args spec.Value) string) []spec.Event {
		return run(window, func(e spec.Event) Effect { // FP-16, FP-17
			if text(e.Tool, e.Args) == text(last.Tool, last.Args) { // FP-6, FP-7, FP-16, FP-17
				return Lengthens
			}
			return Ends
		})
	}
	exact, fuzzy := likeTheLast(whole), likeTheLast(Compute)
	switch {
	case len(exact) >= c.Threshold: // FP-18, FP-20
		return Nudged(loop(spec.KindExact, exact), last.Tool)
	case len(fuzzy) >= c.FuzzyThreshold: // FP-19
		return Nudged(loop(spec.KindFuzzy, fuzzy), last.Tool)
	default:
		return spec.Verdict{Count: len(exact)} // FP-21
	}
}

// whole returns the same text for identical calls, and different texts for all others.
func whole(tool string, args spec.Value) string { return string(write(nil, tool, args)) } // FP-6, FP-7

// Nudged adds the tool, the severity and the message for the agent to a loop of calls.
func Nudged(v spec.Verdict, tool string) spec.Verdict { // FP-22, FP-24
	v.Tool, v.Severity, v.Message = tool, severity(v.Count), nudge(tool, v.Count)
	return v
}

// testFix looks only at the test runs: the agent changes the code between them.
func testFix(c Config, trace []spec.Event) spec.Verdict {
	failures := run(trace, EffectOnTests)
	if len(failures) < c.TestFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindTestFix, failures) // FP-29
	v.Message = Rethink(v.Count)          // FP-30
	return v
}

func EffectOnTests(e spec.Event) Effect {
	switch {
	case e.Type != spec.TestRun: // FP-29
		return neutral
	case e.Passed: // FP-28
		return Ends
	default: // FP-29
		return Lengthens
	}
}

func bashCascade(c Config, trace []spec.Event) spec.Verdict {
	failures := run(trace, func(e spec.Event) Effect { return EffectOnCascade(e, callOf(e, trace)) })
	if len(failures) < c.BashFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindBashCascade, failures) // FP-31
	last := failures[len(failures)-1]
	v.Message = CascadeMessage(v.Count, callOf(last, trace).OnFile) // FP-35
	return v
}

// EffectOnCascade takes an event and the call that it names. The tool is the result's own, otherwise the call's.
func EffectOnCascade(e spec.Event, of NamedCall) Effect {
	tool := of.Tool
	if e.HasTool { // FP-32
		tool = e.Tool
	}
	switch {
	case e.Type != spec.ToolResult, tool != Bash: // FP-33
		return neutral
	case e.OK: // FP-31
		return Ends
	default: // FP-31
		return Lengthens
	}
}

// NamedCall is what a result needs to know of the call that it names.
type NamedCall struct {
	ID     string
	Tool   string
	OnFile bool // whether its command works on a file
}

// MaxRemembered is how many tool calls with an id a result can name.
const MaxRemembered = 1000 // FP-34

// callOf returns the call that a result names. If this call is not known, it returns a call without a tool and with the
// command of the last bash call.
func callOf(result spec.Event, trace []spec.Event) NamedCall {
	var call NamedCall
	var named []NamedCall
	for _, e := range trace {
		if e.Index == result.Index { // FP-51
			break
		}
		if e.Type == spec.ToolCall && e.Tool == Bash { // FP-35
			call.OnFile = OnFile(e.Args)
		}
		if e.HasID {
			named = append(named, NamedCall{e.ID, e.Tool, OnFile(e.Args)})
		}
	}
	for _, c := range named[max(0, len(named)-MaxRemembered):] { // FP-34
		if result.HasCall && c.ID == result.Call { // FP-32: the latest remains
			call = c // FP-50
		}
	}
	return call
}

// OnFile reports whether a call's command works on a file.
func OnFile(args spec.Value) bool { return slices.Contains(fileCommands, firstWord(args)) } // FP-35

func summary(c Config, trace []spec.Event) spec.Verdict {
	turns := run(trace, EffectOnTalk)
	if len(turns) < c.TextTurns {
		return spec.Verdict{}
	}
	v := loop(spec.KindSummary, turns) // FP-36
	v.Message = SummaryMessage         // FP-38
	return v
}

func EffectOnTalk(e spec.Event) Effect {
	switch {
	case e.Type == spec.ToolCall: // FP-37
		return Ends
	case e.Role != spec.Assistant: // FP-39: only messages have a role
		return neutral
	case len(e.ToolCalls.Items()) > 0: // FP-37
		return Ends
	default: // FP-36
		return Lengthens
	}
}
