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

	afterRestore string // what does nothing in a session that was restored: a reset, a snapshot, or another restore
	refused      string // the method that is refused
	refusal      spec.FaultKind

	resets, batches, events int
	restored                spec.Value // the state; absent before
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
	faulty := &faultySession{s, p.fault(), p.kept}
	if err == nil {
		err = faulty.refuse("session/open")
	}
	return faulty, err
}

type faultySession struct {
	spec.Session
	*fault
	kept *[]spec.Value
}

// refuse returns the refusal of a method, if it is refused.
func (f *fault) refuse(method string) error {
	if f.refused != method {
		return nil
	}
	return &spec.Fault{Kind: f.refusal, Message: "no"}
}

// isIdle reports whether a request does nothing because the session was restored.
func (f *fault) isIdle(request string) bool {
	return f.afterRestore == request && !f.restored.IsAbsent()
}

// Close implements [spec.Session].
func (s *faultySession) Close(ctx context.Context) error {
	return errors.Join(s.refuse("session/close"), s.Session.Close(ctx))
}

// Observe implements [spec.Session].
func (s *faultySession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	if err := s.refuse("session/observe"); err != nil {
		return nil, err
	}
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
	if err := s.refuse("session/reset"); err != nil {
		return err
	}
	if s.resets++; s.resets == s.lateReset || s.isIdle("reset") {
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
	if err := s.refuse("session/snapshot"); err != nil || s.isIdle("snapshot") {
		return s.restored, err
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
	if s.isIdle("restore") {
		return nil
	}
	s.restored = state
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

// TestWhatARestoredSessionForgetsToDoBreaksALaw: the first verdicts of a restored session are right.
func TestWhatARestoredSessionForgetsToDoBreaksALaw(t *testing.T) {
	t.Parallel()
	law, _ := laws.LawByID("snapshot-continuation")
	for _, test := range []struct {
		request, problem, clause string
		steps, step              int
	}{
		{"", "", "", 5, 0},
		{"reset", "reset after a restore", "PR-16", 2, 1},
		{"snapshot", "restored a second time, from a snapshot of the restored session", "PR-51", 3, 3},
		{"restore", "restored a second time, from a snapshot of the restored session", "PR-51", 3, 3},
	} {
		port := newFaultyPort(fault{afterRestore: test.request})
		err := law.Check(t.Context(), port, traceOf(`{"type":"tool_call","tool":"t"}`, test.steps))
		got := laws.Breach{Step: -1}
		if breach, broken := errors.AsType[*laws.Breach](err); broken {
			got = *breach
		}
		if got.Problem != test.problem || got.Clause != test.clause || got.Step+1 != test.step {
			t.Errorf("a %q does nothing after a restore: got %v (%s)", test.request, err, got.Clause)
		}
	}
}

// TestARefusalOfWhatEverySessionAcceptsBreaksALaw: configurations and events are a matter of agreement, and a store
// that does not respond is no fault of the port.
func TestARefusalOfWhatEverySessionAcceptsBreaksALaw(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		law, refused string
		kind         spec.FaultKind
		clause       string
	}{
		{"determinism", "session/open", spec.InvalidParams, "PR-13"},
		{"determinism", "session/open", spec.UnknownSession, "PR-13"},
		{"determinism", "session/open", spec.InvalidConfig, ""},
		{"determinism", "session/open", spec.Unsupported, ""},
		{"determinism", "session/open", spec.Unavailable, ""},
		{"determinism", "session/observe", spec.UnknownSession, "PR-14"},
		{"determinism", "session/observe", spec.InvalidEvent, ""},
		{"determinism", "session/observe", spec.Unavailable, ""},
		{"determinism", "session/close", spec.InvalidParams, "PR-17"},
		{"reset-is-fresh", "session/reset", spec.Unsupported, "PR-16"},
		{"reset-is-fresh", "session/reset", spec.Unavailable, ""},
		{"snapshot-continuation", "session/snapshot", spec.InvalidState, "PR-51"},
		{"snapshot-continuation", "session/reset", spec.InvalidParams, "PR-16"},
	} {
		law, _ := laws.LawByID(test.law)
		port := newFaultyPort(fault{refused: test.refused, refusal: test.kind})
		err := law.Check(t.Context(), port, traceOf(`{"type":"tool_call","tool":"t"}`, 4))
		breach, broken := errors.AsType[*laws.Breach](err)
		if broken != (test.clause != "") || broken && (breach.Clause != test.clause || !breach.Refused) {
			t.Errorf("%s refused with %s: got %v, want a breach of %q", test.refused, test.kind, err, test.clause)
		}
		if !broken && err == nil {
			t.Errorf("%s refused with %s: nobody is told", test.refused, test.kind)
		}
	}
}

// sudden is a port that refuses what is sent together.
type sudden struct{ spec.Port }

// Play implements [spec.Player].
func (sudden) Play(context.Context, spec.DetectorID, spec.Reading, spec.Value, []spec.Value) ([]spec.Value, error) {
	return nil, &spec.Fault{Kind: spec.InvalidParams}
}

// TestARefusalOfOneGoIsLookedInto: who is told a trace in one go does not say which request is refused.
func TestARefusalOfOneGoIsLookedInto(t *testing.T) {
	t.Parallel()
	law, _ := laws.LawByID("determinism")
	for _, test := range []struct {
		refused, clause string
	}{{"session/open", "PR-13"}, {"session/close", "PR-17"}, {"nothing by itself", "PR-3"}} {
		port := sudden{newFaultyPort(fault{refused: test.refused, refusal: spec.InvalidParams})}
		err := law.Check(t.Context(), port, traceOf(`{"type":"tool_call","tool":"t"}`, 4))
		if breach, broken := errors.AsType[*laws.Breach](err); !broken || breach.Clause != test.clause {
			t.Errorf("%s: got %v, want a breach of %s", test.refused, err, test.clause)
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
