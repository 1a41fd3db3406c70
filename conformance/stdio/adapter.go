package stdio

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/loopstone/loopstone/spec"
)

// Adapter is a Port behind the stdio protocol that is started anew where it ended, hung or broke the protocol.
type Adapter struct {
	command Command
	options Options
	client  atomic.Pointer[Client] // calls of many goroutines meet a Restart
	late    atomic.Int64           // processes that were given up for an answer that did not come in time

	stubborn atomic.Bool // a process outlived the end of its input, so that the next have less time for it

	mu               sync.Mutex // guards what follows
	other            *Client    // a second process; nil without one
	requests, events int        // that were sent to processes that are used no more
}

// StartAdapter starts the command. Its error is a [*ProcessError], or the refusal of initialize.
func StartAdapter(ctx context.Context, command Command, options Options) (*Adapter, error) {
	client, err := Start(ctx, command, options)
	if err != nil {
		return nil, err
	}
	a := &Adapter{command: command, options: options}
	a.client.Store(client)
	return a, nil
}

// Describe implements [spec.Port].
func (a *Adapter) Describe(ctx context.Context) (spec.Description, error) {
	return a.client.Load().Describe(ctx)
}

// Open implements [spec.Port].
func (a *Adapter) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	return a.client.Load().Open(ctx, detector, reading, config)
}

// Call implements [spec.Port].
func (a *Adapter) Call(
	ctx context.Context, function string, reading spec.Reading, args spec.Value,
) (spec.Value, error) {
	return a.client.Load().Call(ctx, function, reading, args)
}

// Play implements [spec.Player].
func (a *Adapter) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	return a.client.Load().Play(ctx, detector, reading, config, events)
}

// Restart implements [Restarter]: what is left of the old process is ended first.
func (a *Adapter) Restart(ctx context.Context) error {
	a.giveUp(a.client.Load())
	client, err := a.startAgain(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(a.client.Swap(client))
	return nil
}

// startAgain starts the command once more. A process that says another thing of itself than the first is another port,
// and of no use.
func (a *Adapter) startAgain(ctx context.Context) (*Client, error) {
	first, _ := a.client.Load().Describe(ctx) // it was told when that one was started
	client, err := Start(ctx, a.command, a.limits())
	if err != nil {
		return nil, err
	}
	if now, _ := client.Describe(ctx); !reflect.DeepEqual(first, now) {
		a.end(client)
		return nil, &ProcessError{
			Reason: BrokeProtocol, Clause: "PR-11", Command: "the adapter", Method: "initialize",
			Problem: "started again, it describes itself otherwise",
		}
	}
	return client, nil
}

// limits returns the options of the next process.
func (a *Adapter) limits() Options {
	if a.late.Load() >= FullWaits {
		return a.options.hurriedUp()
	}
	return a.options
}

// giveUp ends a process, and counts it if it was waited for in vain.
func (a *Adapter) giveUp(c *Client) {
	if gone, ok := errors.AsType[*ProcessError](c.Err()); ok && gone.inVain {
		a.late.Add(1)
	}
	a.end(c)
}

// end ends a process, which gets a part of the usual time if another one did not end by itself.
func (a *Adapter) end(c *Client) {
	limit := c.options.StopTimeout
	if a.stubborn.Load() {
		limit /= Hurry
	}
	if !c.end(limit) {
		a.stubborn.Store(true)
	}
}

// Spawn implements [Spawner]: it starts the command once more.
func (a *Adapter) Spawn(ctx context.Context) (spec.Port, func(), error) {
	client, err := a.startAgain(ctx)
	if err != nil {
		return nil, nil, err
	}
	return client, func() { a.end(client) }, nil
}

// Other implements [laws.Paired]: it returns a second process of the command, another one where that is gone.
func (a *Adapter) Other(ctx context.Context) (spec.Port, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.other != nil && a.other.Err() == nil {
		return a.other, nil
	}
	a.endOther()
	client, err := a.startAgain(ctx)
	if err != nil {
		return nil, err
	}
	a.other = client
	return client, nil
}

// endOther ends the second process, if there is one. Whoever calls it holds mu.
func (a *Adapter) endOther() {
	if a.other != nil {
		a.count(a.other)
		a.giveUp(a.other)
		a.other = nil
	}
}

// count adds what a process was sent that is used no more. Whoever calls it holds mu.
func (a *Adapter) count(used *Client) {
	requests, events := used.Sent()
	a.requests, a.events = a.requests+requests, a.events+events
}

// Sent returns how many requests were sent to the adapter's processes so far, and how many events were in them.
func (a *Adapter) Sent() (requests, events int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	requests, events = a.client.Load().Sent()
	return a.requests + requests, a.events + events
}

// Close ends the processes.
func (a *Adapter) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endOther()
	a.end(a.client.Load())
}

// Restarter is implemented by a Port that can be made to work again after it could not be asked: its process ended,
// hung or broke the protocol. All sessions are gone then.
type Restarter interface {
	Restart(ctx context.Context) error
}

// Spawner is a Port that can run as several instances, each in a process of its own. If a Port is not a Spawner, each
// of its sessions counts as an instance: a store cannot tell the sessions of one process from the sessions of
// several.
type Spawner interface {
	spec.Port
	// Spawn starts another instance. The caller ends it.
	Spawn(ctx context.Context) (port spec.Port, end func(), err error)
}
