package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// Campaign looks for faults until its time is up.
type Campaign struct {
	Pairs  []Pair // one for each worker, all of the same ports
	Source Source
	Rules  spec.Port // the plain rules, which have the last word on a counterexample; nil asks nobody
	Asks   Asks

	Against bool // each oracle is an older port: the rules say which of both is right

	Detectors []spec.DetectorID // those to look at; all that the port offers where there are none
	Readings  []spec.Reading
	Seed      uint64
	For       time.Duration

	Config *spec.Value // that every session gets; drawn where it is nil
	// Known says that a case of that id was found before, and is not to be found again; nil knows none.
	Known func(id string, reading spec.Reading) bool

	Progress func(Progress) // is never called twice at once; may be nil
}

// Pair is what one worker of a campaign asks: a port that nobody else asks, so that a crash or a fault between sessions
// is that of its own subjects, and what the port is compared with.
type Pair struct {
	Port   spec.Port
	Oracle spec.Port // the reference, or another port
}

// Progress is how far a campaign is.
type Progress struct {
	Traces, Calls int // that the port was told; each is an execution
	Events        int // of all traces
	Checks        int // rounds of a check on many traces and calls
	Findings      int // different counterexamples
	Known         int // different counterexamples that were known
	Elapsed       time.Duration
}

// Executions returns how many traces and function calls the port was told. A trace that a law tells in several requests
// is one execution, and each session of a trace with several is one.
func (p Progress) Executions() int { return p.Traces + p.Calls }

// String returns the progress in one line.
func (p Progress) String() string {
	seconds := max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("%d executions, %.0f/s, %.1f events per trace, %d laws checked, %d %s", p.Executions(),
		float64(p.Executions())/seconds, float64(p.Events)/float64(max(p.Traces, 1)), p.Checks,
		p.Findings, plural(p.Findings, "finding", "findings"))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Found is a counterexample with the case that was made of it.
type Found struct {
	Counterexample
	Case   cases.Case
	Change conformance.Change // what a difference from an older port means; empty where there is none
	Sides  []conformance.Side // what each says there
}

// Run looks until the time is up, and returns each different counterexample once. What is being shrunk when the time is
// up is shrunk to its end. The same seed gives the same subjects, however many workers there are. The error is one
// of asking; what was found before is returned with it.
func (c Campaign) Run(ctx context.Context) ([]Found, Progress, error) {
	r := &campaign{
		Campaign: c, start: time.Now(), again: map[task]int{}, seen: map[string]bool{}, met: map[string]bool{},
	}
	for _, pair := range c.Pairs {
		fuzzers, err := c.newFuzzers(ctx, pair, &r.told)
		if err != nil {
			return nil, Progress{}, err
		}
		r.fuzzers = append(r.fuzzers, fuzzers)
		if !slices.EqualFunc(fuzzers, r.fuzzers[0], sameFuzzer) {
			return nil, Progress{}, fmt.Errorf("the port says something else of itself each time it is started")
		}
	}
	if len(r.fuzzers) == 0 {
		return nil, Progress{}, fmt.Errorf("there is no port to look at")
	}
	err := r.run(ctx)
	return r.found, r.progress(), err
}

// newFuzzers returns a fuzzer for every detector and reading that is wanted and offered. That there is none is an
// error.
func (c Campaign) newFuzzers(ctx context.Context, pair Pair, told *tally) ([]*Fuzzer, error) {
	description, err := pair.Port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	other, err := pair.Oracle.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the other port what it is: %w", err)
	}
	pair.Port, pair.Oracle = declared.Port(pair.Port, description), declared.Port(pair.Oracle, other)
	var fuzzers []*Fuzzer
	for _, offer := range description.Detectors {
		if len(c.Detectors) > 0 && !slices.Contains(c.Detectors, offer.Detector) {
			continue
		}
		theirs, _ := other.Offer(offer.Detector)
		shared := offer.And(theirs)
		for _, reading := range shared.Readings {
			if len(c.Readings) == 0 || slices.Contains(c.Readings, reading) {
				h, err := c.newFuzzer(ctx, pair, shared, reading)
				if err != nil {
					return nil, err
				}
				h.asked.told = told.add
				fuzzers = append(fuzzers, h)
			}
		}
	}
	if len(fuzzers) == 0 {
		return nil, fmt.Errorf("there is no detector and reading that is wanted and that both ports offer")
	}
	return fuzzers, nil
}

