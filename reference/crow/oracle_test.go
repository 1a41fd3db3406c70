package crow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// The rules told once more, as naively as possible: by going through the whole window at every event.

// oracle returns what the verdict after the events must be: kind, count and evidence; nothing without a loop.
func oracle(s settings, trace []spec.Value) spec.Verdict {
	window := window(s, trace)
	if len(window.events) == 0 || window.stored%s.checkEvery != 0 || !window.newest {
		return spec.Verdict{}
	}
	if s.reading == spec.Code {
		return codeOracle(window.events, s.cycles)
	}
	return textOracle(window.events)
}

type view struct {
	events []spec.Event
	stored int
	newest bool // the newest event of the trace was stored
}

func window(s settings, trace []spec.Value) view {
	var v view
	for i, value := range trace {
		e, _ := spec.DecodeEvent(value)
		e.Index = i
		if v.newest = e.Type != spec.Output; v.newest {
			v.events = append(v.events, e)
			v.stored++
		}
	}
	if s.recent > 0 {
		v.events = v.events[max(0, len(v.events)-s.recent):]
	}
	return v
}

func only(events []spec.Event, want func(spec.Event) bool) []spec.Event {
	var list []spec.Event
	for _, e := range events {
		if want(e) {
			list = append(list, e)
		}
	}
	return list
}

func ofType(typ spec.EventType) func(spec.Event) bool {
	return func(e spec.Event) bool { return e.Type == typ }
}

func isAssistant(e spec.Event) bool { return e.Type == spec.Message && e.Role == spec.Assistant }

func hasCalls(e spec.Event) bool { return len(e.ToolCalls.Items()) > 0 }

// every reports whether the predicate holds for all indices from … to−1.
func every(from, to int, holds func(int) bool) bool {
	for i := from; i < to; i++ {
		if !holds(i) {
			return false
		}
	}
	return true
}

// sameCall knows only as much as the generated arguments need: Value.Equal takes 1 for 1.0.
func sameCall(a, b spec.Event) bool {
	float := func(e spec.Event) bool { return strings.Contains(e.Args.String(), ".") }
	return a.Tool == b.Tool && a.Args.Equal(b.Args) && float(a) == float(b)
}

func found(kind spec.VerdictKind, count int, events []spec.Event) spec.Verdict {
	v := spec.Verdict{Loop: true, Kind: kind, Count: count}
	for _, e := range events {
		v.Evidence = append(v.Evidence, e.Index)
	}
	return v
}

func codeOracle(events []spec.Event, n int) spec.Verdict {
	calls, errors := only(events, ofType(spec.ToolCall)), only(events, ofType(spec.ErrorEvent))
	context := only(errors, func(e spec.Event) bool {
		return e.ErrorType == "context_length_exceeded" || strings.Contains(strings.ToLower(e.Message), "context")
	})
	c, e := len(calls), len(errors)
	switch {
	case len(events) < 2*n:
	case e >= 3 && every(e-3, e, func(i int) bool { return errors[i].Message == errors[e-1].Message }):
		return found(spec.KindRepeatingError, 3, errors[e-3:])
	case len(context) >= 2:
		return found(spec.KindContextError, len(context), context)
	case c >= n && every(c-n, c, func(i int) bool { return sameCall(calls[i], calls[c-1]) }):
		return found(spec.KindRepeatingAction, n, calls[c-n:])
	case codeMonologue(events) != nil:
		return found(spec.KindMonologue, 3, codeMonologue(events))
	case c >= 2*(n+3) && every(2, 2*(n+3), func(i int) bool { return sameCall(calls[i], calls[i-2]) }):
		return found(spec.KindAlternating, n+3, calls[:2*(n+3)])
	}
	return spec.Verdict{}
}

// codeMonologue returns the messages of a monologue, nil without one.
func codeMonologue(events []spec.Event) []spec.Event {
	said := only(events, isAssistant)
	if len(said) < 3 {
		return nil
	}
	said = said[len(said)-3:]
	position := func(e spec.Event) int { // Python's events.index(e)
		return slices.IndexFunc(events, func(f spec.Event) bool {
			return f.Type == e.Type && f.Role == e.Role && f.Content == e.Content && f.ToolCalls.Equal(e.ToolCalls)
		})
	}
	answered := slices.ContainsFunc(events, func(e spec.Event) bool {
		return e.Type == spec.Message && e.Role == spec.User && position(e) >= position(said[0])
	})
	if answered || slices.ContainsFunc(said, hasCalls) {
		return nil
	}
	return said
}

