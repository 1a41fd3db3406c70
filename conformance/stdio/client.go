package stdio

import (
	"context"
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

	closing sync.Once
	ending  Ending
}

// Start starts an adapter and introduces the runner to it. Its error is a [*ProcessError], or the refusal of
// initialize. Cancelling ctx, then or later, kills the adapter. Whoever starts a Client closes it.
func Start(ctx context.Context, command Command, options Options) (*Client, error) {
	options = options.withDefaults()
	p, err := startProcess(ctx, command, options.StderrLimit)
	if err != nil {
		return nil, err
	}
	return introduce(ctx, p, options)
}

// Pipe serves a port within this process and returns a Client of it: the same code as with a process, but for the
// process. A panic of the port fails the Client and nothing else. Cancelling ctx and Close end the port's calls
// through their context; a call that does not heed it is left behind, and [Ending] says so.
func Pipe(ctx context.Context, port spec.Port, options Options) (*Client, error) {
	options = options.withDefaults()
	p, err := startGuest(ctx, port, options.StderrLimit)
	if err != nil {
		return nil, err
	}
	return introduce(ctx, p, options)
}

func introduce(ctx context.Context, p *process, options Options) (*Client, error) {
	c := &Client{process: p, link: newLink(ctx, p, options), options: options}
	suite := spec.ObjectValue(
		spec.Member{Name: "name", Value: spec.StringValue("loopstone")},
		spec.Member{Name: "version", Value: spec.StringValue(options.SuiteVersion)},
	)
	body := body(`"method":"initialize","params":{"protocol":`+strconv.Itoa(Version)).value("suite", suite)
	request := &call{method: "initialize", body: body.end(), check: checkDescription, limit: options.StartTimeout}
	result, err := c.link.do(context.WithoutCancel(ctx), request) // the link's own error says more
	if err != nil {
		c.Close()
		return nil, err
	}
	c.description, err = parseDescription(result)
	return c, err
}

// Describe implements [spec.Port] with what the adapter said of itself when it was started.
func (c *Client) Describe(context.Context) (spec.Description, error) { return c.description, nil }

// Err returns nil while the adapter can be asked, and otherwise what every call returns.
func (c *Client) Err() error { return c.link.err() }

// Stderr returns the last lines that the adapter wrote there so far.
func (c *Client) Stderr() string { return lastLines(c.process.stderr.String(), stderrLines) }

// Open implements [spec.Port]. The client names the sessions.
func (c *Client) Open(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	s := &session{client: c, name: "s" + strconv.FormatInt(c.sessions.Add(1), 10)}
	b := s.begin("session/open").text("detector", string(detector)).text("reading", string(reading)).value("config", config)
	if _, err := s.do(ctx, "session/open", b, checkObject); err != nil {
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
		c.ending.Needed = c.process.stop(c.options.StopTimeout)
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
