package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// judging is one call of [Judge].
type judging struct {
	budget   Budget
	together int // how many subjects are under way at once
	trials   []*trial
	targets  map[part]*target
	lost     atomic.Pointer[loss] // while all trials were scanned; nil where the process lived on
}

// loss is how the port's process was lost while all trials were scanned, and which of them was the first to notice.
type loss struct {
	*trial
	finding *Finding
}

// trial is one check in one reading. Its result is open, with an empty status, until the trial is decided.
type trial struct {
	c      cases.Case
	result conformance.Result
	fuzzer *Fuzzer // nil where the result is decided from the start
	check  Check
	rounds []round
	lost   bool // the check alone brings the port's process down
	found  *Counterexample

	// Of the scan of all trials:
	passed  atomic.Int64            // subjects
	failing atomic.Pointer[Subject] // the check failed on it, among others
	elapsed atomic.Int64            // nanoseconds
}

// prepare makes the trials, and decides those of which nothing can be asked.
func (j *judging) prepare(
	laws []cases.Case, description spec.Description, fuzzer func(spec.Offer, spec.Reading) (*Fuzzer, error),
) {
	j.targets = map[part]*target{}
	for _, c := range laws {
		for _, reading := range c.Readings {
			t := &trial{c: c, result: conformance.NewResult(c, reading, description)}
			j.trials = append(j.trials, t)
			offer, _ := description.Offer(c.Detector)
			if t.result.Status == "" && !hasSettings(c, offer, &t.result) {
				t.result.Status = conformance.Skipped
			}
			if t.result.Status != "" {
				continue
			}
			h, err := fuzzer(offer, reading)
			if err == nil {
				key := part{c.Detector, reading}
				if j.targets[key] == nil {
					j.targets[key] = newTarget(h, j.budget)
				}
				err = t.begin(h, j.targets[key])
			}
			if err != nil {
				t.result.Status, t.result.Reason = conformance.Faulty, err.Error()
			}
		}
	}
	for _, t := range j.targets {
		t.traces = nil // each trial has those that it is tried on
	}
}

// begin gives the trial its check and what the check is tried on.
func (t *trial) begin(h *Fuzzer, of *target) error {
	h.Checks, h.Draw = of.checks, of.draw
	id := checkOf(t.c.Detector, t.c.ID)
	i := slices.IndexFunc(h.Checks, func(check Check) bool { return check.ID == id })
	if i < 0 {
		return &conformance.SuiteError{Problem: fmt.Sprintf("there is no check %q for %s", id, t.c.Detector)}
	}
	if h.costs == nil {
		h.charge(&of.costs)
	}
	t.fuzzer, t.check, t.rounds = h, h.Checks[i], of.rounds(h, i)
	return nil
}

// subjects returns how many there are in all rounds.
func (t *trial) subjects() (n int) {
	for _, r := range t.rounds {
		n += r.n
	}
	return n
}

// scanAll plays the subjects of all trials, as many at once as the port takes, and decides the trials that find
// nothing. A trial that finds something is left at its first failing subject; where the port died, or could not be
// asked, all are left that have not been played to their end. What is left is judged by itself, so that no check
// answers for what another one did to the port.
func (j *judging) scanAll(ctx context.Context) {
	type attempt struct {
		*trial
		at func() Subject
	}
	var attempts []attempt
	for _, t := range j.trials {
		for _, r := range t.rounds {
			for i := range r.n {
				attempts = append(attempts, attempt{t, func() Subject { return r.at(i) }})
			}
		}
	}
	inParallel(j.together, len(attempts), func(_, i int) bool {
		t := attempts[i]
		if t.failing.Load() != nil || t.fuzzer.costs.exhausted() != "" {
			return true
		}
		return ctx.Err() == nil && j.scan(ctx, t.trial, t.at())
	})
	for _, t := range j.trials {
		if t.fuzzer != nil {
			t.fuzzer.costs.excess.Store(0) // what is left is judged as if nothing had been said before
		}
		if t.result.Status == "" && t.passed.Load() == int64(t.subjects()) && t.fuzzer.tally.unexercised() == "" {
			t.result.Status, t.result.Elapsed = conformance.Passed, t.elapsed.Load()
			j.done()
		}
	}
}

// scan plays one subject among others, and reports whether more are to be played.
func (j *judging) scan(ctx context.Context, t *trial, s Subject) bool {
	start := time.Now()
	var err error
	if t.check.About(s) {
		err = t.check.try(ctx, t.fuzzer.asked, s)
	}
	t.elapsed.Add(time.Since(start).Nanoseconds())
	finding, found := errors.AsType[*Finding](err)
	_, ours := errors.AsType[*conformance.SuiteError](err)
	switch {
	case err == nil:
		t.passed.Add(1)
	case found && finding.Gone != nil:
		j.lost.CompareAndSwap(nil, &loss{t, finding})
	case found:
		t.failing.CompareAndSwap(nil, &s)
		return !j.budget.FailFast
	}
	return err == nil || ours
}

// errFailedFast is why trials are not judged after the first that did not pass.
var errFailedFast = errors.New("not run: the run stops at the first test that does not pass")

