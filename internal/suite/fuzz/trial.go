package fuzz

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
)

// trial is one check in one reading. Its result is open, with an empty status, until the trial is decided.
type trial struct {
	c       cases.Case
	result  conformance.Result
	of      *target   // nil where the result is decided from the start
	fuzzers []*Fuzzer // of each worker
	place   int       // of the check, among those of each fuzzer
	tally   tally     // of what the port was asked
	rounds  []round
	lost    bool // the check alone brings the port's process down
	err     error
	found   *Counterexample

	// Of a campaign:
	made  *Found // in this round
	again int    // how often the check found only what was known

	// Of the scan of all trials:
	passed  atomic.Int64                   // subjects
	failing atomic.Pointer[Counterexample] // the check failed on it, among others
	elapsed atomic.Int64                   // nanoseconds, of subjects of which several are under way at once
}

// newTrial returns the trial of a target's check, which has no subjects yet.
func newTrial(c cases.Case, of *target, place int) *trial {
	t := &trial{c: c}
	t.asks(of, place)
	return t
}

// asks gives the trial the check of a target at a place.
func (t *trial) asks(of *target, place int) {
	t.of, t.place = of, place
	for _, h := range of.fuzzers {
		t.fuzzers = append(t.fuzzers, h.toldTo(&t.tally))
	}
}

// check returns the check as a worker makes it.
func (t *trial) check(worker int) Check { return t.fuzzers[worker].Checks[t.place] }

// isOpen reports whether the trial has still to be decided.
func (t *trial) isOpen() bool { return t.result.Status == "" }

// subjects returns how many there are in all rounds.
func (t *trial) subjects() (n int) {
	for _, r := range t.rounds {
		n += r.n
	}
	return n
}

// exercise is how many subjects a check gets until a verdict was a loop, and how many more after that: in fewer, the
// rarest rules of a port that has no others may keep silent.
const exercise, moreExercise = 200, 800

// extend adds a round to a trial that has found nothing on sessions that are all refused, or without a loop: it has
// shown nothing.
func (t *trial) extend(h *Fuzzer, check Check) {
	last := t.rounds[len(t.rounds)-1]
	if h.hopeless || t.tally.unexercised() == "" {
		return
	}
	for _, more := range []int{exercise, moreExercise} {
		if last.n < more {
			t.rounds = append(t.rounds, round{h.drawn(check, more, uint64(last.seed)), last.seed})
			return
		}
	}
}

// fail notes a counterexample that the check came upon in round n.
func (t *trial) fail(ctx context.Context, worker int, found Counterexample, n int) (err error) {
	t.found = &found
	t.result.Status, t.result.Failure, t.result.Clauses = conformance.Failed, failureOf(found), clausesOf(found)
	if config := found.Subject.Config; !config.IsAbsent() {
		t.result.Config = config.String()
	}
	t.result.Failure.Seed = t.rounds[n].seed
	if found.Finding.Gone != nil {
		t.lose(found)
		return nil
	}
	tried := t.rounds[:max(n+1, min(2, len(t.rounds)))]
	t.result.Failure.Spread, err = t.fuzzers[worker].spread(ctx, t.check(worker), tried)
	return err
}

// lose notes that the port's process was lost, and whose fault that is. That breaks no law: a verdict did
// not come, or the protocol was broken. On how many traces the port dies is not counted: each would cost a process.
func (t *trial) lose(found Counterexample) {
	gone := found.Finding.Gone
	t.lost = true
	t.result.Status, t.result.Reason = found.Finding.Status(), found.Finding.whose()+"the adapter "+gone.What()
	if n := len(found.Subject.Steps); n > 0 {
		t.result.Reason += "; on a generated trace that ends with " + describeStep(found.Subject.Steps[n-1])
	}
	if shown := found.Finding.As; shown != "" {
		t.result.Reason += ", as " + laws.CaseID(t.c.Detector, shown) + " shows"
	}
	t.result.Clauses = []string{verdicts}
	switch t.result.Status {
	case conformance.Failed:
		t.result.Failure.Steps = 0 // which check has shown the trace depends on the selection, known failures must not
		return
	case conformance.Undecided:
		t.fuzzers[0].costs.lose(gone)
	default:
		t.result.Clauses = []string{cmp.Or(gone.Clause, verdicts)}
	}
	t.result.Failure = nil
}
