package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// shrinkTime bounds the shrinking of a counterexample. In this process it takes a second at most; a port that needs
// milliseconds for each trace must not keep its author waiting for minutes.
const shrinkTime = 20 * time.Second

// Fuzzer looks for faults of one detector in one reading.
type Fuzzer struct {
	Pair
	Detector spec.DetectorID
	Reading  spec.Reading
	Checks   []Check
	Draw     func(*rapid.T) Subject

	// Reference tries a law that the port breaks: if it breaks the law too, the suite is at fault. Nil tries nothing.
	Reference spec.Port

	// Together is how many subjects are under way at once; 0 stands for 1. A port in another process is asked far
	// more often where requests need not wait for the answers to those before them.
	Together int

	offer    spec.Offer
	hopeless bool        // see [Budget]
	vs       *comparison // nil unless the port is compared with an older one
	asked    *recorder   // the port, as the checks see it
	costs    *costs      // of shrinking; nil where nobody minds
	losses   *losses     // that no subject shows again

	known func(*Counterexample) bool // a counterexample that is passed over; nil for none
}

// Counterexample is a subject that a port fails a check on, made small.
type Counterexample struct {
	Subject Subject
	Finding Finding
}

// Key tells different counterexamples apart: two that are equal show the same fault.
func (c Counterexample) Key() string { return c.Finding.Check + " " + c.Subject.Value().String() }

// lookAt returns the first counterexample among the subjects that is not passed over, nil where there is none. Subjects
// are played until the second context ends; what fails is shrunk to its end. That the first one ended is an error.
func (h *Fuzzer) lookAt(ctx, timed context.Context, check Check, l subjects) (*Counterexample, error) {
	for {
		failing, err := h.scan(timed, check, l)
		if err == nil && failing.finding == nil && ctx.Err() != nil {
			err = fmt.Errorf("check %s of %s: %w", check.ID, h.Detector, ctx.Err())
		}
		if err != nil || failing.finding == nil {
			return nil, err
		}
		c, err := h.confirm(ctx, check, l, failing)
		if err != nil || !h.passesOver(c) {
			return c, err
		}
		l = l.after(failing.end)
	}
}

// passesOver reports whether nobody is accused of a counterexample: the machine may be at fault, or it is known.
func (h *Fuzzer) passesOver(c *Counterexample) bool {
	if c.Finding.isNobodys() {
		h.costs.lose(c.Finding.Gone)
		h.losses.add(&c.Finding)
		return true
	}
	return h.known != nil && h.known(c)
}

// toldTo returns the fuzzer with what it asks told to a tally of its own.
func (h *Fuzzer) toldTo(t *tally) *Fuzzer {
	one := *h
	one.asked = newRecorder(h.Port, func(q request) {
		t.add(q)
		one.costs.listen(q)
	})
	return &one
}

// shrunk shrinks a subject that was found to fail.
func (h *Fuzzer) shrunk(ctx context.Context, check Check, s Subject, first *Finding) (*Counterexample, error) {
	deadline := time.Now().Add(shrinkTime)
	spent := h.costs.budget(first)
	over := func() bool { return ctx.Err() != nil || spent() || time.Now().After(deadline) }
	last := first
	smallest := shrink(s, over, func(candidate Subject) bool {
		f, err := h.finding(ctx, check, candidate)
		fails := err == nil && f != nil && f.isLike(first)
		if fails {
			last = f
		}
		return fails
	})
	if last.isSilence() || last.isBreach() { // it would be waited for, or be lost, once more
		return &Counterexample{smallest, *last}, nil
	}
	before := last
	if before.Gone != nil {
		if err := h.renew(ctx); err != nil {
			return nil, err
		}
	}
	last, err := h.finding(ctx, check, smallest)
	if err != nil {
		return nil, err
	}
	if last == nil || before.Gone != nil && last.Gone == nil {
		return unrepeated(smallest, before), nil
	}
	return &Counterexample{smallest, *last}, nil
}