// newFuzzer returns the fuzzer of a detector that both ports of a pair offer.
func (c Campaign) newFuzzer(ctx context.Context, pair Pair, shared spec.Offer, reading spec.Reading) (*Fuzzer, error) {
	h := NewFuzzer(pair.Port, pair.Oracle, c.Source, shared, reading)
	h.Rules = c.Rules
	if c.Against {
		h.compare(ctx, comparison{pair.Port, pair.Oracle, c.Rules})
	}
	h.restrict(c.Asks)
	h.Checks = slices.DeleteFunc(h.Checks, func(check Check) bool {
		law, isLaw := laws.LawByID(check.ID)
		return isLaw && !law.IsFor(shared.Detector)
	})
	return h, c.fix(ctx, h, pair.Oracle)
}

// fix has every session of a fuzzer get the configuration of the campaign, which the oracle must accept. Laws that
// change settings are left out.
func (c Campaign) fix(ctx context.Context, h *Fuzzer, oracle spec.Port) error {
	if c.Config == nil {
		return nil
	}
	session, err := oracle.Open(ctx, h.Detector, h.Reading, *c.Config)
	if err != nil {
		return &ConfigError{fmt.Errorf("%s (%s) with the configuration %s: %w", h.Detector, h.Reading, *c.Config, err)}
	}
	if err := session.Close(ctx); err != nil {
		return fmt.Errorf("close a session of the oracle: %w", err)
	}
	draw := h.Draw
	h.Draw = func(t *rapid.T) Subject {
		s := draw(t)
		if !s.IsCall() {
			s.Config = *c.Config
		}
		return s
	}
	h.Checks = slices.DeleteFunc(slices.Clone(h.Checks), func(check Check) bool {
		law, isLaw := laws.LawByID(check.ID)
		return isLaw && law.Changes != nil
	})
	for i, check := range h.Checks {
		h.Checks[i].About = func(s Subject) bool {
			return (s.IsCall() || s.Config.String() == c.Config.String()) && check.About(s)
		}
	}
	return nil
}

// ConfigError says that the oracle refuses the configuration of a campaign.
type ConfigError struct{ Err error }

// Error says of which detector, and why.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the refusal.
func (e *ConfigError) Unwrap() error { return e.Err }

// sameFuzzer reports whether two workers can take each other's tasks.
func sameFuzzer(a, b *Fuzzer) bool {
	return a.Detector == b.Detector && a.Reading == b.Reading &&
		slices.EqualFunc(a.Checks, b.Checks, func(x, y Check) bool { return x.ID == y.ID })
}

// roundChecks is how many subjects agreement gets before the next round: enough that most faults are found in the first
// one, few enough that every detector is looked at within seconds.
const roundChecks = 500

// enough is how often the same counterexample is found again before its check is left out: looking further would find
// nothing else.
const enough = 3

// campaign is the state of a run. Rounds follow one another; within a round, each worker takes the next task that
// nobody has taken, and the results are merged in the order of the tasks. So the findings of a round do not depend on
// which worker was faster.
type campaign struct {
	Campaign
	start   time.Time
	fuzzers [][]*Fuzzer // of each worker; all have the same fuzzers, with ports of their own
	told    tally

	found []Found
	seen  map[string]bool // keys of what was found; not written during a round
	again map[task]int    // how often a check found only what was known

	mu     sync.Mutex      // guards what follows, and makes the calls of Progress follow one another
	met    map[string]bool // ids of known cases that were found again
	checks int
}

// task is one check of one fuzzer, by their places.
type task struct{ fuzzer, check int }

