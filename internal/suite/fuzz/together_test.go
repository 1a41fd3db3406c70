package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestWhoDiesIsBlamedAlone: in a scan of all checks, others are under way with the trace that brings the port down.
// Each check must find the crash by itself, and none may take what happened to it for a port that changes its mind.
func TestWhoDiesIsBlamedAlone(t *testing.T) {
	t.Parallel()
	for _, r := range judged(t, crashingAdapter(t), "agreement", "key-order", "prefix") {
		if r.Failure == nil || strings.Contains(r.Failure.Problem, "not deterministic") {
			t.Errorf("%s is %s: %+v; want a failure that says how the port ended", r.Case, r.Status, r.Failure)
		}
	}
}

// moody is a port that does not see the first two loops: the one that a scan comes upon, and the same played again.
func moody(port spec.Port) spec.Port {
	var missed atomic.Int64
	isLoop := func(v spec.Value) bool { return v.Get("loop").IsTrue() }
	return watched{port, func() observing {
		return func(ctx context.Context, s spec.Session, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Observe(ctx, events)
			if slices.ContainsFunc(verdicts, isLoop) && missed.Add(1) <= 2 {
				for i := range verdicts {
					verdicts[i] = spec.MustParse(`{"loop":false,"count":1}`)
				}
			}
			return verdicts, err
		}
	}}
}

// TestWhatFailsOnceIsNotForgotten: the scan saw it, and the port alone does not repeat it.
func TestWhatFailsOnceIsNotForgotten(t *testing.T) {
	t.Parallel()
	port := moody(spec.NewHost(spec.Description{}, reference.Implementation(spec.History)))
	r := judged(t, port, "agreement")[0]
	if r.Failure == nil || !strings.Contains(r.Failure.Problem, "not deterministic") {
		t.Errorf("got %s, %+v; want a port that is not deterministic", r.Status, r.Failure)
	}
}

// TestAUsualJudgementTellsAFractionOfAThoroughOne: with the suite's cases, and bounded by the checks.
func TestAUsualJudgementTellsAFractionOfAThoroughOne(t *testing.T) {
	if testing.Short() {
		t.Skip("the reference is judged three times: make long runs it")
	}
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	events := func(checks int, thorough bool) int64 {
		var told atomic.Int64
		port := counting(reference.Port(), func(_, events int) { told.Add(int64(events)) })
		budget := fuzz.Budget{Checks: checks, Seeds: []int64{1}, Suite: suite, Thorough: thorough}
		results, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For, fuzz.Cases(), budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Status != conformance.Passed {
				t.Errorf("%s (%s) is %s: %s", r.Case, r.Reading, r.Status, r.Reason)
			}
		}
		return told.Load()
	}
	usual, half, thorough := events(100, false), events(50, false), events(100, true)
	if usual*8 > thorough {
		t.Errorf("a usual judgement tells %d events, a thorough one %d; want at most an eighth", usual, thorough)
	}
	if half*10 > usual*7 {
		t.Errorf("half as many checks tell %d events of %d; --checks must bound all of it", half, usual)
	}
}

// TestNobodyWaitsForAThousandAnswersInTurn: a law that sends a request for each event gets the beginning of a long trace,
// unless the budget is thorough.
func TestNobodyWaitsForAThousandAnswersInTurn(t *testing.T) {
	t.Parallel()
	const length = 1000
	call := spec.MustParse(`{"type":"tool_call","tool":"t"}`)
	source := func(offer spec.Offer, reading spec.Reading) func(*rapid.T) fuzz.Subject {
		trace := laws.Trace{Detector: offer.Detector, Reading: reading, Steps: slices.Repeat([]laws.Step{{Event: call}}, length)}
		return func(rt *rapid.T) fuzz.Subject {
			rapid.Bool().Draw(rt, "what rapid needs to draw")
			return fuzz.Subject{Trace: trace}
		}
	}
	selected, err := cases.Selection{Cases: []string{"history-law-isolation", "history-law-batch-split"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for _, thorough := range []bool{false, true} {
		got := 0 // requests of the longest session; in this process one subject is under way at a time
		port := counting(spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), func(requests, _ int) {
			got = max(got, requests)
		})
		budget := fuzz.Budget{Checks: 1, Seeds: []int64{1}, Thorough: thorough}
		if _, err := fuzz.Judge(t.Context(), port, reference.Port(), source, selected, budget); err != nil {
			t.Fatal(err)
		}
		if got >= length != thorough || got < 10 {
			t.Errorf("thorough %t: a session got %d requests of %d events", thorough, got, length)
		}
	}
}
