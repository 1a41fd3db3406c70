package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Options are the settings of a run. The zero Options are those of a usual run.
//
// A port that dies is started anew. MaxRestarts bounds how often the cases of one detector in one reading may bring it
// down; its other cases are given up then, or where three broke the protocol. All cases are, where the port died so
// often for no reason that a case shows, or three answers did not come in time.
type Options struct {
	Jobs        int          // how many cases are under way at once; 0 means DefaultJobs
	MaxRestarts int          // 0 means 20; below 0, the port is never started anew
	Command     []string     // the command that started the port, for the report
	Suite       SuiteInfo    // for the report; made from the cases where it is zero
	FailFast    bool         // stop after the first case that did not pass
	Seed        int64        // of the order in which the cases are run; 0 means the order of the suite
	Done        func(Result) // called with the result of each case that is run, by one goroutine at a time
	Oracle      spec.Port    // carries out what the port fails: what it fails too is the suite's fault; may be nil
}

// DefaultJobs keeps a pipe busy: answers to some cases travel while others are being judged.
const DefaultJobs = 64

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
		return nil, fmt.Errorf("request the description of the port: %w", err)
	}
	r := newRunner(port, description, options, plan(suite, description))
	r.runAll(ctx)
	r.askAlone(ctx)
	if err := r.askOracle(ctx); err != nil {
		return nil, err
	}
	report := NewReport(description, options)
	report.Restarts, report.Unexplained, report.Losses = r.restarts, r.unexplained, r.losses
	report.Events, report.Elapsed = r.events, time.Since(start)
	if report.Suite == (SuiteInfo{}) {
		report.Suite = InfoOf(suite)
	}
	for _, t := range r.tasks {
		report.Results = append(report.Results, t.result)
	}
	return report, nil
}

// runner carries out the tasks of one run, in rounds: the open tasks run together until the port cannot be asked any
// more; then each task that was under way runs alone, and what it does to a fresh process decides about it. The others
// are the next round. How one task ends stands in attempt.go, how its case is carried out in judge.go.
type runner struct {
	port        spec.Port
	description spec.Description

	options Options
	tasks   []*task
	asked   int // how many of the tasks are run

	restarts    int
	unexplained int          // deaths and missing answers that no case alone repeats
	losses      []string     // what the first of them were
	hangs       int          // answers that did not come in time
	falls       map[part]int // how often one case alone brought the port down
	breaches    map[part]int // how many of these broke the protocol
	noStart     error        // why the port could not be started anew
	reported    bool         // a result says that it could not

	mu     sync.Mutex // guards what follows, while several tasks are under way
	down   bool       // the port's process has to be started anew before the next task
	failed bool       // a task did not pass
	done   int
	events int
}

func newRunner(port spec.Port, description spec.Description, options Options, tasks []*task) *runner {
	return &runner{
		port: port, description: description, options: options, tasks: tasks,
		falls: map[part]int{}, breaches: map[part]int{},
	}
}

func (r *runner) runAll(ctx context.Context) {
	pending := r.pending()
	r.asked = len(pending)
	for len(pending) > 0 {
		if !r.up(ctx) {
			r.giveUp(ctx, pending...)
			return
		}
		candidates, rest := r.runTogether(ctx, pending)
		r.retryEach(ctx, candidates)
		if ctx.Err() != nil || r.failedFast() {
			r.giveUp(ctx, rest...)
			return
		}
		spent, open := lists.Partition(rest, r.isSpent)
		r.giveUp(ctx, spent...)
		pending = open
	}
}

// pending returns the tasks that are to be run, in the order that the options want.
func (r *runner) pending() []*task {
	pending := lists.Filter(r.tasks, func(t *task) bool { return t.result.Status == "" })
	if seed := r.options.Seed; seed != 0 {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		random.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	}
	return pending
}

