package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Restarter is implemented by a Port that can be made to work again after it could not be asked: its process ended,
// hung or broke the protocol. All sessions are gone then.
type Restarter interface {
	Restart(ctx context.Context) error
}

// Options are the settings of a run. The zero Options are those of a usual run.
type Options struct {
	Jobs        int               // how many cases are under way at once; 0 means DefaultJobs
	MaxRestarts int               // how often a port is started anew before the rest is given up; 0 means DefaultRestarts
	Command     []string          // the command that started the port, for the report
	Suite       SuiteInfo         // for the report; made from the cases where it is zero
	FailFast    bool              // stop after the first case that did not pass
	Seed        int64             // of the order in which the cases are run; 0 means the order of the suite
	Progress    func(done, n int) // called after each case, by one goroutine at a time
}

// The defaults of Options.
const (
	// DefaultJobs keeps a pipe busy: answers to some cases travel while others are being judged.
	DefaultJobs = 64
	// DefaultRestarts bounds the time that a port takes which dies on many cases.
	DefaultRestarts = 20
)

// Run judges the port by every case of the suite that the port declares to be fit for, and returns what it found. The
// cases of the protocol are left out: [CheckAdapter] carries them out.
//
// A case during which the port's process ends or goes silent is run alone again, in a fresh process, before anything
// is said about it; the others go on in another fresh process. An error means that the port could not even say what
// it is; a port that fails cases is no error.
func Run(ctx context.Context, port spec.Port, suite []cases.Case, options Options) (*Report, error) {
	start := time.Now()
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	r := &runner{port: port, options: options, tasks: plan(suite, description)}
	r.runAll(ctx)
	report := &Report{
		Suite:    options.Suite,
		Port:     portInfo(description, options.Command),
		Seed:     options.Seed,
		Restarts: r.restarts,
		Events:   r.events,
		Elapsed:  time.Since(start),
	}
	if report.Suite == (SuiteInfo{}) {
		report.Suite = InfoOf(suite)
	}
	for _, t := range r.tasks {
		report.Results = append(report.Results, t.result)
	}
	return report, nil
}

// runner carries out the tasks of one run.
type runner struct {
	port    spec.Port
	options Options
	tasks   []*task

	restarts int
	down     bool // the port's process has to be started anew before the next task

	mu     sync.Mutex // guards what follows, while several tasks are under way
	done   int
	events int
	stop   bool // no further task is to be started
}

func (r *runner) runAll(ctx context.Context) {
	var pending []*task
	for _, t := range r.tasks {
		if t.result.Status == "" {
			pending = append(pending, t)
		}
	}
	if seed := r.options.Seed; seed != 0 {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		random.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	}
	for len(pending) > 0 {
		if !r.up(ctx) {
			giveUp(pending, "the port could not be started again")
			return
		}
		suspects, rest := r.runTogether(ctx, pending)
		for _, t := range suspects {
			r.runAlone(ctx, t)
		}
		if len(rest) > 0 && (r.restarts >= r.maxRestarts() || r.failedFast()) {
			giveUp(rest, r.whyStopped())
			return
		}
		pending = rest
	}
}

func (r *runner) maxRestarts() int {
	if r.options.MaxRestarts > 0 {
		return r.options.MaxRestarts
	}
	return DefaultRestarts
}

func (r *runner) failedFast() bool {
	if !r.options.FailFast {
		return false
	}
	for _, t := range r.tasks {
		if s := t.result.Status; s == Failed || s == Broken || s == Undecided {
			return true
		}
	}
	return false
}

func (r *runner) whyStopped() string {
	if r.failedFast() {
		return "not run: the run stops at the first case that does not pass"
	}
	return fmt.Sprintf("not run: the port had to be started anew %d times", r.restarts)
}

func giveUp(tasks []*task, reason string) {
	for _, t := range tasks {
		t.result.Status, t.result.Reason = Undecided, reason
	}
}

// up makes sure that the port can be asked.
func (r *runner) up(ctx context.Context) bool {
	if !r.down {
		return true
	}
	port, ok := r.port.(Restarter)
	if !ok || r.restarts >= r.maxRestarts() {
		return false
	}
	r.restarts++
	if err := port.Restart(ctx); err != nil {
		return false
	}
	r.down = false
	return true
}

// runTogether carries out tasks, several at once, until all are done or the port cannot be asked any more. It returns
// the tasks that were under way then, each of which may be the cause, and those that were not started.
func (r *runner) runTogether(ctx context.Context, tasks []*task) (suspects, rest []*task) {
	r.stop = false
	next := make(chan *task)
	var workers sync.WaitGroup
	for range min(r.jobs(), len(tasks)) {
		workers.Go(func() {
			for t := range next {
				if err := r.run(ctx, t); err != nil {
					r.mu.Lock()
					suspects, r.down, r.stop = append(suspects, t), true, true
					r.mu.Unlock()
				}
			}
		})
	}
	for i, t := range tasks {
		if r.stopped() {
			rest = tasks[i:]
			break
		}
		next <- t
	}
	close(next)
	workers.Wait()
	return suspects, rest
}

func (r *runner) jobs() int {
	if r.options.Jobs > 0 {
		return r.options.Jobs
	}
	return max(DefaultJobs, runtime.GOMAXPROCS(0))
}

func (r *runner) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop
}

// runAlone carries out one task while nothing else is under way. What goes wrong now, the task has caused.
func (r *runner) runAlone(ctx context.Context, t *task) {
	if !r.up(ctx) {
		giveUp([]*task{t}, r.whyNotAlone())
		return
	}
	if err := r.run(ctx, t); err != nil {
		r.down = true
		t.result.Status, t.result.Reason, t.result.Failure = blame(err)
	}
}

func (r *runner) whyNotAlone() string {
	if r.restarts >= r.maxRestarts() {
		return fmt.Sprintf("the port had to be started anew %d times", r.restarts)
	}
	return "the port could not be started again"
}

// run carries out one task. It returns an error, and leaves the result open, where the port could not be asked.
func (r *runner) run(ctx context.Context, t *task) error {
	j := &judge{port: r.port, reading: t.reading, c: t.c}
	err := j.runSafely(ctx)
	var failure *failed
	var unknownCode *stdio.CodeError
	switch {
	case err == nil:
		t.result.Status = Passed
	case errors.As(err, &failure):
		t.result.Status, t.result.Failure = Failed, &failure.Failure
	case errors.As(err, &unknownCode):
		t.result.Status, t.result.Reason = Broken, unknownCode.Error()
	default:
		return err
	}
	r.finished(j.events, t.result.Status)
	return nil
}

func (r *runner) finished(events int, status Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.events += events
	if r.options.FailFast && status != Passed {
		r.stop = true
	}
	if r.options.Progress != nil {
		r.options.Progress(r.done, len(r.tasks))
	}
}

// runSafely runs the case; a port in Go that panics fails it.
func (j *judge) runSafely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = j.fail(0, "", fmt.Sprintf("the port panicked: %v", p), nil)
		}
	}()
	return j.run(ctx)
}
