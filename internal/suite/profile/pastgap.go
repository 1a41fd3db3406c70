package profile

import (
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// Gaps that a call shows only after certain other calls.

// withoutBegunLaps leaves out each call at which it matters that forgecode divides all calls into laps from the first
// one on: it counts a lap that has only begun, and reports nothing if the laps, each taken as a whole one, are longer
// than all calls.
func withoutBegunLaps(Profile) func(spec.Value) bool {
	var made []string
	return func(event spec.Value) bool {
		if spec.TypeOf(event) != spec.ToolCall {
			return false
		}
		calls := append(slices.Clone(made), writtenCall(event))
		if reportsBegunLaps(calls) != hasThreeLaps(calls) {
			return true
		}
		made = calls
		return false
	}
}

// reportsBegunLaps reports whether calls have three laps, counted as forgecode does.
func reportsBegunLaps(calls []string) bool {
	for period := 1; period < len(calls); period++ {
		n, begun := repeatedFor(calls, period), len(calls)%period
		if n < period+begun {
			continue
		}
		found := (n - begun) / period
		if begun > 0 {
			found++
		}
		if found >= 3 {
			return found*period <= len(calls)
		}
	}
	return false
}

// hasThreeLaps reports whether calls end with three whole laps.
func hasThreeLaps(calls []string) bool {
	for period := 1; period <= len(calls)/3; period++ {
		if repeatedFor(calls, period) >= 3*period {
			return true
		}
	}
	return false
}

// repeatedFor returns how many of the last calls, those of the last lap included, repeat with a period.
func repeatedFor(calls []string, period int) int {
	n := period
	for n < len(calls) && calls[len(calls)-1-n] == calls[len(calls)-1-n+period] {
		n++
	}
	return n
}

// writtenCall returns a call as text; the order of its arguments counts.
func writtenCall(event spec.Value) string {
	return event.Get("tool").String() + event.Get("args").String()
}

// withoutOthersAfterRuns leaves out each call, with its answer, that differs from three equal ones before it. Calls
// are answered at once.
func withoutOthersAfterRuns(p Profile, steps []laws.Step) (kept []laws.Step) {
	type run struct {
		of string
		n  int
	}
	runs, called := map[int]run{}, map[int]laws.Step{} // by session
	for _, s := range answeredAtOnce(p, steps) {
		if s.IsReset() {
			delete(runs, s.Session)
		}
		switch spec.TypeOf(s.Event) {
		case spec.ToolCall:
			called[s.Session] = s
			continue
		case spec.ToolResult, spec.ErrorEvent:
			call := called[s.Session]
			of := call.Event.Get("tool").String() + call.Event.Get("args").Canonical() + answerOf(s.Event)
			r := runs[s.Session]
			switch {
			case r.of == of:
				r.n++
			case r.n >= 3:
				continue
			default:
				r = run{of, 1}
			}
			runs[s.Session] = r
			kept = append(kept, call)
		}
		kept = append(kept, s)
	}
	return kept
}

// answerOf returns an answer as text.
func answerOf(event spec.Value) string {
	return event.Get("type").String() + event.Get("ok").String() + event.Get("content").String() +
		event.Get("message").String()
}
