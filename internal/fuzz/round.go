package fuzz

import (
	"context"
	"sync"
	"time"
)

// roundChecks is how many subjects agreement gets before the next round: enough that most faults are found in the first
// one, few enough that every detector is looked at within seconds.
const roundChecks = 500

// enough is how often the same counterexample is found again before its check is left out: looking further would find
// nothing else.
const enough = 3

// campaign is the state of a run. Rounds follow one another; within a round, each worker takes the next task that nobody
// has taken, and what they bring is merged in the order of the tasks. So the findings of a round do not depend on which
// worker was faster.
type campaign struct {
	Campaign
	start time.Time
	crew  [][]*Hunt // of each worker; all have the same hunts, with ports of their own
	told  tally

	found []Found
	seen  map[string]bool // keys of what was found; not written during a round
	again map[task]int    // how often a check found only what was known

	mu     sync.Mutex // guards checks, and makes the calls of Progress follow one another
	checks int
}

// task is one check of one hunt, by their places.
type task struct{ hunt, check int }

// catch is what came of a task: neither a finding nor an error where all is well.
type catch struct {
	task  task
	found *Found
	err   error
}

// run goes on with rounds until the time is up, no check is left, or a port cannot be asked.
func (r *campaign) run(ctx context.Context) error {
	timed, cancel := context.WithDeadline(ctx, r.start.Add(r.For))
	defer cancel()
	for round := uint64(0); timed.Err() == nil; round++ {
		tasks := r.tasks()
		if len(tasks) == 0 {
			return nil
		}
		if err := r.merge(r.deal(ctx, timed, tasks, r.Seed+round)); err != nil {
			return err
		}
	}
	return nil
}

// merge takes what a round brought. The error is the first of its errors; what the others found is kept.
func (r *campaign) merge(catches []catch) (err error) {
	for _, c := range catches {
		if c.found != nil {
			r.take(c.task, *c.found)
		}
		if err == nil {
			err = c.err
		}
	}
	return err
}

// tasks returns those that may still find something new.
func (r *campaign) tasks() []task {
	var tasks []task
	for i, h := range r.crew[0] {
		for k := range h.Checks {
			if t := (task{i, k}); r.again[t] < enough {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// deal has the workers carry out the tasks, and returns what came of each, in their order. When the time is up, tasks
// that nobody has taken come to nothing.
func (r *campaign) deal(ctx, timed context.Context, tasks []task, seed uint64) []catch {
	catches := make([]catch, len(tasks))
	next := make(chan int)
	var workers sync.WaitGroup
	for w := range r.crew {
		workers.Go(func() {
			for i := range next {
				found, err := r.look(ctx, timed, w, tasks[i], seed)
				if ctx.Err() != nil {
					err = nil // interrupted, not at fault
				}
				catches[i] = catch{tasks[i], found, err}
			}
		})
	}
	for i := range tasks {
		if timed.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return catches
}

// look carries out one task of a worker: until the time is up, but what it finds is shrunk to the end.
func (r *campaign) look(ctx, timed context.Context, worker int, t task, seed uint64) (*Found, error) {
	h := r.crew[worker][t.hunt]
	check, checks := h.Checks[t.check], roundChecks
	if check.ID != AgreementID {
		checks /= lawShare
	}
	defer r.tell()
	l := h.drawn(check, checks, seed)
	suspect, err := h.survey(timed, check, l)
	if err != nil || !suspect.exists() {
		return nil, err
	}
	c, err := h.convict(ctx, check, l, suspect)
	if err != nil {
		return nil, err
	}
	found := &Found{Counterexample: *c}
	if !r.seen[c.Key()] {
		found.Case, err = h.Case(ctx, r.Pairs[worker].Oracle, check, *c)
	}
	return found, err
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
		Checks: r.checks, Findings: len(r.found), Elapsed: time.Since(r.start),
	}
}
