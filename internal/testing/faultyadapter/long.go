package faultyadapter

import (
	"context"

	"github.com/loopstone/loopstone/spec"
)

// Spoilt is a port of this process whose sessions go wrong where a session is long, or an event is large. What a
// member leaves nil is as the port has it.
type Spoilt struct {
	spec.Port

	Silent  func(events, size int) bool // no loop is reported after so many events, or on an event of so many bytes
	Refuses func(size int) bool         // an event of so many bytes is refused
	Empty   func(events int) bool       // a snapshot taken after so many events is one of a session without any
}

// Open opens a session that goes wrong.
func (s Spoilt) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	open := func() (spec.Session, error) { return s.Port.Open(ctx, id, reading, config) }
	session, err := open()
	return &spoiltSession{Session: session, port: s, open: open}, err
}

type spoiltSession struct {
	spec.Session

	port     Spoilt
	open     func() (spec.Session, error)
	observed int
}

func (s *spoiltSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	sizes := make([]int, len(events))
	for i, event := range events {
		sizes[i] = len(event.String())
		if s.port.Refuses != nil && s.port.Refuses(sizes[i]) {
			return nil, &spec.Fault{Kind: spec.InvalidEvent, Message: "it is too large"}
		}
	}
	verdicts, err := s.Session.Observe(ctx, events)
	for i := range verdicts {
		s.observed++
		if s.port.Silent != nil && s.port.Silent(s.observed, sizes[i]) {
			verdicts[i] = spec.Verdict{}.Value()
		}
	}
	return verdicts, err
}

func (s *spoiltSession) Snapshot(ctx context.Context) (spec.Value, error) {
	if s.port.Empty == nil || !s.port.Empty(s.observed) {
		return s.Session.Snapshot(ctx)
	}
	empty, err := s.open()
	if err != nil {
		return spec.Value{}, err
	}
	return empty.Snapshot(ctx)
}
