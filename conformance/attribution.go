package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
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

// blame says whose fault it is that a port could not be asked, while one case ran alone:
//
//   - a process that dies on a case (a status other than 0, a signal) is a port that fails it;
//   - one that breaks the protocol, or leaves of its own accord, is an adapter that is broken;
//   - one that does not answer in time leaves the case undecided: the machine may have been slow.
func blame(err error) (Status, string, *Failure) {
	var gone *stdio.ProcessError
	if !errors.As(err, &gone) {
		return Undecided, err.Error(), nil
	}
	reason := gone.Error()
	var place *stranded
	if errors.As(err, &place) {
		reason += place.at()
	}
	reason = withLastWords(reason, gone.Stderr)
	switch {
	case gone.Reason == stdio.Exited && gone.Exit != nil && *gone.Exit != (stdio.Exit{}):
		failure := Failure{}
		if place != nil {
			failure = place.where
		}
		failure.Problem = fmt.Sprintf("the port's process died: %s", gone.Exit)
		return Failed, reason, &failure
	case isNobodysFault(gone):
		return Undecided, reason, nil
	default:
		return Broken, reason, nil
	}
}

// isNobodysFault reports whether an error says that the time was up or the run was ended.
func isNobodysFault(err error) bool {
	var gone *stdio.ProcessError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &gone) && (gone.Reason == stdio.TimedOut || gone.Reason == stdio.Cancelled)
}

// SuiteError is an error that is the fault of the suite: a case that cannot be carried out, a check that panicked, an
// oracle that has no answer. Nobody else may be blamed for it.
type SuiteError struct {
	Problem string
	Err     error // nil where Problem says all
}

// Error returns what is wrong with the suite, in one line.
func (e *SuiteError) Error() string {
	if e.Err == nil {
		return e.Problem
	}
	return fmt.Sprintf("%s: %v", e.Problem, e.Err)
}

// Unwrap returns the cause.
func (e *SuiteError) Unwrap() error { return e.Err }

// asSuiteError turns a panic of the suite's own code into an error; called by a deferred function, with what recover
// returned.
func asSuiteError(panicked any) *SuiteError {
	return &SuiteError{Problem: fmt.Sprintf("a check panicked: %v%s", panicked, panicSite())}
}

// panicSite returns which function of this module panicked, for those who are to mend it; nothing where none is known.
func panicSite() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for seen := false; ; {
		frame, more := frames.Next()
		if seen && strings.HasPrefix(frame.Function, module) {
			return fmt.Sprintf(" in %s, line %d", strings.TrimPrefix(frame.Function, module), frame.Line)
		}
		seen = seen || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// module is what the names of this module's functions begin with.
const module = "github.com/loopstone/loopstone/"

// Oracle returns the port that others are compared with, such that what goes wrong in it, but for refusals, comes back
// as a [*SuiteError]: a port is not to be blamed for what its judge does not know.
func Oracle(port spec.Port) spec.Port {
	return fence{port, func(err error) error {
		var fault *spec.Fault
		if errors.As(err, &fault) || isNobodysFault(err) {
			return err
		}
		return &SuiteError{"the oracle has no answer", err}
	}}
}

// panicked is the error of a port in this process that panicked.
type panicked struct{ value any }

// Error says that the port panicked, and with what.
func (p *panicked) Error() string { return fmt.Sprintf("the port panicked: %v", p.value) }

// fence is a Port of this process whose panics come back as errors, so that they are told from those of the suite's own
// code around it.
type fence struct {
	spec.Port
	blame func(error) error // what becomes of an error; not called for nil
}

// fenced returns the port with its panics made errors of the kind [*panicked]. A client of the protocol is our own
// code, whose panics are our own fault.
func fenced(port spec.Port) spec.Port {
	switch port.(type) {
	case *Adapter, *stdio.Client:
		return port
	default:
		return fence{port, func(err error) error { return err }}
	}
}

// settle is deferred by every method: it makes a panic an error, and says whose error it is.
func (f fence) settle(err *error) {
	if p := recover(); p != nil {
		*err = &panicked{p}
	}
	if *err != nil {
		*err = f.blame(*err)
	}
}

// Describe implements [spec.Port].
func (f fence) Describe(ctx context.Context) (d spec.Description, err error) {
	defer f.settle(&err)
	return f.Port.Describe(ctx)
}

// Open implements [spec.Port].
func (f fence) Open(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value) (s spec.Session, err error) {
	defer f.settle(&err)
	s, err = f.Port.Open(ctx, detector, reading, config)
	return &fencedSession{s, f}, err
}

// Call implements [spec.Port].
func (f fence) Call(ctx context.Context, function string, reading spec.Reading, args spec.Value) (v spec.Value, err error) {
	defer f.settle(&err)
	return f.Port.Call(ctx, function, reading, args)
}

// fencedSession is a session of a fenced port.
type fencedSession struct {
	spec.Session
	fence fence
}

// Observe implements [spec.Session].
func (s *fencedSession) Observe(ctx context.Context, events []spec.Value) (verdicts []spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.Observe(ctx, events)
}

// Reset implements [spec.Session].
func (s *fencedSession) Reset(ctx context.Context) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Reset(ctx)
}

// State implements [spec.Session].
func (s *fencedSession) State(ctx context.Context) (v spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.State(ctx)
}

// Snapshot implements [spec.Session].
func (s *fencedSession) Snapshot(ctx context.Context) (v spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.Snapshot(ctx)
}

// Restore implements [spec.Session].
func (s *fencedSession) Restore(ctx context.Context, state spec.Value) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Restore(ctx, state)
}

// Close implements [spec.Session].
func (s *fencedSession) Close(ctx context.Context) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Close(ctx)
}
