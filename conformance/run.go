package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
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
	MaxRestarts int               // how often a port is started anew before the rest is given up; 0 means DefaultRestarts, below 0 never
	Command     []string          // the command that started the port, for the report
	Suite       SuiteInfo         // for the report; made from the cases where it is zero
	FailFast    bool              // stop after the first case that did not pass
	Seed        int64             // of the order in which the cases are run; 0 means the order of the suite
	Progress    func(done, n int) // called after each of the n cases that are run, by one goroutine at a time
	Oracle      spec.Port         // is asked what the port fails, lest a case be wrong; nil asks nobody
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
// is said about it; the others go on in another fresh process. What breaks the protocol only where several cases are
// under way is the adapter's fault all the same. A case that the oracle fails too, and one that cannot be carried out,
// is the suite's fault. An error means that the port, or the oracle, could not even say what it is; a port that fails
// cases is no error.
func Run(ctx context.Context, port spec.Port, suite []cases.Case, options Options) (*Report, error) {
	start := time.Now()
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	r := &runner{port: port, options: options, tasks: plan(suite, description)}
	r.runAll(ctx)
	if err := r.askOracle(ctx); err != nil {
		return nil, err
	}
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
	asked   int // how many of the tasks are run

	restarts int
	fresh    bool  // nothing was asked of the port's process yet
	noStart  error // why the port could not be started anew
	accused  bool  // a result says that it could not

	mu     sync.Mutex // guards what follows, while several tasks are under way
	down   bool       // the port's process has to be started anew before the next task
	stop   bool       // no further task is to be started
	done   int
	events int
}

func (r *runner) runAll(ctx context.Context) {
	pending := r.pending()
	r.asked = len(pending)
	for len(pending) > 0 {
		if !r.up(ctx) {
			r.giveUp(ctx, pending)
			return
		}
		suspects, rest := r.runTogether(ctx, pending)
		r.runEachAlone(ctx, suspects)
		if len(rest) > 0 && (ctx.Err() != nil || r.failedFast()) {
			r.giveUp(ctx, rest)
			return
		}
		pending = rest
	}
}

// pending returns the tasks that are to be run, in the order that the options want.
func (r *runner) pending() []*task {
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
	return pending
}

func (r *runner) failedFast() bool {
	if !r.options.FailFast {
		return false
	}
	for _, t := range r.tasks {
		if s := t.result.Status; s == Failed || s == Broken || s == Faulty || s == Undecided {
			return true
		}
	}
	return false
}

// suspect is a task during which the port could not be asked any more, so that it may be the cause.
type suspect struct {
	*task
	cause error
}

// runTogether carries out tasks, several at once, until all are done or the port cannot be asked any more. It returns
// the tasks that were under way then, each of which may be the cause, and those that were not started.
func (r *runner) runTogether(ctx context.Context, tasks []*task) (suspects []suspect, rest []*task) {
	r.stop = false
	next := make(chan *task)
	var workers sync.WaitGroup
	for range min(r.jobs(), len(tasks)) {
		workers.Go(func() {
			for t := range next {
				if err := r.run(ctx, t); err != nil {
					r.mu.Lock()
					suspects = append(suspects, suspect{t, err})
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

func (r *runner) markDown() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down, r.stop = true, true
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
		r.options.Progress(r.done, r.asked)
	}
}
