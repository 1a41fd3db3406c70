package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// defaultRestarts bounds the time that a port takes which dies on many cases.
const defaultRestarts = 20

// part is the detector and the reading of some of the cases.
type part struct {
	detector spec.DetectorID
	reading  spec.Reading
}

func (t *task) part() part { return part{t.c.Detector, t.reading} }

// interrupted is a task that was under way when the port could not be asked any more, so that it may be the cause.
type interrupted struct {
	*task
	where Failure // the step that was waiting for the port
	cause error
}

// retryEach decides about tasks of which any may be the cause of what befell the port: each is run alone.
//
// An adapter that broke the protocol is at fault even where no case makes it do so alone: some confuse only requests
// that arrive together. Crashes and missing answers are another matter, since the machine may have been at fault. The
// candidates are in the order in which they were interrupted; the first speaks for all.
func (r *runner) retryEach(ctx context.Context, candidates []*interrupted) {
	again, repeated := false, false
	for _, c := range candidates {
		repeated = r.retry(ctx, c.task) || repeated
		again = again || c.result.Status == Broken
	}
	if len(candidates) == 0 || again {
		return
	}
	status, reason, _ := attribute(candidates[0])
	if status != Broken {
		if !repeated && !r.down {
			r.countUnexplained(candidates[0].cause)
		}
		return
	}
	together := ""
	if len(candidates) > 1 {
		together = fmt.Sprintf(" while %d cases were under way, and not when each was run alone", len(candidates))
	}
	first := &candidates[0].result
	first.Failure = nil
	first.breaks(clauseOf(candidates[0].cause), fmt.Sprintf("the adapter failed%s: %s", together, reason))
}

// clauseOf returns the clause that an adapter broke by which it is gone; empty where nobody knows.
func clauseOf(err error) string {
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok {
		return gone.Clause
	}
	return ""
}

// countUnexplained counts what befell the port and no case repeats alone.
func (r *runner) countUnexplained(cause error) {
	if hasDied(cause) {
		r.unexplained++
	} else {
		r.hangs++
	}
}

// retry carries out one task while nothing else is under way. What goes wrong in a process that was asked nothing
// before, the task has caused, which is what retry reports; where others were run before it, it is run once more.
func (r *runner) retry(ctx context.Context, t *task) (caused bool) {
	var before error
	for {
		if r.isSpent(t) || !r.up(ctx) {
			r.giveUp(ctx, []*task{t})
			return false
		}
		fresh := r.fresh
		r.fresh = false
		gone := r.attempt(ctx, t)
		switch {
		case gone == nil:
			if before != nil {
				r.countUnexplained(before)
			}
			return false
		case fresh:
			r.attribute(t, gone)
			return true
		}
		before = gone.cause
	}
}

// attribute says of a task that it brought the port down.
func (r *runner) attribute(t *task, gone *interrupted) {
	t.result.Status, t.result.Reason, t.result.Failure = attribute(gone)
	if t.result.Status == Broken {
		t.result.putFirst(clauseOf(gone.cause))
	}
	if r.falls == nil {
		r.falls = map[part]int{}
	}
	r.falls[t.part()]++
	if t.result.Status == Undecided {
		r.hangs++
	}
	r.finished(0, t.result.Status)
}

// isSpent reports whether the cases of the task's detector and reading have brought the port down too often.
func (r *runner) isSpent(t *task) bool {
	return r.falls[t.part()] > 0 && r.falls[t.part()] >= r.maxRestarts()
}

// giveUpSpent gives those tasks up whose detector and reading have no restarts left, and returns the others.
func (r *runner) giveUpSpent(ctx context.Context, tasks []*task) []*task {
	var rest []*task
	for _, t := range tasks {
		if r.isSpent(t) {
			r.giveUp(ctx, []*task{t})
		} else {
			rest = append(rest, t)
		}
	}
	return rest
}

// up makes sure that the port can be asked. One that cannot is started anew, where it can and may be.
func (r *runner) up(ctx context.Context) bool {
	if !r.down {
		return true
	}
	port, ok := r.port.(stdio.Restarter)
	most := r.maxRestarts()
	if !ok || ctx.Err() != nil || r.noStart != nil || most == 0 || r.hangs >= most || r.unexplained >= most {
		return false
	}
	r.restarts++
	if r.noStart = port.Restart(ctx); r.noStart != nil {
		return false
	}
	r.down, r.fresh = false, true
	return true
}

func (r *runner) maxRestarts() int {
	if r.options.MaxRestarts != 0 {
		return max(r.options.MaxRestarts, 0)
	}
	return defaultRestarts
}

// whyStopped says why a task is given up.
func (r *runner) whyStopped(ctx context.Context, t *task) string {
	switch {
	case ctx.Err() != nil:
		return "not run: " + stdio.WhyEnded(ctx)
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
	case r.hangs > 0 && r.hangs >= r.maxRestarts():
		return "not run: the port gave no answer in time " + times(r.hangs)
	case r.unexplained > 0:
		return fmt.Sprintf("not run: the port died %s, and no case shows why", times(r.unexplained))
	default:
		return "not run: the port is gone, and cannot be started anew"
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// giveUp leaves tasks undecided. An adapter that does not start again is at fault, and the first of them says so.
func (r *runner) giveUp(ctx context.Context, tasks []*task) {
	for _, t := range tasks {
		t.result.Status, t.result.Reason = Undecided, r.whyStopped(ctx, t)
	}
	if r.noStart != nil && !r.reported && !isNobodysFault(r.noStart) {
		r.reported = true
		tasks[0].result.breaks(clauseOf(r.noStart), tasks[0].result.Reason)
	}
}