// runTogether carries out tasks, several at once, until all are done, the port cannot be asked any more, or one did not
// pass that is to be the last. It returns the tasks that were under way when the port was gone, each of which may be
// the cause, and those that were not started.
func (r *runner) runTogether(ctx context.Context, tasks []*task) (candidates []*interrupted, rest []*task) {
	next := make(chan *task)
	var workers sync.WaitGroup
	jobs := r.options.Jobs
	if jobs <= 0 {
		jobs = max(DefaultJobs, runtime.GOMAXPROCS(0))
	}
	for range min(jobs, len(tasks)) {
		workers.Go(func() {
			for t := range next {
				if r.isOver() { // since the task was handed out
					r.mu.Lock()
					rest = append(rest, t)
					r.mu.Unlock()
					continue
				}
				if gone := r.attempt(ctx, t); gone != nil {
					r.mu.Lock()
					candidates = append(candidates, gone)
					r.mu.Unlock()
				}
			}
		})
	}
	started := 0
	for ; started < len(tasks) && !r.stops(); started++ {
		next <- tasks[started]
	}
	close(next)
	workers.Wait()
	return candidates, append(rest, tasks[started:]...)
}

// isOver reports whether a task that did not pass was the last.
func (r *runner) isOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failedFast()
}

// stops reports whether no further task is to be started.
func (r *runner) stops() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down || r.failedFast()
}

// failedFast reports whether the run ends because of a task that did not pass. Whoever calls it holds mu, or is alone.
func (r *runner) failedFast() bool { return r.options.FailFast && r.failed }

// attempt carries out one task. It returns nil where the task is decided; the result is open where the port could not
// be asked any more before that.
func (r *runner) attempt(ctx context.Context, t *task) *interrupted {
	j, err := t.carryOut(ctx, r.port, r.description)
	gone := isGone(r.port, err)
	if gone {
		r.mu.Lock()
		r.down = true
		r.mu.Unlock()
	}
	if !t.decide(err, gone) {
		return &interrupted{task: t, where: j.where(), cause: err}
	}
	r.finished(j.events, t.result)
	return nil
}

// byEvent carries out a task that brings the port down once more, with one event a request, and returns what befell the
// port with the event that it did not survive. Where events have to travel together for that, it knows no better.
func (r *runner) byEvent(ctx context.Context, gone *interrupted) *interrupted {
	if !gone.canBeSplit() || !r.up(ctx) {
		return gone
	}
	j := gone.judge(r.port, r.description)
	j.byEvent = true
	err := j.runSafely(ctx)
	if r.down = isGone(r.port, err); !r.down {
		return gone
	}
	return &interrupted{task: gone.task, where: j.where(), cause: gone.cause}
}

func (r *runner) finished(events int, result Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	r.events += events
	r.failed = r.failed || result.Status != Passed
	if r.options.Done != nil {
		r.options.Done(result)
	}
}

// retryEach decides about tasks of which any may be the cause of what befell the port: each is run alone.
//
// An adapter that broke the protocol is at fault even where no case makes it do so alone: some confuse only requests
// that arrive together. Exits, with whatever status, and missing answers are another matter, since the machine may have
// been at fault. The candidates are in the order in which they were interrupted; the first speaks for all.
func (r *runner) retryEach(ctx context.Context, candidates []*interrupted) {
	broken, repeated := false, false
	for _, c := range candidates {
		repeated = r.retry(ctx, c) || repeated
		broken = broken || c.result.Status == Broken
	}
	if len(candidates) == 0 || broken {
		return
	}
	first := candidates[0]
	status, reason, _ := attribute(first)
	switch {
	case status == Broken && !hasExited(first.cause):
		together := ""
		if len(candidates) > 1 {
			together = fmt.Sprintf(" while %d cases were under way, and not when each was run alone", len(candidates))
		}
		first.result.Failure, r.failed = nil, true
		first.result.breaks(clauseOf(first.cause), fmt.Sprintf("the adapter failed%s: %s", together, reason))
	case !repeated && !r.down:
		r.countUnexplained(first.cause)
	}
}

// retry carries out one task while nothing else is under way. What goes wrong in a process that was asked nothing
// before, the task has caused, which is what retry reports; where others were run before it, it is run once more.
func (r *runner) retry(ctx context.Context, c *interrupted) (caused bool) {
	t := c.task
	var before *interrupted
	for {
		fresh := r.down // then it is started anew
		if r.isSpent(t) || !r.up(ctx) {
			r.giveUp(ctx, t)
			return false
		}
		gone := r.attempt(ctx, t)
		switch {
		case gone == nil:
			if before != nil {
				r.countUnexplained(before.cause)
			}
			return false
		case fresh && before != nil && isNobodysFault(before.cause): // it was waited for longer
			r.blame(t, r.byEvent(ctx, before))
			return true
		case fresh:
			r.blame(t, r.byEvent(ctx, gone))
			return true
		}
		before = gone
	}
}

