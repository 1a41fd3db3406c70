package fuzz

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// drawCalls draws traces of a few calls of tools with short names.
func drawCalls(t *rapid.T) Subject {
	s := Subject{Trace: laws.Trace{Detector: spec.History, Reading: spec.Code}}
	for _, tool := range rapid.SliceOfN(rapid.StringMatching("[a-z]{1,3}"), 0, 8).Draw(t, "tools") {
		s.Steps = append(s.Steps, laws.Step{Event: spec.ObjectValue(
			spec.Member{Name: "type", Value: spec.StringValue("tool_call")},
			spec.Member{Name: "tool", Value: spec.StringValue(tool)},
		)})
	}
	return s
}

// calls reports whether a trace has a call of a tool whose name begins so.
func calls(s Subject, start string) bool {
	for _, step := range s.Steps {
		if tool, _ := step.Event.Get("tool").Str(); strings.HasPrefix(tool, start) {
			return true
		}
	}
	return false
}

// checkOfCalls is a check that a subject fails where fails says so; no port is asked.
func checkOfCalls(id string, fails func(Subject) bool) Check {
	return Check{
		ID: id, About: func(Subject) bool { return true },
		Run: func(_ context.Context, _ spec.Port, s Subject) error {
			if fails(s) {
				return &Finding{Check: id, Problem: "it fails", Step: -1}
			}
			return nil
		},
	}
}

func fuzzerOf(port spec.Port, together int, checks ...Check) *Fuzzer {
	h := &Fuzzer{
		Pair: Pair{port, port}, Detector: spec.History, Reading: spec.Code, Checks: checks, Draw: drawCalls,
		Together: together,
	}
	return h.toldTo(&tally{})
}

func TestAScanNamesTheFirstThatFailsHoweverManyAreUnderWay(t *testing.T) {
	t.Parallel()
	check := checkOfCalls("q", func(s Subject) bool { return calls(s, "q") })
	want := -1
	for _, together := range []int{1, 4, 16} {
		h := fuzzerOf(reference.Port(), together, check)
		l := h.drawn(check, 300, 1)
		for i := 0; want < 0; i++ {
			if calls(l.at(i), "q") {
				want = i
			}
		}
		got, err := h.scan(t.Context(), check, l)
		if err != nil || got.first != want {
			t.Errorf("%d at once: got %+v, %v, want %d", together, got, err, want)
		}
	}
}

func TestEachCheckAndRoundHasSubjectsOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[uint64]bool{}
	for _, check := range []string{AgreementID, "prefix"} {
		for round := range uint64(20) {
			seeds := seedsOf(check, 1+round)
			for i := range roundChecks {
				if seen[seeds(i)] {
					t.Fatalf("subject %d of %s in round %d was there before", i, check, round)
				}
				seen[seeds(i)] = true
			}
		}
	}
}

func TestWhatFailsOnceIsNotDeterministic(t *testing.T) {
	t.Parallel()
	var once sync.Once
	check := checkOfCalls("odd", func(Subject) bool {
		failed := false
		once.Do(func() { failed = true })
		return failed
	})
	c, err := fuzzerOf(reference.Port(), 4, check).look(t.Context(), check, 50, 1)
	if err != nil || c == nil || c.Finding.Check != "determinism" {
		t.Errorf("got %v, %v, want a finding of determinism", c, err)
	}
}

func TestALookThatIsInterruptedIsNoPass(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	check := checkOfCalls("slow", func(Subject) bool { cancel(); return false })
	if c, err := fuzzerOf(reference.Port(), 1, check).look(ctx, check, 50, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v, want the interruption", c, err)
	}
}
