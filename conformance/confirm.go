package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// sharingClause says that what one session observes does not affect another.
const sharingClause = "PR-18"

// PassesAlone is the reason of a failure that the port's other sessions explain.
const PassesAlone = "it passes alone, in a fresh process: other sessions affect it"

// askAlone asks the port about two failures of each detector again, each as the first session of the detector in a
// fresh process. What passes there failed because of other sessions; if both pass, so did all failures of the detector.
func (r *runner) askAlone(ctx context.Context) {
	spawner, can := r.port.(stdio.Spawner)
	if !can || r.options.FailFast || r.maxRestarts() == 0 {
		return
	}
	detectorOf := func(t *task) spec.DetectorID { return t.c.Detector }
	failures := lists.Grouped(lists.Filter(r.tasks, (*task).hasDiffered), detectorOf)
	var first, last []*task
	for _, of := range failures {
		plain, other := lists.Partition(of, (*task).hasOneSession)
		of = append(plain, other...)
		first, last = append(first, of[0]), append(last, of[max(len(plain), 1)-1])
	}
	shared := r.passingAlone(ctx, spawner, first)
	if len(shared) == 0 {
		return // nothing hints at what a second process would find
	}
	for t := range r.passingAlone(ctx, spawner, last) {
		shared[t] = true
	}
	for i, of := range failures {
		for _, t := range of {
			if shared[t] {
				t.result.Reason = PassesAlone
			}
			if shared[t] || shared[first[i]] && shared[last[i]] {
				t.result.putFirst(sharingClause)
			}
		}
	}
}

// hasDiffered reports whether the port gave an answer to the case, and a wrong one.
func (t *task) hasDiffered() bool { return t.result.Status == Failed && t.result.Reason == "" }

// hasOneSession reports whether the case opens a single session, and only tells it events.
func (t *task) hasOneSession() bool {
	return len(t.halves) == 1 && !slices.ContainsFunc(t.c.Steps, func(s cases.Step) bool {
		return s.Action != cases.Observe || s.Session != cases.MainSession
	})
}

// passingAlone carries out one task of each detector in a fresh process, and returns those that pass there.
func (r *runner) passingAlone(ctx context.Context, spawner stdio.Spawner, tasks []*task) map[*task]bool {
	passed := map[*task]bool{}
	if len(tasks) == 0 || ctx.Err() != nil {
		return passed
	}
	port, end, err := spawner.Spawn(ctx)
	if err != nil {
		return passed // the failures stand as they are
	}
	defer end()
	for _, t := range tasks {
		again := newTask(t.c, t.reading, r.description)
		_, err := again.carryOut(ctx, port, r.description)
		if isGone(port, err) {
			break
		}
		if err == nil {
			passed[t] = true
		}
	}
	return passed
}

// Oracle returns the port that others are compared with, such that whatever goes wrong in it, but for refusals, comes
// back as a [*SuiteError]: no port answers for what the oracle does not know.
func Oracle(port spec.Port) spec.Port {
	return recoveringPort{port, func(err error) error {
		if is[*spec.Fault](err) || isNobodysFault(err) {
			return err
		}
		return &SuiteError{"the oracle has no answer", err}
	}}
}

// mostLate bounds the events of all cases that are asked of the oracle once the run has ended.
const mostLate = 1000

// eventsIn returns how many events a case tells.
func eventsIn(c cases.Case) int {
	events := 0
	for _, step := range c.Steps {
		events += step.Times * len(step.Events)
	}
	return events
}

// askOracle has the oracle carry out each case that the port failed, if the run has an oracle. A case that the oracle
// fails too tells nothing about the port: the case is wrong, or the oracle is, and both are ours. A case that the
// oracle lacks something for is left as it is.
//
// Once the run has ended, it asks about a few events more, so that failures that are known by then are told, and leaves
// the rest undecided.
func (r *runner) askOracle(ctx context.Context) error {
	failed := lists.Filter(r.tasks, func(t *task) bool { return t.result.Status == Failed })
	if len(failed) == 0 || r.options.Oracle == nil {
		return nil
	}
	oracle := newRunner(Oracle(r.options.Oracle), spec.Description{}, Options{}, nil)
	description, err := oracle.port.Describe(ctx)
	if err != nil {
		return fmt.Errorf("request the description of the oracle: %w", err)
	}
	late := mostLate
	for _, t := range failed {
		asked := newTask(t.c, t.reading, description)
		if asked.result.Status == Skipped {
			continue
		}
		asking := ctx
		if ctx.Err() != nil {
			if late -= max(1, eventsIn(t.c)); late < 0 {
				t.result.unconfirmed(ctx)
				continue
			}
			asking = context.WithoutCancel(ctx)
		}
		if gone := oracle.attempt(asking, asked); gone != nil {
			return gone.cause
		}
		t.result.confirm(ctx, asked.result)
	}
	return nil
}

// confirm notes in the result of a case that the port failed what the oracle came to.
func (r *Result) confirm(ctx context.Context, oracle Result) {
	switch oracle.Status {
	case Failed:
		r.Reason = "the case is wrong, or the reference is: the reference fails it too, by " + oracle.Brief()
		r.Status = Faulty
	case Faulty:
		r.Status, r.Reason = Faulty, oracle.Reason
	case Undecided:
		r.unconfirmed(ctx)
	}
}

// unconfirmed leaves a failure undecided about which the run ended before an oracle had its word.
func (r *Result) unconfirmed(ctx context.Context) {
	r.Reason = fmt.Sprintf("%s before the reference was run; the port differs from the case by %s",
		stdio.WhyEnded(ctx), r.Brief())
	r.Status, r.Failure = Undecided, nil
}
