package conformance

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// sharingClause says that what one session observes does not affect another.
const sharingClause = "PR-18"

// passesAlone is the reason of a failure that the port's other sessions explain.
const passesAlone = "it passes alone, in a fresh process: other sessions affect it"

// askAlone asks the port about two failures of each detector again, each as the first session of the detector in a
// fresh process. What passes there failed because of other sessions; if both pass, so did all failures of the detector.
func (r *runner) askAlone(ctx context.Context) {
	spawner, can := r.port.(stdio.Spawner)
	if !can || r.options.FailFast || r.maxRestarts() == 0 {
		return
	}
	failures := grouped(lists.Filter(r.tasks, (*task).hasDiffered), func(t *task) spec.DetectorID { return t.c.Detector })
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
				t.result.Reason = passesAlone
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
