// Package fingerprint is the fast twin of reference/fingerprint: the same verdicts event by event, with snapshots. It
// keeps the last call, five counts and the ids of recent calls instead of the trace.
package fingerprint

import (
	rules "github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// detector remembers the last call, five counts and the ids of recent calls, but not the window itself: the rules only
// need the length of a run, at most the size of the window.
type detector struct {
	rules.Config
	memory
}

// memory is what the detector remembers of the observed events; its zero value is the memory of a new session.
type memory struct {
	calls       calls
	tests       tally // test runs that failed
	bash        cascade
	text        tally   // messages of the assistant without a tool call
	lastWarning float64 // milliseconds; `at` of the last event that was a loop
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return &detector{Config: rules.ConfigOf(s)}, nil }

// Reset forgets all events and keeps the configuration.
func (d *detector) Reset() { d.memory = memory{} } // FP-5

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	v := d.judge(e)
	if v.Loop && e.HasAt { // FP-41
		d.lastWarning = e.At
	}
	return v
}

// judge evaluates the rule for the type of the event.
func (d *detector) judge(e spec.Event) spec.Verdict { // FP-2
	switch e.Type {
	case spec.ToolCall:
		return d.observeCall(e)
	case spec.TestRun:
		d.tests.take(e, !e.Passed) // FP-28, FP-29
		return d.tests.verdict(spec.KindTestFix, d.TestFailures, rules.Rethink)
	case spec.ToolResult:
		return d.observeResult(e)
	case spec.Message:
		if rules.IsTurn(e) { // FP-39
			d.text.take(e, rules.IsTextOnly(e)) // FP-36, FP-37
		}
		return d.text.verdict(spec.KindSummary, d.TextTurns, func(int) string { return rules.SummaryMessage })
	default:
		return spec.Verdict{} // FP-1
	}
}

// State implements [spec.Stater].
func (d *detector) State() spec.Value { // FP-40
	if d.calls.exact == 0 {
		return rules.WriteState(d.Config, spec.NullValue(), spec.Verdict{}, d.lastWarning)
	}
	return rules.WriteState(d.Config, spec.StringValue(d.calls.tool), d.judgeCall(), d.lastWarning)
}

// tally counts a run of events of one kind.
type tally struct {
	count int
	trail spec.Trail // the latest events, be it of earlier runs; count says how many are of this one
}

// take lengthens the run by the event, or ends it.
func (t *tally) take(e spec.Event, lengthens bool) {
	if !lengthens {
		t.count = 0
		return
	}
	t.count = min(t.count+1, spec.MaxCount)
	t.trail.Add(e.Index)
}

// verdict returns the loop of a run that has at least the length least.
func (t *tally) verdict(kind spec.VerdictKind, least int, message func(count int) string) spec.Verdict {
	if t.count < least {
		return spec.Verdict{}
	}
	return spec.Verdict{Loop: true, Kind: kind, Count: t.count, Evidence: t.trail.Last(t.count), Message: message(t.count)}
}

// calls holds the last call and the two runs that it ends.
type calls struct {
	tool        string
	args        spec.Value
	canonical   string // args as RFC 8785 writes them; no call has an empty one
	fingerprint string // empty until it was needed; no call has an empty one
	exact       int    // identical calls at the end of the window, 1 to its size; 0 before any
	fuzzy       int    // calls with one fingerprint at the end of the window, exact to its size

	trail spec.Trail // all calls; the counts say how many of the latest ones are a run
}

// observeCall updates the runs by a tool call, which also ends the run of text-only turns.
func (d *detector) observeCall(e spec.Event) spec.Verdict {
	d.text.take(e, rules.IsTextOnly(e)) // FP-37
	d.bash.remember(e)
	d.extendRuns(e)
	v := d.judgeCall()
	if v.Loop {
		return rules.Nudged(v, d.calls.tool)
	}
	return v
}

// judgeCall judges the runs up to the last call: the exact rule first.
func (d *detector) judgeCall() spec.Verdict {
	c := &d.calls
	switch {
	case c.exact >= d.Threshold: // FP-18, FP-20
		return spec.Verdict{Loop: true, Kind: spec.KindExact, Count: c.exact, Evidence: c.trail.Last(c.exact)}
	case c.fuzzy >= d.FuzzyThreshold: // FP-19
		return spec.Verdict{Loop: true, Kind: spec.KindFuzzy, Count: c.fuzzy, Evidence: c.trail.Last(c.fuzzy)}
	default:
		return spec.Verdict{Count: c.exact} // FP-21
	}
}

