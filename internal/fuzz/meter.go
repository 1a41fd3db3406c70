package fuzz

import (
	"context"
	"sync/atomic"

	"github.com/loopstone/loopstone/spec"
)

// tally counts what ports were told. Several meters may write to the same one.
type tally struct {
	sessions atomic.Int64 // each is an execution: the trace of one agent
	calls    atomic.Int64 // each is an execution too
	events   atomic.Int64 // of all sessions
}

// meter is a Port that counts what it is told.
type meter struct {
	spec.Port
	tally *tally
}

// Open implements [spec.Port].
func (m *meter) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	m.tally.sessions.Add(1)
	s, err := m.Port.Open(ctx, d, r, config)
	if err != nil {
		return nil, err
	}
	return meteredSession{s, m.tally}, nil
}

// Call implements [spec.Port].
func (m *meter) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	m.tally.calls.Add(1)
	return m.Port.Call(ctx, function, r, args)
}

// Play implements [spec.Player], in one go where the port can.
func (m *meter) Play(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value, events []spec.Value) ([]spec.Value, error) {
	whole, ok := m.Port.(spec.Player)
	if !ok {
		return m.step(ctx, d, r, config, events)
	}
	m.tally.sessions.Add(1)
	m.tally.events.Add(int64(len(events)))
	return whole.Play(ctx, d, r, config, events)
}

func (m *meter) step(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value, events []spec.Value) ([]spec.Value, error) {
	s, err := m.Open(ctx, d, r, config)
	if err != nil {
		return nil, err
	}
	verdicts, err := s.Observe(ctx, events)
	if closeErr := s.Close(ctx); err == nil {
		err = closeErr
	}
	return verdicts, err
}

// meteredSession counts the events of a session.
type meteredSession struct {
	spec.Session
	tally *tally
}

// Observe implements [spec.Session].
func (s meteredSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	s.tally.events.Add(int64(len(events)))
	return s.Session.Observe(ctx, events)
}
