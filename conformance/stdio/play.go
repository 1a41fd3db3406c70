package stdio

import (
	"context"
	"fmt"
	"strconv"

	"github.com/loopstone/loopstone/spec"
)

// Play implements [spec.Player]: the session is opened, told all events and closed in three requests that travel
// together, so that a trace costs one round trip.
func (c *Client) Play(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value) ([]spec.Value, error) {
	name := "s" + strconv.FormatInt(c.sessions.Add(1), 10)
	prepare := func(method string, b body, check func(spec.Value) error) *call {
		return &call{method: method, session: name, body: b.end(), check: check, limit: c.options.RequestTimeout}
	}
	calls := []*call{
		prepare("session/open", newBody(nil, "session/open", "session", name).
			text("detector", string(detector)).text("reading", string(reading)).value("config", config), checkObject),
		prepare("session/observe", newBody(nil, "session/observe", "session", name).array("events", events),
			checkVerdicts(len(events))),
		prepare("session/close", newBody(nil, "session/close", "session", name), checkObject),
	}
	for _, each := range calls {
		if err := c.link.post(ctx, each); err != nil {
			return nil, err
		}
	}
	return c.collect(ctx, calls)
}

// collect waits for the answers to the three requests of Play. Where the session could not be opened, the others are
// refused for want of a session, and what counts is why it could not.
func (c *Client) collect(ctx context.Context, calls []*call) ([]spec.Value, error) {
	var results [3]spec.Value
	var problems [3]error
	for i, each := range calls {
		results[i], problems[i] = c.link.await(ctx, each)
	}
	opened, observed, closed := problems[0], problems[1], problems[2]
	switch {
	case opened != nil:
		return nil, opened
	case observed != nil:
		return nil, observed
	case closed != nil:
		return nil, fmt.Errorf("close the session: %w", closed)
	default:
		return results[1].Get("verdicts").Items(), nil
	}
}
