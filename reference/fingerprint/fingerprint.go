// Package fingerprint is the reference of the detector of D1: runs of identical or similar tool calls, and three
// special ways of being stuck. It speaks; it never stops an agent.
//
// The rule that an event belongs to decides on the verdict after it, in this way:
//
//  1. A tool call: "exact" where the run of identical calls at the end of the window is long enough, else "fuzzy" where
//     the run of calls with one fingerprint is. [FP-18] [FP-19] [FP-20]
//  2. A test run: "test_fix" where enough of them failed one after the other. [FP-29]
//  3. A tool's result: "bash_cascade" where enough bash commands failed one after the other. [FP-31]
//  4. A message: "summary" where enough messages of the assistant came without a tool call. [FP-36]
//  5. Any other event is ignored. [FP-1]
package fingerprint

import "github.com/loopstone/loopstone/spec"

// settings are the thresholds and the size of the window; each is at least 1.
type settings struct {
	threshold, fuzzyThreshold, window     int // tool calls
	testFailures, bashFailures, textTurns int // events of each special rule
}

// Detector watches one agent. It remembers the last call, five counts and the ids of recent calls, not the window
// itself: a run that is cut off at the window's size is all that the rules look at.
type Detector struct {
	settings
	state
	log *spec.ClauseLog
}

// state is what the observed events leave behind; its zero value is that of a fresh session.
type state struct {
	calls       calls
	tests       run // test runs that failed
	bash        cascade
	text        run     // messages of the assistant without a tool call
	lastWarning float64 // milliseconds; `at` of the last event that was a loop
}

// run counts consecutive events of one kind.
type run struct {
	count int
	trail spec.Trail
}

func (r *run) add(index int) {
	r.count = min(r.count+1, maxCount)
	r.trail.Add(index)
}

func (r *run) end() {
	r.count = 0
	r.trail.Reset()
}

// verdict is the loop that a run is.
func (r *run) verdict(kind spec.VerdictKind) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: r.count, Evidence: r.trail.Last(r.count)} // FP-42
}

// New returns a detector with an empty trace. An absent config stands for the defaults of D1#two-tier-detection; the
// error is a [*spec.Fault] of kind invalid_config.
func New(config spec.Value) (*Detector, error) {
	s := settings{threshold: 3, fuzzyThreshold: 4, window: 10, testFailures: 3, bashFailures: 3, textTurns: 2} // FP-3
	err := spec.ReadConfig(config, map[string]spec.Setting{                                                    // FP-4
		"threshold":       spec.AtLeast(1, &s.threshold),
		"fuzzy_threshold": spec.AtLeast(1, &s.fuzzyThreshold),
		"window":          spec.AtLeast(1, &s.window),
		"test_failures":   spec.AtLeast(1, &s.testFailures),
		"bash_failures":   spec.AtLeast(1, &s.bashFailures),
		"text_turns":      spec.AtLeast(1, &s.textTurns),
	})
	if err != nil {
		return nil, err
	}
	return &Detector{settings: s}, nil
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(l *spec.ClauseLog) { d.log = l }

// Reset forgets all events and keeps the configuration.
func (d *Detector) Reset() { // FP-5
	d.log.Apply("FP-5")
	d.state = state{}
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	verdict := d.judge(e)
	if verdict.Loop {
		d.log.Apply("FP-42")
	}
	if verdict.Loop && e.HasAt {
		d.log.Apply("FP-41")
		d.lastWarning = e.At
	}
	return verdict
}

// judge asks the rule that the event belongs to. [FP-2]
func (d *Detector) judge(e spec.Event) spec.Verdict {
	d.log.Apply("FP-2")
	if e.Type != spec.ToolCall {
		d.log.Apply("FP-23")
	}
	switch e.Type {
	case spec.ToolCall:
		return d.observeCall(e)
	case spec.TestRun:
		return d.observeTestRun(e)
	case spec.ToolResult:
		return d.observeResult(e)
	case spec.Message:
		return d.observeMessage(e)
	default:
		d.log.Apply("FP-1")
		d.log.Apply("FP-33")
		d.log.Apply("FP-39")
		return spec.Verdict{}
	}
}
