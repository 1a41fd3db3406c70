package fuzz

import (
	"context"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// recorder is a Port that notes what it is asked and what it answers, so that the traces that a law makes of a
// counterexample can become a case.
type recorder struct {
	spec.Port

	mu       sync.Mutex // guards what follows
	sessions int
	requests []request
}

// request is what one session was told. Events that travelled together are one request.
type request struct {
	session int // from 1, in the order in which they were opened
	config  spec.Value
	action  cases.Action
	events  []spec.Value // observe
	state   spec.Value   // snapshot: what came; restore: what was put back
}

func (r *recorder) note(q request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
}

// Open implements [spec.Port].
func (r *recorder) Open(ctx context.Context, d spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := r.Port.Open(ctx, d, reading, config)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions++
	return &recorded{s, r, r.sessions, config}, nil
}

// recorded is a session of a recorder.
type recorded struct {
	spec.Session
	recorder *recorder
	number   int
	config   spec.Value
}

// Observe implements [spec.Session].
func (s *recorded) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	s.recorder.note(request{session: s.number, config: s.config, action: cases.Observe, events: events})
	return s.Session.Observe(ctx, events)
}

// Reset implements [spec.Session].
func (s *recorded) Reset(ctx context.Context) error {
	s.recorder.note(request{session: s.number, config: s.config, action: cases.Reset})
	return s.Session.Reset(ctx)
}

// Snapshot implements [spec.Session].
func (s *recorded) Snapshot(ctx context.Context) (spec.Value, error) {
	state, err := s.Session.Snapshot(ctx)
	s.recorder.note(request{session: s.number, config: s.config, action: cases.Snapshot, state: state})
	return state, err
}

// Restore implements [spec.Session].
func (s *recorded) Restore(ctx context.Context, state spec.Value) error {
	s.recorder.note(request{session: s.number, config: s.config, action: cases.Restore, state: state})
	return s.Session.Restore(ctx, state)
}
