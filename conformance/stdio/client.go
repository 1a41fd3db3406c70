package stdio

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// Client is an adapter that was started and is spoken to. It is a [spec.Port] that any number of goroutines may use at
// once: their requests travel together, as far as the window allows, and are answered in order.
//
// A call whose context ends returns at once, but its request was sent and takes effect: a session that it was for is
// best closed. Where the adapter is gone, every call returns the same [*ProcessError].
type Client struct {
	process     *process
	link        *link
	options     Options
	description spec.Description
	sessions    atomic.Int64 // how many were named
	events      atomic.Int64 // that were sent

	closing sync.Once
}

// Start starts an adapter and introduces the runner to it. Its error is a [*ProcessError], or the refusal of
// initialize. Cancelling ctx, then or later, kills the adapter. Whoever starts a Client closes it.
func Start(ctx context.Context, command Command, options Options) (*Client, error) {
	p, err := startProcess(ctx, command, options)
	if err != nil {
		return nil, err
	}
	c := &Client{process: p, link: newLink(p), options: p.options}
	suite := spec.ObjectValue(
		spec.Member{Name: "name", Value: spec.StringValue("loopstone")},
		spec.Member{Name: "version", Value: spec.StringValue(p.options.SuiteVersion)},
	)
	hello := c.request("initialize", checkDescription, param("protocol", spec.IntValue(protocol)), param("suite", suite))
	hello.limit = p.options.StartTimeout
	result, err := c.link.do(context.WithoutCancel(ctx), hello) // the link's own error says more
	if err != nil {
		c.Close()
		if gone, ok := errors.AsType[*ProcessError](err); ok && gone.Method == "" { // it was gone before it could be asked
			gone.Method = hello.method
		}
		return nil, err
	}
	c.description, err = parseDescription(result)
	return c, err
}

// Describe implements [spec.Port] with what the adapter said of itself when it was started.
func (c *Client) Describe(context.Context) (spec.Description, error) { return c.description, nil }

// Sent returns how many requests were sent to the adapter so far, and how many events were in them.
func (c *Client) Sent() (requests, events int) {
	_, last := c.link.turn()
	return last - firstID + 1, int(c.events.Load())
}

// Err returns nil while the adapter can be asked, and otherwise what every call returns.
func (c *Client) Err() error { return c.link.err() }

// Open implements [spec.Port]. The client names the sessions.
func (c *Client) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	s := c.newSession()
	if _, err := c.link.do(ctx, s.open(detector, reading, config)); err != nil {
		return nil, err
	}
	return s, nil
}

// Call implements [spec.Port]. An empty reading and absent args are not sent.
func (c *Client) Call(ctx context.Context, function string, reading spec.Reading, args spec.Value) (spec.Value, error) {
	params := []spec.Member{text("function", function)}
	if reading != "" {
		params = append(params, text("reading", string(reading)))
	}
	result, err := c.link.do(ctx, c.request("function/call", checkValue, append(params, param("args", args))...))
	return result.Get("value"), err
}

// request returns a call that is yet to be sent.
func (c *Client) request(method string, check func(spec.Value) error, params ...spec.Member) *call {
	return &call{
		method: method, params: paramsOf(params), values: params, check: check, limit: c.options.RequestTimeout,
	}
}

const shutdownMethod = "shutdown"

// Close ends the adapter: it asks it to shut down, ends its input, and where that is not enough, sends SIGTERM and
// then SIGKILL, to it and all that it has started. Each of these steps takes at most the StopTimeout, but the last,
// which needs no time. When Close returns, no goroutine, process or pipe of the client is left. Closing again does no
// harm.
func (c *Client) Close() { c.end(c.options.StopTimeout) }

// end is Close with another limit for each step. It reports whether the process has ended without a signal.
func (c *Client) end(limit time.Duration) (willing bool) {
	willing = true
	c.closing.Do(func() {
		c.shutdown(limit)
		var ended bool
		if willing, ended = c.process.stop(limit); !ended {
			_ = c.process.output.Close() // the reader has nothing more to expect
		}
		c.link.workers.Wait()
		c.process.release()
	})
	return willing
}

// shutdown asks the adapter to shut down, and waits for its answer.
func (c *Client) shutdown(limit time.Duration) {
	c.link.shut()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, _ = c.link.do(ctx, &call{method: shutdownMethod, check: checkObject}) // it is ended either way
}

// Play implements [spec.Player]: the session is opened, told all events and closed in three requests that travel
// together, so that a trace costs one round trip.
func (c *Client) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	s := c.newSession()
	calls := [3]*call{
		s.open(detector, reading, config), s.observe(events), s.request("session/close", checkObject),
	}
	for _, each := range calls {
		if err := c.link.post(ctx, each); err != nil {
			return nil, err
		}
	}
	var results [3]spec.Value
	var problems [3]error
	for i, each := range calls {
		results[i], problems[i] = c.link.await(ctx, each)
	}
	opened, observed, closed := problems[0], problems[1], problems[2]
	switch {
	case opened != nil: // the others are refused for want of a session
		return nil, opened
	case observed != nil:
		return nil, observed
	case closed != nil:
		return nil, fmt.Errorf("close the session: %w", closed)
	default:
		return results[1].Get("verdicts").Items(), nil
	}
}

// session implements [spec.Session] over a client.
type session struct {
	client *Client
	name   string
}

// newSession returns a session that is yet to be opened. Any text is a name, so that some are odd.
func (c *Client) newSession() *session {
	n := c.sessions.Add(1)
	name := "s" + strconv.FormatInt(n, 10)
	if n%8 == 0 {
		name = `/"é" 😀.` + name
	}
	return &session{c, name}
}

func (s *session) request(method string, check func(spec.Value) error, params ...spec.Member) *call {
	c := s.client.request(method, check, append([]spec.Member{text("session", s.name)}, params...)...)
	c.session = s.name
	return c
}

func (s *session) open(detector spec.DetectorID, reading spec.Reading, config spec.Value) *call {
	return s.request("session/open", checkObject, text("detector", string(detector)), text("reading", string(reading)),
		param("config", config))
}

func (s *session) observe(events []spec.Value) *call {
	s.client.events.Add(int64(len(events)))
	return s.request("session/observe", checkVerdicts(len(events)), param("events", spec.ArrayValue(events...)))
}

func (s *session) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	result, err := s.client.link.do(ctx, s.observe(events))
	return result.Get("verdicts").Items(), err
}

func (s *session) Reset(ctx context.Context) error {
	_, err := s.client.link.do(ctx, s.request("session/reset", checkObject))
	return err
}

func (s *session) State(ctx context.Context) (spec.Value, error) {
	result, err := s.client.link.do(ctx, s.request("session/state", checkState))
	return result.Get("state"), err
}

func (s *session) Snapshot(ctx context.Context) (spec.Value, error) {
	result, err := s.client.link.do(ctx, s.request("session/snapshot", checkState))
	return result.Get("state"), err
}

func (s *session) Restore(ctx context.Context, state spec.Value) error {
	_, err := s.client.link.do(ctx, s.request("session/restore", checkObject, param("state", state)))
	return err
}

func (s *session) Close(ctx context.Context) error {
	_, err := s.client.link.do(ctx, s.request("session/close", checkObject))
	return err
}
