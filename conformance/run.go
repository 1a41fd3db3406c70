// Most Go teams need only [Test], or [TestDetector] for a detector without configuration: one line in a test of their
// own.
//
// Package conformance runs the suite against a [spec.Port] and says what the port gets wrong, which clause it breaks
// and why that matters. [Run] takes any Port, in this process or behind the stdio protocol, and returns a [Report]. The
// report is plain data; package conformance/report renders it.
//
// The package does not know the reference. Where an oracle is needed, it is given one. The plain rules of the reference
// have the last word: no port is accused of a failure that they share, or of a difference from the reference's fast
// detectors where they say what the port says. About a case of more than 1,000 events the fast detectors are asked.
package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Options are the settings of a run. The zero Options are those of a usual run.
//
// A port that dies is started anew. Where the cases of one detector in one reading have brought it down MaxRestarts
// times, the others of these are given up; all are, where it had no answer in time so often, or died so often for no
// reason that a case shows.
//
// Of the Oracles, only the last is asked about a case of more than 1,000 events.
type Options struct {
	Jobs        int               // how many cases are under way at once; 0 means DefaultJobs
	MaxRestarts int               // see below; 0: 20, below 0: a port is never started anew
	Command     []string          // the command that started the port, for the report
	Suite       SuiteInfo         // for the report; made from the cases where it is zero
	FailFast    bool              // stop after the first case that did not pass
	Seed        int64             // of the order in which the cases are run; 0 means the order of the suite
	Progress    func(done, n int) // called after each of the n cases that are run, by one goroutine at a time
	Oracles     []spec.Port       // the first that can carry out a case that the port fails has the last word on it
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
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	r := &runner{port: port, description: description, options: options, tasks: plan(suite, description)}
	r.runAll(ctx)
	if err := r.askOracles(ctx); err != nil {
		return nil, err
	}
	report := NewReport(description, options)
	report.Restarts, report.Unexplained = r.restarts, r.unexplained
	report.Events, report.Elapsed = r.events, time.Since(start)
	if report.Suite == (SuiteInfo{}) {
		report.Suite = InfoOf(suite)
	}
	for _, t := range r.tasks {
		report.Results = append(report.Results, t.result)
	}
	return report, nil
}

// NewReport returns the report of a run that has no results yet.
func NewReport(port spec.Description, options Options) *Report {
	return &Report{Suite: options.Suite, Port: portInfo(port, options.Command), Seed: options.Seed}
}

// runner carries out the tasks of one run.
type runner struct {
	port        spec.Port
	description spec.Description

	options Options
	tasks   []*task
	asked   int // how many of the tasks are run

	restarts    int
	unexplained int          // deaths that no case alone repeats
	hangs       int          // answers that did not come in time
	falls       map[part]int // how often one case alone brought the port down
	fresh       bool         // nothing was asked of the port's process yet
	noStart     error        // why the port could not be started anew
	reported    bool         // a result says that it could not

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
		candidates, rest := r.runTogether(ctx, pending)
		r.retryEach(ctx, candidates)
		if len(rest) > 0 && (ctx.Err() != nil || r.failedFast()) {
			r.giveUp(ctx, rest)
			return
		}
		pending = r.giveUpSpent(ctx, rest)
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

// runTogether carries out tasks, several at once, until all are done or the port cannot be asked any more. It returns
// the tasks that were under way then, each of which may be the cause, and those that were not started.
func (r *runner) runTogether(ctx context.Context, tasks []*task) (candidates []*interrupted, rest []*task) {
	r.stop = false
	next := make(chan *task)
	var workers sync.WaitGroup
	jobs := r.options.Jobs
	if jobs <= 0 {
		jobs = max(DefaultJobs, runtime.GOMAXPROCS(0))
	}
	for range min(jobs, len(tasks)) {
		workers.Go(func() {
			for t := range next {
				if gone := r.attempt(ctx, t); gone != nil {
					r.mu.Lock()
					candidates = append(candidates, gone)
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
	return candidates, rest
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

// task is one case in one reading, and what came of it.
type task struct {
	c       cases.Case
	reading spec.Reading
	result  Result
	asked   bool // an oracle carried the case out, too
}

// plan makes a task of every case in every reading that it holds for.
func plan(suite []cases.Case, port spec.Description) []*task {
	var tasks []*task
	for _, c := range suite {
		if c.IsOfProtocol() {
			continue
		}
		for _, reading := range c.Readings {
			tasks = append(tasks, newTask(c, reading, port))
		}
	}
	return tasks
}

// newTask returns a task to be carried out, or one that is answered already where the port cannot be asked: skipped,
// with the reason.
func newTask(c cases.Case, reading spec.Reading, port spec.Description) *task {
	t := &task{c: c, reading: reading, result: newResult(c, reading)}
	t.skip(port)
	return t
}

// NewResult returns the result of a case in a reading before it is run: skipped already where the port cannot be asked,
// else without a status.
func NewResult(c cases.Case, reading spec.Reading, port spec.Description) Result {
	return newTask(c, reading, port).result
}

func newResult(c cases.Case, reading spec.Reading) Result {
	r := Result{
		Case: c.ID, Detector: c.Detector, Reading: reading, Title: c.Title, Clauses: clausesIn(c, reading), Tags: c.Tags,
		File: c.Place.File, Line: c.Place.Line, Why: c.Why,
	}
	if !c.Config.IsAbsent() {
		r.Config = c.Config.String()
	}
	return r
}

// clausesIn returns the clauses of a case that hold in a reading.
func clausesIn(c cases.Case, reading spec.Reading) []string {
	return words.Among(c.Clauses, func(id string) bool {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses; one that a test made up holds everywhere
		return clause.Binds(reading)
	})
}

// skip marks the task as skipped where the port does not declare what it needs.
func (t *task) skip(port spec.Description) {
	offer, ok := port.Offer(t.c.Detector)
	switch {
	case !ok:
		t.result.Reason = fmt.Sprintf("the port does not offer the detector %s", t.c.Detector)
	case !slices.Contains(offer.Readings, t.reading):
		t.result.Reason = fmt.Sprintf("the port does not offer %s in the reading %s", t.c.Detector, t.reading)
	case t.result.miss(t.c, offer):
		t.c = declared.Case(t.c, offer)
		return
	}
	t.result.Status = Skipped
}

// miss notes in the result of a case what the port does not declare of what it needs, and reports whether it has all.
func (r *Result) miss(c cases.Case, offer spec.Offer) bool {
	needs := declared.Needs{Features: c.Needs}
	if offer.Rules != nil || offer.Settings != nil || offer.Members != nil { // else it has all of these
		needs = declared.NeedsOf(c)
	}
	r.Missing = words.Among(needs.Features, func(f spec.Feature) bool { return !slices.Contains(offer.Features, f) })
	r.MissingRules = words.Among(needs.Rules, func(k spec.VerdictKind) bool { return !offer.HasRule(k) })
	r.MissingSettings = words.Among(needs.Settings, func(name string) bool { return !offer.HasSetting(name) })
	if declared.ComparesNothing(declared.Case(c, offer)) {
		r.MissingMembers = words.Among(needs.Members, func(name string) bool { return !offer.HasMember(name) })
	}
	missing := r.missing()
	if len(missing) > 0 {
		r.Reason = fmt.Sprintf("the port does not declare %s for %s", strings.Join(missing, ", "), c.Detector)
	}
	return len(missing) == 0
}

// missing names all that the port does not declare, and the case needs.
func (r *Result) missing() []string {
	return slices.Concat(words.Of(r.Missing), words.Of(r.MissingRules), r.MissingSettings, r.MissingMembers)
}
