package fuzz

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/spec"
)

// Pair is what one worker asks: a port that nobody else asks, so that a crash or a fault between sessions is that of
// its own subjects, and what the port is compared with.
type Pair struct {
	Port   spec.Port
	Oracle spec.Port // the reference, or another port
}

// declared returns the pair with each port asked only what it declares, and what both declare.
func (p Pair) declared(ctx context.Context) (of Pair, one, other spec.Description, err error) {
	if one, err = p.Port.Describe(ctx); err != nil {
		return p, one, other, fmt.Errorf("request the description of the port: %w", err)
	}
	if other, err = p.Oracle.Describe(ctx); err != nil {
		return p, one, other, fmt.Errorf("request the description of the old port: %w", err)
	}
	return Pair{declared.Port(p.Port, one), declared.Port(p.Oracle, other)}, one, other, nil
}

// engine plays subjects to a port, and shrinks what fails: [Judge] has it play so many, and a [Campaign] further ones
// until its time is up. Each check in a reading is a trial. Each worker has a process of the port.
type engine struct {
	budget  Budget
	pairs   []Pair // of the workers
	targets map[Part]*target
	trials  []*trial

	thrifty bool // what the checks cost is bounded

	// failed takes the counterexample that a trial came upon in one of its rounds; nil: the trial's result says it.
	failed func(ctx context.Context, t *trial, worker int, c Counterexample) error
	// decided is called after each trial, by one worker at a time; after false, no further trial is begun.
	decided func(*trial) bool

	losses losses // that no subject shows again

	lost atomic.Pointer[loss] // while all trials were scanned; nil where the process lived on
	mu   sync.Mutex           // guards what decided does
}

// loss is how the port's process was lost while all trials were scanned, and which of them was the first to notice.
type loss struct {
	*trial
	finding *Finding
}

// target returns what the checks of a detector in a reading have in common, which it makes when it is first asked.
// Also is what else is done to the fuzzer of each worker; it may be nil.
func (e *engine) target(
	source Source, offer spec.Offer, reading spec.Reading, also func(*Fuzzer) error,
) (*target, error) {
	key := Part{offer.Detector, reading}
	if t := e.targets[key]; t != nil {
		return t, nil
	}
	var fuzzers []*Fuzzer
	for _, pair := range e.pairs {
		h, err := tryFuzzer(pair.Port, pair.Oracle, source, offer, reading)
		if err != nil {
			return nil, err
		}
		h.Reference, h.losses = e.budget.Reference, &e.losses
		h.hopeless = e.budget.Hopeless != nil && e.budget.Hopeless(offer.Detector)
		if also != nil {
			if err := also(h); err != nil {
				return nil, err
			}
		}
		h.Restrict(e.budget.Asks)
		fuzzers = append(fuzzers, h)
	}
	t := newTarget(fuzzers, e.budget)
	for _, h := range fuzzers {
		if e.thrifty {
			h.costs = &t.costs
		}
	}
	if e.targets == nil {
		e.targets = map[Part]*target{}
	}
	e.targets[key] = t
	return t, nil
}

// falls returns what befell the processes of the ports so far.
func (e *engine) falls() Falls {
	f := Falls{}
	for _, t := range e.targets {
		f.Restarts += int(t.costs.restarts.Load())
	}
	f.Unexplained, _, f.Losses = e.losses.so()
	return f
}

// scanAll plays the subjects of all trials to the first worker's port, as many at once as that takes, and decides the
// trials that find nothing. A trial that finds something is left at its first failing subject; where the port died, or
// could not be asked, all are left that have not been played to their end. What is left is tried by itself, so that no
// check answers for what another one did to the port.
func (e *engine) scanAll(ctx context.Context) {
	type attempt struct {
		*trial
		at func() Subject
	}
	var attempts []attempt
	for _, t := range e.trials {
		if ctx.Err() != nil {
			break
		}
		for _, r := range t.rounds {
			for i := range r.n {
				attempts = append(attempts, attempt{t, func() Subject { return r.at(i) }})
			}
		}
	}
	together := together(e.pairs[0].Port)
	inParallel(together, len(attempts), func(_, i int) bool {
		t := attempts[i]
		if t.failing.Load() != nil || t.fuzzers[0].costs.exhausted() != "" {
			return true
		}
		return ctx.Err() == nil && e.scan(ctx, t.trial, t.at())
	})
	for _, t := range e.trials {
		if t.fuzzers != nil {
			t.fuzzers[0].costs.excess.Store(0) // what is left is judged as if nothing had been said before
		}
		if t.isOpen() && t.passed.Load() == int64(t.subjects()) && t.tally.unexercised() == "" {
			t.result.Status, t.result.Elapsed = conformance.Passed, t.elapsed.Load()/int64(together)
			e.decided(t)
		}
	}
}

// scan plays one subject among others, and reports whether more are to be played.
func (e *engine) scan(ctx context.Context, t *trial, s Subject) bool {
	start := time.Now()
	finding, err := t.check(0).finding(ctx, t.fuzzers[0].asked, s)
	t.elapsed.Add(time.Since(start).Nanoseconds())
	switch {
	case err != nil:
		_, ours := errors.AsType[*conformance.SuiteError](err)
		return ours
	case finding == nil:
		t.passed.Add(1)
		return true
	case finding.Gone != nil:
		e.lost.CompareAndSwap(nil, &loss{t, finding})
		return false
	default:
		t.failing.CompareAndSwap(nil, &Counterexample{s, *finding})
		return !e.budget.FailFast
	}
}

// each tries the trials, each by itself and as many at once as there are workers, until the second context ends. What
// is found by then is shrunk to its end.
func (e *engine) each(ctx, timed context.Context, trials []*trial) {
	inParallel(len(e.pairs), len(trials), func(worker, i int) bool {
		t := trials[i]
		if !t.isOpen() || timed.Err() != nil {
			return timed.Err() == nil
		}
		start := time.Now()
		t.err = e.try(ctx, timed, t, worker)
		t.result.Elapsed = time.Since(start).Nanoseconds()
		if t.err != nil && ctx.Err() != nil {
			t.err = nil // interrupted, and nobody's fault
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.decided(t)
	})
}

// try has a worker try a trial by itself. An error means that the port can no longer be asked, or is a fault of the
// suite.
func (e *engine) try(ctx, timed context.Context, t *trial, worker int) error {
	h, check := t.fuzzers[worker], t.check(worker)
	if err := h.revive(ctx); err != nil {
		return err
	}
	for n := 0; n < len(t.rounds); n++ {
		found, err := h.lookAt(ctx, timed, check, t.rounds[n].subjects)
		if err != nil {
			return fmt.Errorf("%s: %w", t.c.ID, err)
		}
		if found != nil {
			return e.fail(ctx, t, worker, *found, n)
		}
		if why := h.costs.exhausted(); why != "" {
			t.result.Status, t.result.Reason = conformance.Undecided, why
			return nil
		}
		if n == len(t.rounds)-1 {
			t.extend(h, check)
		}
	}
	if c := t.failing.Load(); c != nil {
		return e.fail(ctx, t, worker, *unrepeated(c.Subject, &c.Finding), len(t.rounds)-1)
	}
	t.result.Status = conformance.Passed
	if why := t.tally.unexercised(); why != "" {
		t.result.Status, t.result.Reason = conformance.Undecided, why
	}
	return nil
}

func (e *engine) fail(ctx context.Context, t *trial, worker int, c Counterexample, round int) error {
	if e.failed != nil {
		return e.failed(ctx, t, worker, c)
	}
	return t.fail(ctx, worker, c, round)
}
