package conformance

import (
	"context"
	"errors"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// run carries out one task. It returns an error, and leaves the result open, where the port could not be asked any
// more before the task was decided.
func (r *runner) run(ctx context.Context, t *task) error {
	j := &judge{port: fenced(r.port), reading: t.reading, c: t.c}
	err := j.runSafely(ctx)
	gone := r.isGone(err)
	if gone {
		r.markDown()
	}
	var failure *failed
	var unknownCode *stdio.CodeError
	var ours *SuiteError
	switch {
	case err == nil:
		t.result.Status = Passed
	case errors.As(err, &ours):
		t.result.Status, t.result.Reason = Faulty, ours.Error()
	case errors.As(err, &failure):
		t.result.Status, t.result.Failure = Failed, &failure.Failure
	case errors.As(err, &unknownCode):
		t.result.Status, t.result.Reason = Broken, unknownCode.Error()
	case gone:
		return &stranded{where: j.place(), cause: err}
	default:
		t.result.Status, t.result.Reason = Undecided, err.Error()
	}
	r.finished(j.events, t.result.Status)
	return nil
}

// isGone reports whether an error says that the port has to be started anew. A port that cannot be, and has no process
// that could be gone, may answer the next case well.
func (r *runner) isGone(err error) bool {
	var process *stdio.ProcessError
	var failure *failed
	var unknownCode *stdio.CodeError
	var ours *SuiteError
	switch {
	case err == nil, errors.As(err, &ours):
		return false
	case errors.As(err, &process):
		return true
	case errors.As(err, &failure), errors.As(err, &unknownCode):
		return false
	default:
		_, canRestart := r.port.(Restarter)
		return canRestart
	}
}

// runSafely runs the case. A port in Go that panics fails it; a panic of any other code is a fault of the suite.
func (j *judge) runSafely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asSuiteError(p)
		}
	}()
	err = j.run(ctx)
	var crash *panicked
	if errors.As(err, &crash) {
		failure := j.place()
		failure.Problem = crash.Error()
		return &failed{failure}
	}
	return err
}