// unrepeated is what a subject shows that failed once and passes now. Where the port's process was lost, or refused
// what it must accept, that says nothing of its verdicts.
func unrepeated(s Subject, before *Finding) *Counterexample {
	if before.Refused {
		return &Counterexample{s, before.byOthers()}
	}
	if before.Gone == nil {
		return notDeterministic(s)
	}
	lost := *before
	lost.Unrepeated = true
	return &Counterexample{s, lost}
}

// notDeterministic is what a subject shows that failed once and passes now.
func notDeterministic(s Subject) *Counterexample {
	return &Counterexample{s, Finding{
		Check: "determinism", Problem: "the port is not deterministic: what failed once passes now", Step: -1,
	}}
}

// finding plays a subject and returns what the port does wrong, nil where it does nothing wrong. It leaves the port fit
// for the next subject.
func (h *Fuzzer) finding(ctx context.Context, check Check, s Subject) (*Finding, error) {
	finding, err := check.finding(ctx, h.asked, s)
	if finding != nil || err != nil {
		if err := h.revive(ctx); err != nil {
			return nil, err
		}
	}
	return finding, err
}

// revive starts a port anew whose process is gone, so that a crash shrinks like any other fault; likewise the older
// port that it is compared with.
func (h *Fuzzer) revive(ctx context.Context) error {
	if err := h.restart(ctx, h.Port); err != nil {
		return fmt.Errorf("start the port again: %w", err)
	}
	if err := h.restart(ctx, h.Oracle); err != nil {
		return fmt.Errorf("start the old port again: %w", err)
	}
	return nil
}

// renew starts both ports anew: what they have seen before shall not count.
func (h *Fuzzer) renew(ctx context.Context) error {
	for _, port := range []spec.Port{h.Port, h.Oracle} {
		if restarter, ok := port.(stdio.Restarter); ok {
			if err := restarter.Restart(ctx); err != nil {
				return fmt.Errorf("start the port again: %w", err)
			}
		}
	}
	return nil
}

// restart starts a port anew if its process is gone.
func (h *Fuzzer) restart(ctx context.Context, port spec.Port) error {
	restarter, ok := port.(stdio.Restarter)
	if !ok || !isGone(ctx, port) {
		return nil
	}
	if h.costs != nil {
		h.costs.restarts.Add(1)
	}
	return restarter.Restart(ctx)
}

// isGone reports whether the port's process can no longer be asked.
func isGone(ctx context.Context, port spec.Port) bool {
	_, err := port.Call(ctx, "loopstone.ping", "", spec.ObjectValue())
	var gone *stdio.ProcessError
	return errors.As(err, &gone)
}

// subjects is a list of subjects, each of which can be had again.
type subjects struct {
	n  int
	at func(i int) Subject
}

// after returns the list without its first n subjects.
func (l subjects) after(n int) subjects {
	return subjects{l.n - n, func(i int) Subject { return l.at(n + i) }}
}

// failing is what a scan comes to: the place of the first subject that failed, how it failed, nil where none did, and
// the end of those that were played.
type failing struct {
	first, end int
	finding    *Finding
}

// scan plays subjects, as many at once as the fuzzer allows, until one fails or the context ends. The first that fails
// is the same for every run with a port that is deterministic. The error is one of asking.
//
// A subject that fails among others may owe it to one of them, in a process that crashed or hangs: so a scan only
// points at it, and [Fuzzer.confirm] plays the subjects one at a time.
func (h *Fuzzer) scan(ctx context.Context, check Check, l subjects) (failing, error) {
	var mu sync.Mutex // guards the results
	var result failing
	var trouble error // of asking
	result.end = inParallel(h.Together, l.n, func(_, i int) bool {
		if ctx.Err() != nil || h.costs.exhausted() != "" {
			return false
		}
		finding, err := check.finding(ctx, h.asked, l.at(i))
		mu.Lock()
		defer mu.Unlock()
		switch {
		case finding != nil && (result.finding == nil || i < result.first):
			result.first, result.finding = i, finding
		case finding == nil && ctx.Err() == nil: // what failed because the time was up is not known to fail
			trouble = cmp.Or(trouble, err)
		}
		return finding == nil && err == nil
	})
	if result.finding != nil {
		trouble = nil
	}
	return result, trouble
}

