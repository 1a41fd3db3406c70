package conformance_test

import (
	"context"

	"github.com/loopstone/loopstone/reference/fast/history"
	"github.com/loopstone/loopstone/spec"
)

// historyPort is what every adapter of these tests serves where it does not misbehave.
func historyPort() spec.Port {
	return spec.NewHost(spec.Description{Name: "small", Version: "1", Language: "go"}, history.Implementation())
}

// guest is a port in this process with one strange session.
type guest struct {
	spec.Port
	observe func(tool string, verdicts []spec.Value) ([]spec.Value, error)
}

type guestSession struct {
	spec.Session
	guest *guest
}

// Open implements [spec.Port].
func (g *guest) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := g.Port.Open(ctx, id, reading, config)
	return &guestSession{s, g}, err
}

// Observe implements [spec.Session].
func (s *guestSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	if err != nil {
		return nil, err
	}
	tool, _ := events[0].Get("tool").Str()
	return s.guest.observe(tool, verdicts)
}
