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

// exactOrFuzzy looks only at the tool calls; results and other events between the calls do not matter.
func exactOrFuzzy(c Config, trace []spec.Event) spec.Verdict { // FP-23
	calls := only(trace, func(e spec.Event) bool { return e.Type == spec.ToolCall })
	window, last := calls[max(0, len(calls)-c.Window):], calls[len(calls)-1] // FP-16
	exact := atTheEnd(window, func(e spec.Event) bool {
		return whole(e) == whole(last) // FP-6, FP-7, FP-16
	})
	fuzzy := atTheEnd(window, func(e spec.Event) bool {
		return Compute(e.Tool, e.Args) == Compute(last.Tool, last.Args) // FP-17
	})
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
func whole(e spec.Event) string { return string(write(nil, e.Tool, e.Args)) } // FP-6, FP-7

// Nudged adds the tool, the severity and the message for the agent to a loop of calls.
func Nudged(v spec.Verdict, tool string) spec.Verdict { // FP-22, FP-24
	v.Tool, v.Severity, v.Message = tool, severity(v.Count), nudge(tool, v.Count)
	return v
}

// testFix looks only at the test runs: the agent changes the code between them.
func testFix(c Config, trace []spec.Event) spec.Verdict { // FP-29
	runs := only(trace, func(e spec.Event) bool { return e.Type == spec.TestRun })
	failures := atTheEnd(runs, func(e spec.Event) bool { return !e.Passed }) // FP-28, FP-29
	if len(failures) < c.TestFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindTestFix, failures) // FP-29
	v.Message = Rethink(v.Count)          // FP-30
	return v
}

// bashCascade looks only at the results of bash.
func bashCascade(c Config, trace []spec.Event) spec.Verdict { // FP-33
	results := only(trace, func(e spec.Event) bool {
		return e.Type == spec.ToolResult && ToolOf(e, callOf(e, trace)) == Bash // FP-31, FP-33
	})
	failures := atTheEnd(results, func(e spec.Event) bool { return !e.OK }) // FP-31
	if len(failures) < c.BashFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindBashCascade, failures) // FP-31
	last := failures[len(failures)-1]
	v.Message = CascadeMessage(v.Count, callOf(last, trace).OnFile) // FP-35
	return v
}

// ToolOf returns the tool of a result: its own, otherwise that of the call that it names.
func ToolOf(result spec.Event, of NamedCall) string { // FP-32
	if result.HasTool {
		return result.Tool
	}
	return of.Tool
}

// NamedCall is what a result needs to know of the call that it names.
type NamedCall struct {
	ID     string
	Tool   string
	OnFile bool // whether its command works on a file
}

// MaxRemembered is how many tool calls with an id a result can name.
const MaxRemembered = 1000 // FP-34

// callOf returns the call that a result names: the latest with this id. If no remembered call has the id, it returns a
// call without a tool and with the command of the latest bash call.
func callOf(result spec.Event, trace []spec.Event) NamedCall {
	at := slices.IndexFunc(trace, func(e spec.Event) bool { return e.Index == result.Index })
	earlier := trace[:at] // FP-51
	named := only(earlier, func(e spec.Event) bool { return e.HasID })
	for _, e := range slices.Backward(named[max(0, len(named)-MaxRemembered):]) { // FP-34
		if result.HasCall && e.ID == result.Call { // FP-32
			return NamedCall{e.ID, e.Tool, OnFile(e.Args)} // FP-50
		}
	}
	var unknown NamedCall
	for _, e := range earlier {
		if e.Type == spec.ToolCall && e.Tool == Bash { // FP-35
			unknown.OnFile = OnFile(e.Args)
		}
	}
	return unknown
}

// OnFile reports whether a call's command works on a file.
func OnFile(args spec.Value) bool { return slices.Contains(fileCommands, firstWord(args)) } // FP-35

// summary looks only at the turns of the assistant: its messages and its tool calls.
func summary(c Config, trace []spec.Event) spec.Verdict {
	turns := atTheEnd(only(trace, IsTurn), IsTextOnly)
	if len(turns) < c.TextTurns {
		return spec.Verdict{}
	}
	v := loop(spec.KindSummary, turns) // FP-36
	v.Message = SummaryMessage         // FP-38
	return v
}

// IsTurn reports whether an event is a turn of the assistant. Only messages have a role.
func IsTurn(e spec.Event) bool { return e.Role == spec.Assistant || e.Type == spec.ToolCall } // FP-37, FP-39

// IsTextOnly reports whether a turn makes no tool call.
func IsTextOnly(turn spec.Event) bool { // FP-36, FP-37
	return turn.Type == spec.Message && len(turn.ToolCalls.Items()) == 0
}

// only returns the events for which wanted is true.
func only(events []spec.Event, wanted func(spec.Event) bool) []spec.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e spec.Event) bool { return !wanted(e) })
}

// atTheEnd returns the run at the end of the events: those after the last event for which lengthens is false.
func atTheEnd(events []spec.Event, lengthens func(spec.Event) bool) []spec.Event {
	first := len(events)
	for first > 0 && lengthens(events[first-1]) {
		first--
	}
	return events[first:]
}

// loop is the verdict on a run.
func loop(kind spec.VerdictKind, run []spec.Event) spec.Verdict {
	v := spec.Verdict{Loop: true, Kind: kind, Count: len(run)}
	for _, e := range run[max(0, len(run)-spec.MaxEvidence):] { // FP-42
		v.Evidence = append(v.Evidence, e.Index)
	}
	return v
}