// blame says of a task that it brought the port down.
func (r *runner) blame(t *task, gone *interrupted) {
	t.result.Status, t.result.Reason, t.result.Failure = attribute(gone)
	if t.result.Status == Broken {
		t.result.putProtocolFirst(clauseOf(gone.cause))
	}
	r.falls[t.part()]++
	switch t.result.Status {
	case Undecided:
		r.hangs++
	case Broken:
		r.breaches[t.part()]++
	}
	r.finished(0, t.result)
}

// mostLosses bounds how many unexplained losses are told.
const mostLosses = 3

// countUnexplained counts what befell the port and no case repeats alone.
func (r *runner) countUnexplained(cause error) {
	if !hasExited(cause) {
		r.hangs++
	}
	r.unexplained++
	if len(r.losses) < mostLosses {
		r.losses = append(r.losses, LossOf(cause))
	}
}

// LossOf says in one line how a port was lost.
func LossOf(cause error) string {
	gone, ok := errors.AsType[*stdio.ProcessError](cause)
	if !ok {
		return cut(cause.Error())
	}
	line, _, _ := strings.Cut(withLastWords("the adapter "+gone.What(), gone.Stderr), "\n")
	return bounded(line)
}

// How many cases of a detector in a reading may break the protocol, and how many answers may be missing, before the
// rest is given up. An adapter at fault says nothing of its port, and each answer is waited for.
const (
	mostBreaches = 3
	mostHangs    = 3
)

// isSpent reports whether the cases of the task's detector and reading have brought the port down too often.
func (r *runner) isSpent(t *task) bool {
	falls, breaches := r.falls[t.part()], r.breaches[t.part()]
	return falls > 0 && falls >= r.maxRestarts() || breaches >= mostBreaches
}

// up makes sure that the port can be asked. One that cannot is started anew, where it can and may be.
func (r *runner) up(ctx context.Context) bool {
	if !r.down {
		return true
	}
	port, ok := r.port.(stdio.Restarter)
	most := r.maxRestarts()
	if !ok || ctx.Err() != nil || r.noStart != nil || most == 0 || r.hangs >= mostHangs || r.unexplained >= most {
		return false
	}
	r.restarts++
	r.noStart = port.Restart(ctx)
	r.down = r.noStart != nil
	return !r.down
}

// defaultRestarts bounds the time that a port takes which dies on many cases.
const defaultRestarts = 20

func (r *runner) maxRestarts() int {
	if r.options.MaxRestarts != 0 {
		return max(r.options.MaxRestarts, 0)
	}
	return defaultRestarts
}

// giveUp leaves tasks undecided. An adapter that does not start again is at fault, and the first of them says so.
func (r *runner) giveUp(ctx context.Context, tasks ...*task) {
	for _, t := range tasks {
		t.result.Status, t.result.Reason = Undecided, r.whyStopped(ctx, t)
		if r.noStart != nil && !r.reported && !isNobodysFault(r.noStart) {
			r.reported = true
			t.result.breaks(clauseOf(r.noStart), t.result.Reason)
		}
		r.failed = true
	}
}

// whyStopped says why a task is given up.
func (r *runner) whyStopped(ctx context.Context, t *task) string {
	switch {
	case ctx.Err() != nil:
		return "not run: " + stdio.WhyEnded(ctx)
	case r.breaches[t.part()] >= mostBreaches:
		return fmt.Sprintf("not run: the adapter broke the protocol in %d cases of %s in the reading %s",
			r.breaches[t.part()], t.c.Detector, t.reading)
	case r.isSpent(t):
		return fmt.Sprintf("not run: cases of %s in the reading %s brought the port down %s",
			t.c.Detector, t.reading, times(r.falls[t.part()]))
	case r.failedFast():
		return "not run: the run stops at the first test that does not pass"
	case r.noStart != nil:
		reason := fmt.Sprintf("not run: the port could not be started again: %v", r.noStart)
		if gone, ok := errors.AsType[*stdio.ProcessError](r.noStart); ok {
			reason = withLastWords(reason, gone.Stderr)
		}
		return reason
	case r.hangs >= mostHangs:
		return "not run: the port gave no answer in time " + times(r.hangs)
	case r.unexplained > 0:
		return fmt.Sprintf("not run: the port was lost %s, and no case shows why", times(r.unexplained))
	default:
		return "not run: the port is gone, and cannot be started again"
	}
}