// judgeEach decides the trials that are open, one after the other. An adapter that does not start again is at fault,
// and the first of them says so. Where the first that does not pass is the last, those come first that found something.
func (j *judging) judgeEach(ctx context.Context) {
	var lost error // why no further trial is judged
	if j.budget.Over {
		lost = errFailedFast
	}
	for _, t := range j.inTurn() {
		if t.result.Status == "" && lost == nil {
			if lost = t.judge(ctx); lost != nil && conformance.OutcomeOf(lost) == conformance.AdapterFault {
				t.result.Status, t.result.Reason = conformance.Broken, lost.Error()
			}
			j.done()
			if lost == nil && j.budget.FailFast && t.result.Status != conformance.Passed {
				lost = errFailedFast
			}
		}
		if t.result.Status == "" {
			t.result.Status, t.result.Reason = conformance.Undecided, lost.Error()
		}
	}
}

// inTurn returns the trials in the order in which they are judged.
func (j *judging) inTurn() []*trial {
	if !j.budget.FailFast {
		return j.trials
	}
	found := slices.DeleteFunc(slices.Clone(j.trials), func(t *trial) bool { return t.failing.Load() == nil })
	return slices.Concat(found, j.trials)
}

// settleLoss says whose fault it is that the port's process was lost while all trials were scanned. Where one of them
// alone brings that about, it has said so.
func (j *judging) settleLoss() {
	for _, t := range j.targets {
		j.budget.fell(Falls{Restarts: int(t.costs.restarts.Load()), Unexplained: int(t.costs.deaths.Load())})
	}
	lost := j.lost.Load()
	if lost == nil || slices.ContainsFunc(j.trials, func(t *trial) bool { return t.lost }) {
		return
	}
	switch conformance.StatusOf(lost.finding.Gone) {
	case conformance.Broken:
		lost.lose(Counterexample{Finding: *lost.finding})
	case conformance.Failed:
		j.budget.fell(Falls{Unexplained: 1})
	}
}

func (j *judging) results() []conformance.Result {
	var results []conformance.Result
	for _, t := range j.trials {
		t.result.SaidLoop = t.fuzzer != nil && t.fuzzer.tally.loops.Load() > 0
		results = append(results, t.result)
	}
	return results
}

func (j *judging) done() {
	if j.budget.Done != nil {
		j.budget.Done()
	}
}

// judge decides a trial. An error means that the port can no longer be asked.
func (t *trial) judge(ctx context.Context) error {
	start := time.Now()
	err := t.fuzzer.revive(ctx)
	if err == nil {
		err = t.tryRounds(ctx)
	}
	t.result.Elapsed = time.Since(start).Nanoseconds()
	if ours, ok := errors.AsType[*conformance.SuiteError](err); ok {
		t.result.Status, t.result.Reason = conformance.Faulty, ours.Error()
		return nil
	}
	return err
}

// exercise is how many subjects a check gets until a verdict was a loop, and how many more after that: in fewer, the
// rarest rules of a port that has no others may keep silent.
const exercise, moreExercise = 200, 800

// tryRounds carries out the check. One that finds nothing on sessions that are all refused, or without a loop, has
// shown nothing.
func (t *trial) tryRounds(ctx context.Context) error {
	h := t.fuzzer
	for n := 0; n < len(t.rounds); n++ {
		found, err := h.lookAt(ctx, t.check, t.rounds[n].subjects)
		if err != nil {
			return fmt.Errorf("%s: %w", t.c.ID, err)
		}
		if found != nil {
			return t.fail(ctx, *found, n)
		}
		if why := h.costs.exhausted(); why != "" {
			t.result.Status, t.result.Reason = conformance.Undecided, why
			return nil
		}
		last := t.rounds[n]
		if n < len(t.rounds)-1 || h.tally.unexercised() == "" {
			continue
		}
		for _, more := range []int{exercise, moreExercise} {
			if last.n < more {
				t.rounds = append(t.rounds, round{h.drawn(t.check, more, uint64(last.seed)), last.seed})
				break
			}
		}
	}
	if s := t.failing.Load(); s != nil {
		return t.fail(ctx, *notDeterministic(*s), len(t.rounds)-1)
	}
	t.result.Status = conformance.Passed
	if why := h.tally.unexercised(); why != "" {
		t.result.Status, t.result.Reason = conformance.Undecided, why
	}
	return nil
}

// fail notes a counterexample that the check came upon in round n.
func (t *trial) fail(ctx context.Context, found Counterexample, n int) (err error) {
	t.found = &found
	t.result.Status, t.result.Failure, t.result.Clauses = conformance.Failed, failureOf(found), clausesOf(found)
	if config := found.Subject.Config; !config.IsAbsent() {
		t.result.Config = config.String()
	}
	if found.Finding.Gone != nil && t.lose(found) != conformance.Failed {
		return nil
	}
	t.result.Failure.Seed = t.rounds[n].seed
	t.result.Failure.Spread, err = t.fuzzer.spread(ctx, t.check, t.rounds[:max(n+1, min(2, len(t.rounds)))])
	return err
}

// lose notes that the port's process was lost, and whose fault that is, which it returns. That breaks no law: a verdict
// did not come, or the protocol was broken.
func (t *trial) lose(found Counterexample) conformance.Status {
	gone := found.Finding.Gone
	t.lost = true
	t.result.Status, t.result.Reason = conformance.StatusOf(gone), "the adapter "+gone.What()
	if n := len(found.Subject.Steps); n > 0 {
		t.result.Reason += "; on a generated trace that ends with " + describeStep(found.Subject.Steps[n-1])
	}
	t.result.Clauses = []string{verdicts}
	switch t.result.Status {
	case conformance.Failed:
		return conformance.Failed
	case conformance.Undecided:
		t.fuzzer.costs.lose(gone)
	default:
		t.result.Clauses = []string{cmp.Or(gone.Clause, verdicts)}
	}
	t.result.Failure = nil
	return t.result.Status
}