// inParallel calls do for the numbers below n, by so many workers at once, until it has returned false. Numbers are
// taken in their order, and each that was taken is done before inParallel returns; it returns how many these are.
func inParallel(workers, n int, do func(worker, i int) bool) (taken int) {
	var next atomic.Int64
	var stopped atomic.Bool
	var group sync.WaitGroup
	for w := range min(max(workers, 1), n) {
		group.Go(func() {
			for !stopped.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if !do(w, i) {
					stopped.Store(true)
				}
			}
		})
	}
	group.Wait()
	return min(int(next.Load()), n)
}

// confirm finds the subject that brings about what a scan came upon, and shrinks it: the first that failed, or one of
// those that were under way with it, or, where the port carries something over from one subject to the next, one that
// fails when all are played again in their order. Where none fails again, the port is not deterministic, unless its
// process was lost. Where another check has shown a subject of which the process dies in the same way, that one is the
// counterexample of this check, too.
func (h *Fuzzer) confirm(ctx context.Context, check Check, l subjects, s failing) (*Counterexample, error) {
	if err := h.revive(ctx); err != nil {
		return nil, err
	}
	if shown := h.costs.shownAs(s.finding); shown != nil { // to show it again would cost several processes
		again := *shown
		again.Finding.Check, again.Finding.As = check.ID, shown.Finding.Check
		return &again, nil
	}
	cause, finding, err := h.firstOf(ctx, check, l, s)
	if err == nil && finding == nil {
		cause, finding, err = h.firstOf(ctx, check, l, failing{first: 0, end: s.end})
	}
	switch {
	case err != nil:
		return nil, err
	case finding == nil:
		return unrepeated(l.at(s.first), s.finding), nil
	case finding.isSilence(): // to shrink it would be to wait as long for each candidate
		return &Counterexample{l.at(cause), *finding}, nil
	}
	c, err := h.shrunk(ctx, check, l.at(cause), finding)
	if err == nil {
		c, err = h.alone(ctx, check, c)
	}
	if err == nil {
		err = h.accuse(ctx, check, *c)
	}
	if err != nil {
		return nil, err
	}
	h.costs.show(c)
	return c, nil
}

// alone tries a counterexample of which the port refuses what it must accept in a fresh process: whoever plays it again
// would wonder where it passes.
func (h *Fuzzer) alone(ctx context.Context, check Check, c *Counterexample) (*Counterexample, error) {
	if !c.Finding.Refused {
		return c, nil
	}
	if err := h.renew(ctx); err != nil {
		return nil, err
	}
	finding, err := h.finding(ctx, check, c.Subject)
	if err == nil && finding == nil {
		c = unrepeated(c.Subject, &c.Finding)
	}
	return c, err
}

// firstOf plays subjects one at a time, and returns the place of the first that fails, and how it does: nil where none
// does.
func (h *Fuzzer) firstOf(ctx context.Context, check Check, l subjects, s failing) (int, *Finding, error) {
	for i := s.first; i < s.end; i++ {
		if err := ctx.Err(); err != nil {
			return -1, nil, fmt.Errorf("play subject %d again: %w", i, err)
		}
		finding, err := h.finding(ctx, check, l.at(i))
		if err != nil || finding != nil {
			return i, finding, err
		}
	}
	return -1, nil, nil
}

// accuse has the reference try a law that the port breaks, before the port answers for it. Its error is a
// [*conformance.SuiteError] if the reference breaks the law too: then the law is wrong, or the reference is.
func (h *Fuzzer) accuse(ctx context.Context, check Check, c Counterexample) error {
	isLaw := c.Finding.Check == check.ID && check.ID != AgreementID
	if h.Reference == nil || !isLaw || c.Finding.Gone != nil {
		return nil
	}
	if check.try(ctx, conformance.Oracle(h.Reference), c.Subject) == nil {
		return nil
	}
	return &conformance.SuiteError{Problem: fmt.Sprintf(
		"the law is wrong, or the reference is: it breaks it too on %s (%s)", c.Subject.Value(), c.Finding.Error(),
	)}
}
