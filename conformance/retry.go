package conformance

import (
	"context"
	"fmt"
	"sync"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Restarter is implemented by a Port that can be made to work again after it could not be asked: its process ended,
// hung or broke the protocol. All sessions are gone then.
type Restarter interface {
	Restart(ctx context.Context) error
}

// defaultRestarts bounds the time that a port takes which dies on many cases.
const defaultRestarts = 20

// interrupted is a task that was under way when the port could not be asked any more, so that it may be the cause.
type interrupted struct {
	*task
	where Failure // the step that was waiting for the port
	cause error
}

// retryEach decides about tasks of which any may be the cause of what befell the port: each is run alone.
//
// An adapter that broke the protocol is at fault even where no case makes it do so alone: some confuse only requests
// that arrive together. Crashes and missing answers are another matter, since the machine may have been at fault. The
// candidates are in the order in which they were interrupted; the first speaks for all.
func (r *runner) retryEach(ctx context.Context, candidates []*interrupted) {
	again := false
	for _, c := range candidates {
		r.retry(ctx, c.task)
		again = again || c.result.Status == Broken
	}
	if len(candidates) == 0 || again {
		return
	}
	status, reason, _ := attribute(candidates[0])
	if status != Broken {
		return
	}
	together := ""
	if len(candidates) > 1 {
		together = fmt.Sprintf(" while %d cases were under way, and not when each was run alone", len(candidates))
	}
	first := &candidates[0].result
	first.Status, first.Failure = Broken, nil
	first.Reason = fmt.Sprintf("the adapter failed%s: %s", together, reason)
}

// retry carries out one task while nothing else is under way. What goes wrong in a process that was asked nothing
// before, the task has caused; where others were run before it, it is run once more.
func (r *runner) retry(ctx context.Context, t *task) {
	for {
		if !r.up(ctx) {
			r.giveUp(ctx, []*task{t})
			return
		}
		fresh := r.fresh
		r.fresh = false
		gone := r.attempt(ctx, t)
		if gone == nil {
			return
		}
		if fresh {
			t.result.Status, t.result.Reason, t.result.Failure = attribute(gone)
			r.finished(0, t.result.Status)
			return
		}
	}
}

// up makes sure that the port can be asked. One that cannot is started anew, where it can and may be.
func (r *runner) up(ctx context.Context) bool {
	if !r.down {
		return true
	}
	port, ok := r.port.(Restarter)
	if !ok || ctx.Err() != nil || r.noStart != nil || r.restarts >= r.maxRestarts() {
		return false
	}
	r.restarts++
	if r.noStart = port.Restart(ctx); r.noStart != nil {
		return false
	}
	r.down, r.fresh = false, true
	return true
}

func (r *runner) maxRestarts() int {
	if r.options.MaxRestarts != 0 {
		return max(r.options.MaxRestarts, 0)
	}
	return defaultRestarts
}

// whyStopped says why tasks are given up.
func (r *runner) whyStopped(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return fmt.Sprintf("not run: the run was ended: %v", context.Cause(ctx))
	case r.failedFast():
		return "not run: the run stops at the first case that does not pass"
	case r.noStart != nil:
		return fmt.Sprintf("not run: the port could not be started again: %v", r.noStart)
	case r.restarts == 1:
		return "not run: the port had to be started anew once"
	case r.restarts > 1:
		return fmt.Sprintf("not run: the port had to be started anew %d times", r.restarts)
	default:
		return "not run: the port is gone, and cannot be started anew"
	}
}

// giveUp leaves tasks undecided. An adapter that does not start again is at fault, and the first of them says so.
func (r *runner) giveUp(ctx context.Context, tasks []*task) {
	reason := r.whyStopped(ctx)
	for _, t := range tasks {
		t.result.Status, t.result.Reason = Undecided, reason
	}
	if r.noStart != nil && !r.reported && !isNobodysFault(r.noStart) {
		r.reported = true
		tasks[0].result.Status = Broken
	}
}

// Adapter is a Port behind the stdio protocol that is started anew where it ended, hung or broke the protocol.
type Adapter struct {
	start func(context.Context) (*stdio.Client, error)

	mu     sync.Mutex // guards client: calls of many goroutines meet a Restart
	client *stdio.Client
}

// StartAdapter starts the command. Its error is a [*stdio.ProcessError], or the refusal of initialize.
func StartAdapter(ctx context.Context, command stdio.Command, options stdio.Options) (*Adapter, error) {
	return newAdapter(ctx, func(ctx context.Context) (*stdio.Client, error) {
		return stdio.Start(ctx, command, options)
	})
}

// PipeAdapter serves a Port of this process through the same protocol, without a process.
func PipeAdapter(ctx context.Context, port spec.Port, options stdio.Options) (*Adapter, error) {
	return newAdapter(ctx, func(ctx context.Context) (*stdio.Client, error) {
		return stdio.Pipe(ctx, port, options)
	})
}

func newAdapter(ctx context.Context, start func(context.Context) (*stdio.Client, error)) (*Adapter, error) {
	client, err := start(ctx)
	if err != nil {
		return nil, err
	}
	return &Adapter{start: start, client: client}, nil
}

func (a *Adapter) current() *stdio.Client {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.client
}

// Describe implements [spec.Port].
func (a *Adapter) Describe(ctx context.Context) (spec.Description, error) {
	return a.current().Describe(ctx)
}

// Open implements [spec.Port].
func (a *Adapter) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	return a.current().Open(ctx, detector, reading, config)
}

// Call implements [spec.Port].
func (a *Adapter) Call(
	ctx context.Context, function string, reading spec.Reading, args spec.Value,
) (spec.Value, error) {
	return a.current().Call(ctx, function, reading, args)
}

// Play implements [spec.Player].
func (a *Adapter) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	return a.current().Play(ctx, detector, reading, config, events)
}

// Restart implements [Restarter]: what is left of the old process is ended first.
func (a *Adapter) Restart(ctx context.Context) error {
	a.current().Close()
	client, err := a.start(ctx)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.client = client
	return nil
}

// Close ends the process and says what that took.
func (a *Adapter) Close() stdio.Ending { return a.current().Close() }
