package conformance

import (
	"context"
	"fmt"
	"sync"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// stranded is the error of a case that was under way when the port could not be asked any more.
type stranded struct {
	where Failure // the step that was waiting for the port
	cause error
}

// Error returns why the port could not be asked.
func (s *stranded) Error() string { return s.cause.Error() }

// at returns the step for a sentence that says what happened to the port.
func (s *stranded) at() string {
	if s.where.Step == 0 {
		return ""
	}
	return fmt.Sprintf("; step %d of %d: %s", s.where.Step, s.where.Steps, cut(s.where.Action))
}

// Unwrap returns the cause.
func (s *stranded) Unwrap() error { return s.cause }

// runEachAlone decides about tasks of which any may be the cause of what befell the port.
func (r *runner) runEachAlone(ctx context.Context, suspects []suspect) {
	for _, s := range suspects {
		r.runAlone(ctx, s.task)
	}
	if len(suspects) > 0 {
		convict(suspects)
	}
}

// runAlone carries out one task while nothing else is under way. What goes wrong in a process that was asked nothing
// before, the task has caused; where others were run before it, it is run once more.
func (r *runner) runAlone(ctx context.Context, t *task) {
	for {
		if !r.up(ctx) {
			r.giveUp(ctx, []*task{t})
			return
		}
		fresh := r.fresh
		r.fresh = false
		err := r.run(ctx, t)
		if err == nil {
			return
		}
		if fresh {
			t.result.Status, t.result.Reason, t.result.Failure = blame(err)
			r.finished(0, t.result.Status)
			return
		}
	}
}

// convict sees to it that an adapter that broke the protocol is not acquitted because no case makes it do so alone:
// some confuse only requests that arrive together. Crashes and missing answers are another matter: the machine may
// have been at fault. The suspects are in the order in which they were stranded; the first speaks for all.
func convict(suspects []suspect) {
	status, reason, _ := blame(suspects[0].cause)
	if status != Broken {
		return
	}
	for _, s := range suspects {
		if s.result.Status == Broken {
			return
		}
	}
	together := ""
	if len(suspects) > 1 {
		together = fmt.Sprintf(" while %d cases were under way, and not when each was run alone", len(suspects))
	}
	first := &suspects[0].result
	first.Status, first.Failure = Broken, nil
	first.Reason = fmt.Sprintf("the adapter failed%s: %s", together, reason)
}

// up makes sure that the port can be asked.
func (r *runner) up(ctx context.Context) bool {
	if !r.down {
		return true
	}
	if ctx.Err() != nil || !r.canRestart() {
		return false
	}
	r.restarts++
	if r.noStart = r.port.(Restarter).Restart(ctx); r.noStart != nil {
		return false
	}
	r.down, r.fresh = false, true
	return true
}

// canRestart reports whether the port can be started anew and may be, once more.
func (r *runner) canRestart() bool {
	_, ok := r.port.(Restarter)
	return ok && r.noStart == nil && r.restarts < r.maxRestarts()
}

func (r *runner) maxRestarts() int {
	if r.options.MaxRestarts != 0 {
		return max(r.options.MaxRestarts, 0)
	}
	return DefaultRestarts
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
	case r.restarts > 0:
		return fmt.Sprintf("not run: the port had to be started anew %s", times(r.restarts))
	default:
		return "not run: the port is gone, and cannot be started anew"
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// giveUp leaves tasks undecided. An adapter that does not start again is at fault, and the first of them says so.
func (r *runner) giveUp(ctx context.Context, tasks []*task) {
	reason := r.whyStopped(ctx)
	for _, t := range tasks {
		t.result.Status, t.result.Reason = Undecided, reason
	}
	if r.noStart != nil && !r.accused && !isNobodysFault(r.noStart) {
		r.accused = true
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
func (a *Adapter) Open(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	return a.current().Open(ctx, detector, reading, config)
}

// Call implements [spec.Port].
func (a *Adapter) Call(ctx context.Context, function string, reading spec.Reading, args spec.Value) (spec.Value, error) {
	return a.current().Call(ctx, function, reading, args)
}

// Play implements [spec.Player].
func (a *Adapter) Play(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value) ([]spec.Value, error) {
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
