package laws_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// faultyPort is the reference with a fault in each of its sessions, and another process of it.
type faultyPort struct {
	spec.Port
	fault func() *fault
	kept  *[]spec.Value // snapshots of this process, by their handles
}

// fault counts what a session was asked, and says where it goes wrong.
type fault struct {
	lateReset int // the reset of this number is forgotten
	silent    int // in the batch of this number nothing is said
	most      int // a snapshot after more events forgets them; 0: none does
	handles   bool
	bare      bool // loops have no evidence
	stubborn  bool // an ignored event gets the verdict before it again
	talkative bool // the first verdict of each batch has a member that the protocol does not know

	resets, batches, events int
}

func newFaultyPort(made fault) faultyPort {
	return faultyPort{reference.Port(), func() *fault { f := made; return &f }, &[]spec.Value{}}
}

// Other implements [laws.Paired].
func (p faultyPort) Other(context.Context) (spec.Port, error) {
	return faultyPort{p.Port, p.fault, &[]spec.Value{}}, nil
}

// Open implements [spec.Port].
func (p faultyPort) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := p.Port.Open(ctx, d, r, config)
	return &faultySession{s, p.fault(), p.kept}, err
}

type faultySession struct {
	spec.Session
	*fault
	kept *[]spec.Value
}

// Observe implements [spec.Session].
func (s *faultySession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	s.batches++
	s.events += len(events)
	verdicts, err := s.Session.Observe(ctx, events)
	for i, v := range verdicts {
		if s.batches == s.silent {
			verdicts[i] = spec.MustParse(`{"loop":false,"count":0}`)
		}
		if s.stubborn && i > 0 && events[i].Get("type").Text() == "iteration" {
			verdicts[i] = verdicts[i-1]
		}
		if s.bare {
			verdicts[i] = v.Without("evidence")
		}
		if s.talkative && i == 0 {
			verdicts[i] = v.With("note", spec.IntValue(s.batches))
		}
	}
	return verdicts, err
}

// Reset implements [spec.Session].
func (s *faultySession) Reset(ctx context.Context) error {
	if s.resets++; s.resets == s.lateReset {
		return nil
	}
	return s.Session.Reset(ctx)
}

// Snapshot implements [spec.Session].
func (s *faultySession) Snapshot(ctx context.Context) (spec.Value, error) {
	if s.most > 0 && s.events > s.most {
		if err := s.Session.Reset(ctx); err != nil {
			return spec.Value{}, err
		}
	}
	state, err := s.Session.Snapshot(ctx)
	if s.handles {
		*s.kept = append(*s.kept, state)
		state = spec.MustParse(fmt.Sprintf(`{"handle":%d}`, len(*s.kept)-1))
	}
	return state, err
}

// Restore implements [spec.Session].
func (s *faultySession) Restore(ctx context.Context, state spec.Value) error {
	if s.handles {
		handle, _ := state.Get("handle").Int()
		if handle >= len(*s.kept) {
			return &spec.Fault{Kind: spec.InvalidState}
		}
		state = (*s.kept)[handle]
	}
	return s.Session.Restore(ctx, state)
}

// TestFaultsOfLongSessionsBreakLaws plants what cases of a few events do not see.
func TestFaultsOfLongSessionsBreakLaws(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","tool":"t"}`
	few := traceOf(call, 4)
	for _, test := range []struct {
		reason, law string
		fault       fault
		trace       laws.Trace
		problem     string
	}{
		{"nothing is wrong", "reset-is-fresh", fault{}, few, ""},
		{"nothing is wrong", "batch-split", fault{}, few, ""},
		{"nothing is wrong", "snapshot-continuation", fault{}, traceOf(call, 12), ""},
		{"nothing is wrong", "evidence", fault{}, few, ""},
		{"a third reset is forgotten", "reset-is-fresh", fault{lateReset: 3}, traceOf(call, 12), "a reset"},
		{"a sixth batch is not looked at", "batch-split", fault{silent: 6}, few, "several events"},
		{"a snapshot is a handle", "snapshot-continuation", fault{handles: true}, few, "another process of it refuses"},
		{"a late snapshot is empty", "snapshot-continuation", fault{most: 50}, traceOf(call, 12), "more than 50"},
		{"nothing is wrong", "neutral-events", fault{}, traceOf(call, 12), ""},
		{"an ignored event is a loop", "neutral-events", fault{stubborn: true}, traceOf(call, 12), "at an event of another type"},
		{"a loop has no evidence", "evidence", fault{bare: true}, few, "without the evidence"},
	} {
		law, known := laws.LawByID(test.law)
		if !known {
			t.Fatalf("there is no law %s", test.law)
		}
		err := law.Check(t.Context(), newFaultyPort(test.fault), test.trace)
		breach, broken := errors.AsType[*laws.Breach](err)
		if broken != (test.problem != "") || broken && !strings.Contains(breach.Problem, test.problem) {
			t.Errorf("%s: %s: got %v, want %q", test.reason, test.law, err, test.problem)
		}
		if broken && breach.Step >= len(test.trace.Steps) {
			t.Errorf("%s: %s: step %d of %d", test.reason, test.law, breach.Step+1, len(test.trace.Steps))
		}
	}
}

// TestUnknownMembersBreakNoLaw: a later version of a port may say more in some verdicts than in others (PR-4).
func TestUnknownMembersBreakNoLaw(t *testing.T) {
	t.Parallel()
	trace := traceOf(`{"type":"tool_call","tool":"t"}`, 12)
	for _, law := range laws.Laws() {
		if !law.HoldsFor(trace.Detector, trace.Reading) {
			continue
		}
		if err := law.Check(t.Context(), newFaultyPort(fault{talkative: true}), trace); err != nil {
			t.Errorf("%s: %v", law.ID, err)
		}
	}
}

// traceOf returns a trace of history of n equal events.
func traceOf(event string, n int) laws.Trace {
	t := laws.Trace{Detector: spec.History, Reading: spec.Code}
	for range n {
		t.Steps = append(t.Steps, laws.Step{Event: spec.MustParse(event)})
	}
	return t
}
