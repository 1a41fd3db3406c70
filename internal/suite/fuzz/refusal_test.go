package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// full is a port that opens so many sessions in a process, and refuses all further ones.
type full struct {
	spec.Port
	room    int64
	refusal spec.FaultKind
	opened  *atomic.Int64
}

func (p full) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	if p.opened.Add(1) > p.room {
		return nil, &spec.Fault{Kind: p.refusal, Message: "too many sessions"}
	}
	return p.Port.Open(ctx, d, r, config)
}

// renewed is a full port that can be started anew.
type renewed struct{ full }

// Restart implements [stdio.Restarter].
func (p renewed) Restart(context.Context) error {
	p.opened.Store(0)
	return nil
}

// TestASessionThatIsRefusedBreaksALaw: the port takes every trace, but not every session.
func TestASessionThatIsRefusedBreaksALaw(t *testing.T) {
	t.Parallel()
	const refused = "the port refused what it must accept"
	some := full{reference.Port(), 30, spec.InvalidParams, new(atomic.Int64)}
	for _, test := range []struct {
		reason  string
		port    spec.Port
		status  conformance.Status
		problem string
		clause  string
	}{
		{"every further session", some, conformance.Failed, refused, "PR-13"},
		{
			"every further session of the process",
			renewed{full{reference.Port(), 30, spec.InvalidParams, new(atomic.Int64)}},
			conformance.Failed, refused + "; " + conformance.PassesAlone, "PR-18",
		},
		{
			"the store does not respond",
			full{reference.Port(), 0, spec.Unavailable, new(atomic.Int64)},
			conformance.Undecided, "not exercised: every session was refused", "",
		},
	} {
		law := cases.Case{
			ID: "history-law-determinism", Detector: spec.History, Readings: []spec.Reading{spec.Code}, Tags: []string{"law"},
		}
		budget := fuzz.Budget{Checks: 300, Seeds: []int64{1}, Reference: reference.Port()}
		results, err := fuzz.Judge(t.Context(), test.port, reference.Port(), tracegen.For, []cases.Case{law}, budget)
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		r := results[0]
		got := r.Reason
		if r.Failure != nil {
			got = r.Failure.Problem
		}
		if r.Status != test.status || got != test.problem || strings.Join(r.Clauses, " ") != test.clause {
			t.Errorf("%s: got %s: %s %s", test.reason, r.Status, got, r.Clauses)
		}
	}
}

// forgetful is a port whose other process restores each session once.
type forgetful struct{ spec.Port }

// Other implements [laws.Paired].
func (p forgetful) Other(context.Context) (spec.Port, error) { return onceRestored(p), nil }

type onceRestored struct{ spec.Port }

func (p onceRestored) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	s, err := p.Port.Open(ctx, d, r, config)
	return &onceRestoredSession{Session: s}, err
}

type onceRestoredSession struct {
	spec.Session
	restored bool
}

func (s *onceRestoredSession) Restore(ctx context.Context, state spec.Value) error {
	if s.restored {
		return nil
	}
	s.restored = true
	return s.Session.Restore(ctx, state)
}

// TestACaseRestoresWhatItHasTakenOut: a state that is written out in a case is one port's alone, and sessions of two
// processes are two.
func TestACaseRestoresWhatItHasTakenOut(t *testing.T) {
	t.Parallel()
	impl := reference.Implementation(spec.History)
	h := fuzz.NewFuzzer(forgetful{spec.NewHost(spec.Description{}, impl)}, reference.Port(), tracegen.For, impl.Offer, spec.Code)
	place := slices.IndexFunc(h.Checks, func(c fuzz.Check) bool { return c.ID == "snapshot-continuation" })
	call := laws.Step{Event: spec.MustParse(`{"type":"tool_call","tool":"t"}`)}
	made, err := h.Case(t.Context(), reference.Port(), h.Checks[place], fuzz.Counterexample{
		Subject: fuzz.Subject{Trace: laws.Trace{
			Detector: spec.History, Reading: spec.Code, Steps: []laws.Step{call, call, call},
		}},
		Finding: fuzz.Finding{Check: "snapshot-continuation"},
	})
	if err != nil {
		t.Fatal(err)
	}
	restores := 0
	for _, step := range made.Steps {
		if step.Action == cases.Restore {
			restores++
			if step.Name == "" || step.Session != made.Steps[len(made.Steps)-1].Session {
				t.Errorf("restored is %q %s in the session %q", step.Name, step.State, step.Session)
			}
		}
	}
	if restores != 0 && restores != 2 {
		t.Errorf("the case restores %d times", restores)
	}
}