// extendRuns makes the call the last one: each run goes on, or the call begins a new one.
func (d *detector) extendRuns(e spec.Event) {
	c := &d.calls
	c.trail.Add(e.Index)
	canonical := e.Args.Canonical()
	if c.tool == e.Tool && c.canonical == canonical { // FP-6, FP-7; identical calls have one fingerprint
		c.exact, c.fuzzy = d.extended(c.exact), d.extended(c.fuzzy)
		return
	}
	fuzzy, fingerprint := 1, ""
	if c.tool == e.Tool { // FP-15: those of two tools are never equal, and need not be computed
		fingerprint = compute(e.Tool, e.Args)
		if c.isAlike(fingerprint) {
			fuzzy = d.extended(c.fuzzy) // FP-17
		}
	}
	*c = calls{e.Tool, e.Args, canonical, fingerprint, 1, fuzzy, c.trail} // FP-23
}

// isAlike reports whether the last call has the fingerprint.
func (c *calls) isAlike(fingerprint string) bool {
	if c.fingerprint == "" {
		c.fingerprint = compute(c.tool, c.args)
	}
	return c.fingerprint == fingerprint
}

// usualBytes holds most fingerprints, so that computing one needs memory only for the result.
const usualBytes = 256

func compute(tool string, args spec.Value) string {
	var room [usualBytes]byte
	return string(rules.Append(room[:0], tool, args))
}

// extended returns the length of a run after one more call; the window cuts it off.
func (d *detector) extended(length int) int { return min(length+1, d.Window) } // FP-16

// cascade counts failing bash commands, and remembers which call a result may belong to.
type cascade struct {
	tally             // of failures
	failedOnFile bool // whether the last failing command works on a file
	lastOnFile   bool // whether the command of the last bash call does; false before any

	recent []rules.NamedCall // the last calls with an id, a ring once it is full
	oldest int               // position in recent that is overwritten next, where it is full
	byID   map[string]int    // position in recent of the latest call with that id
}

// remember notes a tool call, before its result is known.
func (c *cascade) remember(e spec.Event) { // FP-35
	if e.Tool == rules.Bash {
		c.lastOnFile = rules.OnFile(e.Args)
	}
	if e.HasID {
		c.store(rules.NamedCall{ID: e.ID, Tool: e.Tool, OnFile: rules.OnFile(e.Args)})
	}
}

// store makes the call the latest with its id, and forgets the oldest call if there are too many.
func (c *cascade) store(call rules.NamedCall) { // FP-34
	if c.byID == nil {
		c.byID = map[string]int{}
	}
	at := len(c.recent)
	if at < rules.MaxRemembered {
		c.recent = append(c.recent, call)
	} else {
		at = c.oldest
		if forgotten := c.recent[at].ID; c.byID[forgotten] == at {
			delete(c.byID, forgotten)
		}
		c.recent[at] = call
		c.oldest = (at + 1) % rules.MaxRemembered
	}
	c.byID[call.ID] = at
}

// callOf returns the call that a result names. If this call is not known, it returns a call without a tool and with the
// command of the last bash call.
func (c *cascade) callOf(result spec.Event) rules.NamedCall { // FP-32, FP-35
	if at, known := c.byID[result.Call]; known && result.HasCall {
		return c.recent[at] // FP-50
	}
	return rules.NamedCall{OnFile: c.lastOnFile}
}

// observeResult counts failures of bash commands. A result of another tool, or of an unknown tool, is neutral, and
// leaves the verdict as it is.
func (d *detector) observeResult(e spec.Event) spec.Verdict { // FP-31
	c := &d.bash
	call := c.callOf(e)
	if rules.ToolOf(e, call) == rules.Bash { // FP-31, FP-33
		c.take(e, !e.OK)
		if !e.OK {
			c.failedOnFile = call.OnFile // FP-35, FP-51
		}
	}
	return c.verdict(spec.KindBashCascade, d.BashFailures, func(n int) string {
		return rules.CascadeMessage(n, c.failedOnFile)
	})
}
