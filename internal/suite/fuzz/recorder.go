package fuzz

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// recorder is a Port that tells somebody what it was asked and what came of it: a tally, or who makes a case of it.
type recorder struct {
	spec.Port
	told     func(request)
	sessions *atomic.Int64 // of all processes of the port
}

func newRecorder(port spec.Port, told func(request)) *recorder {
	return &recorder{port, told, new(atomic.Int64)}
}

// request is what a session was told, and what came of it. Events that travelled together are one request.
type request struct {
	session  int // from 1, in the order in which they were opened
	config   spec.Value
	action   cases.Action
	events   []spec.Value // observe
	verdicts []spec.Value // observe
	state    spec.Value   // snapshot: what came; restore: what was put back
	err      error
}

// What a port is asked beside what a step of a case may do.
const (
	opened cases.Action = "open"
	called cases.Action = "call"
)

// Open implements [spec.Port].
func (t *recorder) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	s, err := t.Port.Open(ctx, d, r, config)
	of := request{session: int(t.sessions.Add(1)), config: config}
	t.tell(of, request{action: opened, err: err})
	if err != nil {
		return nil, err
	}
	return &recordedSession{s, t, of}, nil
}

// Other implements [laws.Paired], where the port does.
func (t *recorder) Other(ctx context.Context) (spec.Port, error) {
	paired, ok := t.Port.(laws.Paired)
	if !ok {
		return t, nil
	}
	other, err := paired.Other(ctx)
	return &recorder{other, t.told, t.sessions}, err
}

// tell tells of a request of a session.
func (t *recorder) tell(of, q request) {
	q.session, q.config = of.session, of.config
	t.told(q)
}

// Call implements [spec.Port].
func (t *recorder) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	value, err := t.Port.Call(ctx, function, r, args)
	t.told(request{action: called, err: err})
	return value, err
}

// Play implements [spec.Player], in one go where the port can.
func (t *recorder) Play(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	if whole, ok := t.Port.(spec.Player); ok {
		verdicts, err := whole.Play(ctx, d, r, config, events)
		of := request{session: int(t.sessions.Add(1)), config: config}
		t.tell(of, request{action: opened, err: err})
		t.tell(of, request{action: cases.Observe, events: events, verdicts: verdicts, err: err})
		return verdicts, err
	}
	s, err := t.Open(ctx, d, r, config)
	if err != nil {
		return nil, err
	}
	verdicts, err := s.Observe(ctx, events)
	if closeErr := s.Close(ctx); err == nil {
		err = closeErr
	}
	return verdicts, err
}

// recordedSession is a session of a recorder.
type recordedSession struct {
	spec.Session
	by *recorder
	of request
}

// Observe implements [spec.Session].
func (s *recordedSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	s.by.tell(s.of, request{action: cases.Observe, events: events, verdicts: verdicts, err: err})
	return verdicts, err
}

// Reset implements [spec.Session].
func (s *recordedSession) Reset(ctx context.Context) error {
	err := s.Session.Reset(ctx)
	s.by.tell(s.of, request{action: cases.Reset, err: err})
	return err
}

// Snapshot implements [spec.Session].
func (s *recordedSession) Snapshot(ctx context.Context) (spec.Value, error) {
	state, err := s.Session.Snapshot(ctx)
	s.by.tell(s.of, request{action: cases.Snapshot, state: state, err: err})
	return state, err
}

// Restore implements [spec.Session].
func (s *recordedSession) Restore(ctx context.Context, state spec.Value) error {
	err := s.Session.Restore(ctx, state)
	s.by.tell(s.of, request{action: cases.Restore, state: state, err: err})
	return err
}

// tally counts what ports were told. Several recorders may tell the same one.
type tally struct {
	sessions atomic.Int64 // each is an execution: the trace of one agent
	calls    atomic.Int64 // each is an execution too
	events   atomic.Int64 // of all sessions
	verdicts atomic.Int64
	accepted atomic.Int64 // sessions whose configuration was not refused
	loops    atomic.Int64 // verdicts
}

func (t *tally) add(q request) {
	var refused *spec.Fault
	switch q.action {
	case called:
		t.calls.Add(1)
	case opened:
		t.sessions.Add(1)
		if !errors.As(q.err, &refused) || refused.Kind == spec.InvalidEvent { // a trace that is told in one go has both
			t.accepted.Add(1)
		}
	case cases.Observe:
		t.events.Add(int64(len(q.events)))
		t.verdicts.Add(int64(len(q.verdicts)))
		for _, v := range q.verdicts {
			if v.Get("loop").IsTrue() {
				t.loops.Add(1)
			}
		}
	}
}

// unexercised says why a check that found nothing has shown nothing; it is empty where it has.
func (t *tally) unexercised() string {
	switch {
	case t.loops.Load() > 0:
		return ""
	case t.accepted.Load() == 0:
		return "not exercised: every session was refused"
	default:
		return "not exercised: no verdict was a loop"
	}
}
