// Package fingerprint is the reference of the detector of D1: runs of identical or similar tool calls (those with one
// fingerprint), and three other ways of being stuck. It tells the agent; it never stops it.
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
// state.go and functions.go have what a port can be asked beside verdicts. The clauses are in
// spec/clauses/fingerprint.md.
package fingerprint

import (
	"math"
	"slices"

	"github.com/loopstone/loopstone/reference/parts/memory"
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

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return detector{c, memory.NewDetector(c.fresh, c.observe)}, nil
}

// detector shows a state, too.
type detector struct {
	Config
	*memory.Detector[remembered]
}

// remembered is what the detector remembers. No rule needs the calls of the window themselves: the window only bounds
// the runs.
type remembered struct { // FP-43, FP-44
	Tool        string        `json:"last_tool"`        // of the last call
	Call        memory.Digest `json:"last_call"`        // of its tool and arguments; zero before any call
	Fingerprint memory.Digest `json:"last_fingerprint"` // of its fingerprint
	Exact       memory.Streak `json:"exact"`            // calls that are identical to it, itself included
	Fuzzy       memory.Streak `json:"fuzzy"`            // calls with its fingerprint

	TestFailures memory.Streak `json:"test_failures"`
	BashFailures memory.Streak `json:"bash_failures"`
	TextTurns    memory.Streak `json:"text_turns"` // messages of the assistant without a tool call

	Named          memory.Window[namedCall] `json:"named_calls"`       // the calls that a result can name
	FileAtLastBash bool                     `json:"last_bash_on_file"` // whether the last call of bash works on a file
	FailedOnFile   bool                     `json:"failed_on_file"`    // whether the last command that failed did

	LastWarning float64 `json:"last_warning_time"` // FP-41: milliseconds
}

// maxNamed is how many tool calls with an id a result can name.
const maxNamed = 1000 // FP-34

func (c *Config) fresh() remembered { // FP-5
	return remembered{
		Exact: memory.NewStreak(c.Window), Fuzzy: memory.NewStreak(c.Window), // FP-16, FP-48
		Named: memory.NewWindow[namedCall](maxNamed),
	}
}

// observe adds an event to the memory and returns the verdict of the rule for events of its type.
func (c *Config) observe(m *remembered, e spec.Event) spec.Verdict { // FP-2
	var v spec.Verdict
	switch e.Type {
	case spec.ToolCall:
		m.addCall(e)
		v = c.exactOrFuzzy(m)
	case spec.TestRun:
		m.TestFailures.AddOrEnd(e.Index, !e.Passed) // FP-28, FP-29
		v = c.testFix(m)
	case spec.ToolResult:
		m.addResult(e)
		v = c.bashCascade(m)
	case spec.Message:
		if e.Role == spec.Assistant { // FP-39
			m.TextTurns.AddOrEnd(e.Index, len(e.ToolCalls.Items()) == 0) // FP-36, FP-37
		}
		v = c.summary(m)
	default: // FP-1
	}
	if v.Loop && e.HasAt {
		m.LastWarning = min(max(e.At, -math.MaxFloat64), math.MaxFloat64) // FP-41
	}
	return v
}

// addCall makes the call the last one. Results and other events between the calls do not matter.
func (m *remembered) addCall(e spec.Event) { // FP-23
	call, fingerprint := memory.DigestOf(write(nil, e.Tool, e.Args)), memory.DigestOf(Append(nil, e.Tool, e.Args))
	if call != m.Call { // FP-6, FP-7
		m.Exact.Reset()
	}
	if fingerprint != m.Fingerprint { // FP-17
		m.Fuzzy.Reset()
	}
	m.Exact.Add(e.Index) // FP-6, FP-7, FP-16
	m.Fuzzy.Add(e.Index) // FP-17
	m.Tool, m.Call, m.Fingerprint = e.Tool, call, fingerprint
	m.TextTurns.Reset() // FP-37
	if e.Tool == bash {
		m.FileAtLastBash = onFile(e.Args) // FP-35
	}
	if e.HasID {
		m.Named.Add(namedCall{e.ID, e.Tool, onFile(e.Args)}) // FP-34
	}
}

// exactOrFuzzy judges the runs of calls.
func (c *Config) exactOrFuzzy(m *remembered) spec.Verdict {
	switch {
	case m.Exact.Len() >= c.Threshold: // FP-18, FP-20
		return nudged(loop(spec.KindExact, &m.Exact), m.Tool)
	case m.Fuzzy.Len() >= c.FuzzyThreshold: // FP-19
		return nudged(loop(spec.KindFuzzy, &m.Fuzzy), m.Tool)
	default:
		return spec.Verdict{Count: m.Exact.Len()} // FP-21
	}
}

// nudged adds the tool, the severity and the message for the agent to a loop of calls.
func nudged(v spec.Verdict, tool string) spec.Verdict { // FP-22, FP-24
	v.Tool, v.HasTool, v.Severity, v.Message = tool, true, severity(v.Count), nudge(tool, v.Count)
	return v
}

// testFix judges the run of failed test runs: the agent changes the code between them.
func (c *Config) testFix(m *remembered) spec.Verdict { // FP-29
	if m.TestFailures.Len() < c.TestFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindTestFix, &m.TestFailures) // FP-29
	v.Message = rethink(v.Count)                 // FP-30
	return v
}

// addResult counts the results of bash that failed. A result of another tool, or of an unknown one, changes nothing.
func (m *remembered) addResult(e spec.Event) {
	call := m.callOf(e)
	tool := call.Tool // FP-32
	if e.HasTool {
		tool = e.Tool
	}
	if tool != bash { // FP-31, FP-33
		return
	}
	m.BashFailures.AddOrEnd(e.Index, !e.OK) // FP-31
	m.FailedOnFile = call.OnFile            // FP-35, FP-51
}

// bashCascade judges the run of failing results of bash.
func (c *Config) bashCascade(m *remembered) spec.Verdict { // FP-31
	if m.BashFailures.Len() < c.BashFailures {
		return spec.Verdict{}
	}
	v := loop(spec.KindBashCascade, &m.BashFailures)    // FP-31
	v.Message = cascadeMessage(v.Count, m.FailedOnFile) // FP-35
	return v
}

// namedCall is what a result needs to know of the call that it names.
type namedCall struct {
	ID     string `json:"id"`
	Tool   string `json:"tool"`
	OnFile bool   `json:"on_file"` // whether its command works on a file
}

// callOf returns the call that a result names: the latest with this id. If no remembered call has the id, it returns a
// call without a tool and with the command of the latest bash call.
func (m *remembered) callOf(result spec.Event) namedCall { // FP-51
	for _, call := range slices.Backward(m.Named.Items()) {
		if result.HasCall && call.ID == result.Call { // FP-32
			return call // FP-50
		}
	}
	return namedCall{OnFile: m.FileAtLastBash} // FP-35
}

// onFile reports whether a call's command works on a file.
func onFile(args spec.Value) bool { return slices.Contains(fileCommands, firstWord(args)) } // FP-35

// summary judges the run of the assistant's messages without a tool call.
func (c *Config) summary(m *remembered) spec.Verdict {
	if m.TextTurns.Len() < c.TextTurns {
		return spec.Verdict{}
	}
	v := loop(spec.KindSummary, &m.TextTurns) // FP-36
	v.Message = summaryMessage                // FP-38
	return v
}

// loop is the verdict on a run.
func loop(kind spec.VerdictKind, run *memory.Streak) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: run.Len(), Evidence: run.Evidence()} // FP-42
}
