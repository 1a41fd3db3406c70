package fuzz

import (
	"context"
	"sync/atomic"

	"github.com/loopstone/loopstone/spec"
)

// meter is a Port that counts its executions: the traces and function calls that it was told.
type meter struct {
	spec.Port
	executions atomic.Int64
}

// Open implements [spec.Port].
func (m *meter) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	m.executions.Add(1)
	return m.Port.Open(ctx, d, r, config)
}

// Call implements [spec.Port].
func (m *meter) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	m.executions.Add(1)
	return m.Port.Call(ctx, function, r, args)
}

// Play implements [spec.Player], in one go where the port can.
func (m *meter) Play(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value, events []spec.Value) ([]spec.Value, error) {
	whole, ok := m.Port.(spec.Player)
	if !ok {
		return m.step(ctx, d, r, config, events)
	}
	m.executions.Add(1)
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
