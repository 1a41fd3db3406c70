package fuzz_test

import (
	"context"

	"github.com/loopstone/loopstone/spec"
)

// watched is a port whose sessions observe events as somebody else says.
type watched struct {
	spec.Port
	session func() observing // called for each session that is opened
}

// observing tells a session events, or does something else in its place.
type observing func(ctx context.Context, s spec.Session, events []spec.Value) ([]spec.Value, error)

// Open implements [spec.Port].
func (w watched) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := w.Port.Open(ctx, d, r, config)
	return watchedSession{s, w.session()}, err
}

type watchedSession struct {
	spec.Session
	observe observing
}

// Observe implements [spec.Session].
func (s watchedSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	return s.observe(ctx, s.Session, events)
}

// counting returns a port that calls count for each request with events: with how many the session got until then, and
// how many events this one has.
func counting(port spec.Port, count func(requests, events int)) spec.Port {
	return watched{port, func() observing {
		requests := 0
		return func(ctx context.Context, s spec.Session, events []spec.Value) ([]spec.Value, error) {
			requests++
			count(requests, len(events))
			return s.Observe(ctx, events)
		}
	}}
}