// run goes on with rounds until the time is up, no check is left, or a port cannot be asked.
func (r *campaign) run(ctx context.Context) error {
	timed, cancel := context.WithDeadline(ctx, r.start.Add(r.For))
	defer cancel()
	for round := uint64(0); timed.Err() == nil; round++ {
		tasks := r.tasks()
		if len(tasks) == 0 {
			return nil
		}
		if err := r.round(ctx, timed, tasks, r.Seed+round); err != nil {
			return err
		}
	}
	return nil
}

// tasks returns those that may still find something new.
func (r *campaign) tasks() []task {
	var tasks []task
	for i, h := range r.fuzzers[0] {
		for k := range h.Checks {
			if t := (task{i, k}); r.again[t] < enough {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// round has the workers carry out the tasks, and takes what they find. When the time is up, tasks that nobody has taken
// are left. The error is that of the first task with one; what the others found is kept.
func (r *campaign) round(ctx, timed context.Context, tasks []task, seed uint64) error {
	found, problems := make([]*Found, len(tasks)), make([]error, len(tasks))
	inParallel(len(r.fuzzers), len(tasks), func(worker, i int) bool {
		if timed.Err() != nil {
			return false
		}
		found[i], problems[i] = r.look(ctx, timed, worker, tasks[i], seed)
		if ctx.Err() != nil {
			problems[i] = nil // interrupted, not at fault
		}
		return true
	})
	for i, f := range found {
		if f != nil {
			r.take(tasks[i], *f)
		}
	}
	return cmp.Or(problems...)
}

// look carries out one task of a worker: until the time is up, but what it finds is shrunk to the end.
func (r *campaign) look(ctx, timed context.Context, worker int, t task, seed uint64) (*Found, error) {
	h := r.fuzzers[worker][t.fuzzer]
	check, checks := h.Checks[t.check], roundChecks
	if check.ID != AgreementID {
		checks /= lawShare
	}
	defer r.tell()
	c, err := h.first(ctx, timed, check, h.drawn(check, checks, seed), func(c *Counterexample) bool {
		return c.Finding.isNobodys() || r.isKnown(c)
	})
	if err != nil || c == nil {
		return nil, err
	}
	if r.seen[c.Key()] {
		return &Found{Counterexample: *c}, nil
	}
	return h.found(ctx, r.Pairs[worker].Oracle, check, *c)
}

// found makes a case of a counterexample. Of a difference from an older port it says which of both is right, and the
// case holds what the rules say where they decide.
func (h *Fuzzer) found(ctx context.Context, oracle spec.Port, check Check, c Counterexample) (f *Found, err error) {
	f = &Found{Counterexample: c}
	if h.vs != nil && c.Finding.isDifference() {
		if f.Change, err = h.vs.changeOf(ctx, h, c); err != nil {
			return nil, err
		}
		if f.Sides, _, err = h.vs.sides(ctx, h, c); err != nil {
			return nil, err
		}
		if f.Change != conformance.Unspecified {
			oracle = h.vs.rules
		}
	}
	f.Case, err = h.Case(ctx, oracle, check, c)
	if f.Change != "" {
		f.Case.Why = fmt.Sprintf("Two versions of a port differ here (%s: %s). %s", f.Change, c.Finding.Place(), sayHere)
	}
	return f, err
}

// isKnown reports whether the case of a counterexample is known, and notes that it was met.
func (r *campaign) isKnown(c *Counterexample) bool {
	id := blank(*c).ID
	if r.Campaign.Known == nil || !r.Campaign.Known(id, c.Subject.Reading) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.met[id] = true
	return true
}

// take keeps a counterexample that is new, and notes one that is not: its check is left out after a few.
func (r *campaign) take(t task, f Found) {
	if r.seen[f.Key()] {
		r.again[t]++
		return
	}
	r.seen[f.Key()] = true
	r.found = append(r.found, f)
}

// tell reports the progress after a check.
func (r *campaign) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checks++
	if r.Progress != nil {
		r.Progress(r.progress())
	}
}

func (r *campaign) progress() Progress {
	return Progress{
		Traces: int(r.told.sessions.Load()), Calls: int(r.told.calls.Load()), Events: int(r.told.events.Load()),
		Checks: r.checks, Findings: len(r.found), Known: len(r.met), Elapsed: time.Since(r.start),
	}
}
