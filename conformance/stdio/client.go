// Package stdio is the stdio protocol of Loopstone, version 1: JSON-RPC 2.0, one message per line.
//
// [Serve] is the adapter's half: it makes any [spec.Port] in Go answer to any runner. A [Client] is the runner's half:
// it starts an adapter as a process ([Start]) or serves a Port within this process ([Pipe]), and is a Port itself, so
// that whoever tests does not see the difference. A [Wire] is a started adapter and its bare pipes, for checks that
// have to send what no client would.
//
// Two kinds of error matter to callers and are told apart with errors.As. A [*spec.Fault] is a refusal: the request
// was wrong and the port is well. A [*ProcessError] means that the port is gone, and says why; every later call returns
// it too. Between them stands a [*CodeError]: the port refused, but with an error that the protocol does not have.
package stdio

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

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
	ending  Ending
}

// Start starts an adapter and introduces the runner to it. Its error is a [*ProcessError], or the refusal of
// initialize. Cancelling ctx, then or later, kills the adapter. Whoever starts a Client closes it.
func Start(ctx context.Context, command Command, options Options) (*Client, error) {
	return introduce(startProcess(ctx, command, options))
}

// Pipe serves a port within this process and returns a Client of it: the same code as with a process, but for the
// process. A panic of the port fails the Client and nothing else. Cancelling ctx and Close end the port's calls
// through their context; a call that does not heed it is left behind, and [Ending] says so.
func Pipe(ctx context.Context, port spec.Port, options Options) (*Client, error) {
	return introduce(startGuest(ctx, port, options))
}

// introduce greets an adapter that was started, unless there was an error.
func introduce(p *process, err error) (*Client, error) {
	if err != nil {
		return nil, err
	}
	c := &Client{process: p, link: newLink(p), options: p.options}
	suite := spec.ObjectValue(
		spec.Member{Name: "name", Value: spec.StringValue("loopstone")},
		spec.Member{Name: "version", Value: spec.StringValue(p.options.SuiteVersion)},
	)
	body := body(`"method":"initialize","params":{"protocol":`+strconv.Itoa(protocol)).value("suite", suite)
	request := &call{method: "initialize", body: body.end(), check: checkDescription, limit: p.options.StartTimeout}
	result, err := c.link.do(context.WithoutCancel(p.ctx), request) // the link's own error says more
	if err != nil {
		c.Close()
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
	s := &session{client: c, name: c.newName()}
	b := s.begin("session/open").text("detector", string(detector)).text("reading", string(reading))
	if _, err := s.do(ctx, "session/open", b.value("config", config), checkObject); err != nil {
		return nil, err
	}
	return s, nil
}

// Call implements [spec.Port]. An empty reading and absent args are not sent.
func (c *Client) Call(ctx context.Context, function string, reading spec.Reading, args spec.Value) (spec.Value, error) {
	b := newBody(nil, "function/call", "function", function)
	if reading != "" {
		b = b.text("reading", string(reading))
	}
	body := b.value("args", args).end()
	request := &call{method: "function/call", body: body, check: checkValue, limit: c.options.RequestTimeout}
	result, err := c.link.do(ctx, request)
	return result.Get("value"), err
}

const shutdownMethod = "shutdown"

// Close ends the adapter: it asks it to shut down, ends its input, and where that is not enough, sends SIGTERM and
// then SIGKILL, to it and all that it has started. Each of these steps takes at most the StopTimeout, but the last,
// which needs no time. When Close returns, no goroutine, process or pipe of the client is left. Closing again returns
// the same.
func (c *Client) Close() Ending {
	c.closing.Do(func() {
		c.ending.Shutdown = c.shutdown()
		c.ending.Needed = c.process.stop()
		if c.ending.Needed == Abandoned {
			_ = c.process.output.Close() // the reader has nothing more to expect
		}
		c.link.workers.Wait()
		c.ending.Exit = c.process.release()
		c.ending.Stderr = c.process.stderr.String()
		if f := c.link.failure; f.Reason != Closed {
			c.ending.Failure = f
		}
	})
	return c.ending
}

// shutdown asks the adapter to shut down and reports whether it answered.
func (c *Client) shutdown() bool {
	c.link.shut()
	ctx, cancel := context.WithTimeout(context.Background(), c.options.StopTimeout)
	defer cancel()
	request := &call{method: shutdownMethod, body: []byte("\"method\":\"shutdown\"}\n"), check: checkObject}
	_, err := c.link.do(ctx, request)
	return err == nil
}

// Play implements [spec.Player]: the session is opened, told all events and closed in three requests that travel
// together, so that a trace costs one round trip.
func (c *Client) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	c.events.Add(int64(len(events)))
	name := c.newName()
	prepare := func(method string, b body, check func(spec.Value) error) *call {
		return &call{method: method, session: name, body: b.end(), check: check, limit: c.options.RequestTimeout}
	}
	open := newBody(nil, "session/open", "session", name).text("detector", string(detector)).
		text("reading", string(reading)).value("config", config)
	observe := newBody(nil, "session/observe", "session", name).array("events", events)
	calls := [3]*call{
		prepare("session/open", open, checkObject),
		prepare("session/observe", observe, checkVerdicts(len(events))),
		prepare("session/close", newBody(nil, "session/close", "session", name), checkObject),
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

// newName returns a name for one more session. Any text is one, so that some are odd.
func (c *Client) newName() string {
	n := c.sessions.Add(1)
	name := "s" + strconv.FormatInt(n, 10)
	if n%8 == 0 {
		return `/"é" 😀.` + name
	}
	return name
}

// session implements [spec.Session] over a client.
type session struct {
	client *Client
	name   string
	buffer []byte // for the next request: a session has one caller at a time
}

func (s *session) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	s.client.events.Add(int64(len(events)))
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
	c := &call{method: method, session: s.name, body: line, check: check, limit: s.client.options.RequestTimeout}
	result, err := s.client.link.do(ctx, c)
	s.buffer = trimmed(line)
	return result, err
}