// naiveStep is a call and the outcome that was found for it.
type naiveStep struct{ call, outcome spec.Event }

func (s naiveStep) answered() bool { return s.outcome.Type != "" }

func sameStep(a, b naiveStep) bool {
	return a.answered() && b.answered() && sameCall(a.call, b.call) && a.outcome.Type == b.outcome.Type &&
		a.outcome.Content == b.outcome.Content && a.outcome.OK == b.outcome.OK && a.outcome.Message == b.outcome.Message
}

// naiveSteps returns the calls with their outcomes, up to the last that has one.
func naiveSteps(events []spec.Event) []naiveStep {
	var steps []naiveStep
	for _, e := range events {
		switch e.Type {
		case spec.ToolCall:
			steps = append(steps, naiveStep{call: e})
		case spec.ToolResult, spec.ErrorEvent:
			if i := owner(steps, e); i >= 0 && !steps[i].answered() {
				steps[i].outcome = e
			}
		}
	}
	for len(steps) > 0 && !steps[len(steps)-1].answered() {
		steps = steps[:len(steps)-1]
	}
	return steps
}

func owner(steps []naiveStep, e spec.Event) int {
	for i := len(steps) - 1; i >= 0; i-- {
		call := steps[i].call
		switch {
		case e.HasCall:
			if call.HasID && call.ID == e.Call {
				return i
			}
		case !steps[i].answered() && (!e.HasTool || call.Tool == e.Tool):
			return i
		}
	}
	return -1
}

func callsOf(steps []naiveStep) []spec.Event {
	var calls []spec.Event
	for _, s := range steps {
		calls = append(calls, s.call)
	}
	return calls
}

// longest returns the largest n for which the last n steps are a run by the given law of neighbours; 0 without steps.
func longest(steps []naiveStep, law func(i, from int) bool) int {
	for from := range steps {
		if every(from, len(steps), func(i int) bool { return steps[i].answered() && law(i, from) }) {
			return len(steps) - from
		}
	}
	return 0
}

func textOracle(events []spec.Event) spec.Verdict {
	steps := naiveSteps(events)
	equal := longest(steps, func(i, from int) bool { return i == from || sameStep(steps[i], steps[i-1]) })
	rounds := longest(steps, func(i, from int) bool {
		return (i == from || !sameStep(steps[i], steps[i-1])) && (i < from+2 || sameStep(steps[i], steps[i-2]))
	}) / 2
	failed := len(steps) > 0 && steps[len(steps)-1].outcome.Type == spec.ErrorEvent
	context := only(events, func(e spec.Event) bool {
		text := strings.ToLower(e.Message)
		return e.ErrorType == "context_length_exceeded" ||
			strings.Contains(text, "context window") || strings.Contains(text, "context length")
	})
	said := textMonologue(events)
	switch {
	case failed && equal >= 3:
		return found(spec.KindRepeatingError, equal, callsOf(steps[len(steps)-equal:]))
	case len(context) >= 2:
		return found(spec.KindContextError, len(context), context)
	case !failed && equal >= 4:
		return found(spec.KindRepeatingAction, equal, callsOf(steps[len(steps)-equal:]))
	case len(said) >= 3:
		return found(spec.KindMonologue, len(said), said)
	case rounds >= 6:
		return found(spec.KindAlternating, rounds, callsOf(steps[len(steps)-2*rounds:]))
	}
	return spec.Verdict{}
}

func textMonologue(events []spec.Event) []spec.Event {
	breaks := func(e spec.Event) bool {
		return e.Type == spec.ToolCall || e.Type == spec.Message && (e.Role == spec.User || isAssistant(e) && hasCalls(e))
	}
	for i := len(events) - 1; i >= 0; i-- {
		if breaks(events[i]) {
			return only(events[i+1:], isAssistant)
		}
	}
	return only(events, isAssistant)
}

func TestVerdictsAreThoseOfTheNaiveRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		verdicts := observe(t, open(t, s), trace)
		for i, got := range verdicts {
			want := oracle(s, trace[:i+1])
			checkNaively(t, i, got, want)
		}
	})
}

func checkNaively(t *rapid.T, i int, got spec.Value, want spec.Verdict) {
	if !want.Loop {
		if got.String() != `{"loop":false}` {
			t.Fatalf("event %d: got %s, want no loop", i, got)
		}
		return
	}
	for _, member := range []string{"loop", "kind", "count", "evidence"} {
		if w := want.Value().Get(member); !w.Equal(got.Get(member)) {
			t.Fatalf("event %d: %s is %s, want %s", i, member, got.Get(member), w)
		}
	}
}
