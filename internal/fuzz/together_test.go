package fuzz_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// told is a port that counts the events that it is told.
type told struct {
	spec.Port
	events atomic.Int64
}

func (p *told) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := p.Port.Open(ctx, d, r, config)
	return &toldSession{s, p}, err
}

type toldSession struct {
	spec.Session
	port *told
}

func (s *toldSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	s.port.events.Add(int64(len(events)))
	return s.Session.Observe(ctx, events)
}

// TestAUsualJudgementTellsATenthOfAThoroughOne: with the suite's cases, and bounded by the checks.
func TestAUsualJudgementTellsATenthOfAThoroughOne(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	events := func(checks int, thorough bool) int64 {
		port := &told{Port: reference.Port()}
		budget := fuzz.Budget{Checks: checks, Seeds: []int64{1}, Suite: suite, Thorough: thorough}
		results, err := fuzz.Judge(t.Context(), port, reference.Port(), generate.For, fuzz.Cases(), budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Status != conformance.Passed {
				t.Errorf("%s (%s) is %s: %s", r.Case, r.Reading, r.Status, r.Reason)
			}
		}
		return port.events.Load()
	}
	usual, half, thorough := events(100, false), events(50, false), events(100, true)
	if usual*10 > thorough {
		t.Errorf("a usual judgement tells %d events, a thorough one %d; want at most a tenth", usual, thorough)
	}
	if half*10 > usual*7 {
		t.Errorf("half as many checks tell %d events of %d; --checks must bound all of it", half, usual)
	}
}
