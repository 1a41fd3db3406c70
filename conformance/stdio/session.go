package stdio

import (
	"context"

	"github.com/loopstone/loopstone/spec"
)

// session implements [spec.Session] over a client.
type session struct {
	client *Client
	name   string

	// For the next request; a session has one caller at a time.
	buffer []byte
	spare  *call // one that was settled; nil without one
}

func (s *session) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	b := s.begin("session/observe").array("events", events)
	result, err := s.do(ctx, "session/observe", b, checkVerdicts(len(events)))
	if err != nil {
		return nil, err
	}
	return result.Get("verdicts").Items(), nil
}

func (s *session) Reset(ctx context.Context) error {
	_, err := s.do(ctx, "session/reset", s.begin("session/reset"), checkObject)
	return err
}

func (s *session) State(ctx context.Context) (spec.Value, error) {
	result, err := s.do(ctx, "session/state", s.begin("session/state"), checkState)
	return result.Get("state"), err
}

func (s *session) Snapshot(ctx context.Context) (spec.Value, error) {
	result, err := s.do(ctx, "session/snapshot", s.begin("session/snapshot"), checkState)
	return result.Get("state"), err
}

func (s *session) Restore(ctx context.Context, state spec.Value) error {
	_, err := s.do(ctx, "session/restore", s.begin("session/restore").value("state", state), checkObject)
	return err
}

func (s *session) Close(ctx context.Context) error {
	_, err := s.do(ctx, "session/close", s.begin("session/close"), checkObject)
	return err
}

func (s *session) begin(method string) body { return newBody(s.buffer[:0], method, "session", s.name) }

func (s *session) do(ctx context.Context, method string, b body, check func(spec.Value) error) (spec.Value, error) {
	line := b.end()
	c := s.take()
	c.method, c.session, c.body, c.check, c.limit = method, s.name, line, check, s.client.options.RequestTimeout
	result, err := s.client.link.do(ctx, c)
	s.buffer = trimmed(line)
	if c.settled {
		s.spare = c
	}
	return result, err
}

// take returns a call that the link knows nothing of.
func (s *session) take() *call {
	c := s.spare
	if c == nil {
		return new(call)
	}
	s.spare, c.settled = nil, false
	return c
}
