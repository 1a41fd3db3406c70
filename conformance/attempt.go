package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// carryOut has a port carry out the case, and returns the judge, which knows how far it came, with its error.
func (t *task) carryOut(ctx context.Context, port spec.Port, d spec.Description) (*judge, error) {
	j := t.judge(port, d)
	start := time.Now()
	err := j.runSafely(ctx)
	t.result.SaidLoop, t.result.Elapsed = j.saidLoop, time.Since(start).Nanoseconds()
	return j, err
}

// judge returns the judge of the task.
func (t *task) judge(port spec.Port, d spec.Description) *judge {
	j := &judge{port: declared.Port(recovering(port), d), reading: t.reading, halves: t.halves}
	j.row, _ = spec.DefinitionOf(t.c.Detector) // nothing is misplaced in a detector of the port's own
	if offer, ok := d.Offer(t.c.Detector); ok && len(offer.Readings) > 0 {
		j.usual = offer.Readings[0]
	}
	return j
}

// mostByEvent bounds the events that are sent one by one: each is waited for.
const mostByEvent = 1000

// canBeSplit reports whether the case, or its contrast, has several events, and few enough that they may be sent one by
// one.
func (t *task) canBeSplit() bool {
	events := 0
	for _, half := range t.halves {
		events += eventsIn(half.Case)
	}
	return 1 < events && events <= mostByEvent
}

// runSafely runs the case. A port in Go that panics fails it; a panic of any other code is a fault of the suite.
func (j *judge) runSafely(ctx context.Context) (err error) {
	defer recoverTo(&err)
	err = j.run(ctx)
	if crash, ok := errors.AsType[*panicked](err); ok {
		failure := j.where()
		failure.Problem = crash.Error()
		return &failed{Failure: failure}
	}
	return err
}

// isGone reports whether an error says that the port has to be started anew. A port that cannot be, and has no process
// that could be gone, may answer the next case well.
func isGone(port spec.Port, err error) bool {
	switch {
	case err == nil, is[*SuiteError](err):
		return false
	case is[*stdio.ProcessError](err):
		return true
	case is[*failed](err), is[*stdio.CodeError](err):
		return false
	default:
		_, canRestart := port.(stdio.Restarter)
		return canRestart
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// decide notes in the result of the task what carrying it out came to, and reports whether that is known: where the
// port is gone, it is not.
func (t *task) decide(err error, gone bool) bool {
	r := &t.result
	if err == nil {
		r.Status = Passed
	} else if ours, ok := errors.AsType[*SuiteError](err); ok {
		r.Status, r.Reason = Faulty, ours.Error()
	} else if failure, ok := errors.AsType[*failed](err); ok {
		r.Status, r.Failure = Failed, &failure.Failure
		r.putFirst(cmp.Or(failure.clause, clauseOfEvidence(*r)))
	} else if unknown, ok := errors.AsType[*stdio.CodeError](err); ok {
		r.breaks("PR-23", unknown.Error())
	} else if gone {
		return false
	} else {
		r.Status, r.Reason = Undecided, err.Error()
	}
	return true
}

// clauseOfEvidence returns the clause about the evidence of every verdict of a session where nothing else is wrong and
// no clause of the case is about it; empty otherwise, and for the value of a function, which has no step.
func clauseOfEvidence(r Result) string {
	other := func(d Difference) bool { return !d.isOfEvidence() }
	if r.Failure.Step == 0 || len(r.Failure.Differences) == 0 || slices.ContainsFunc(r.Failure.Differences, other) ||
		slices.ContainsFunc(r.Clauses, isAboutEvidence) {
		return ""
	}
	return evidenceClause
}

// evidenceClause says what the evidence of a verdict is, whatever the detector.
const evidenceClause = "PR-34"

// verdictClause says which members a verdict has.
const verdictClause = "PR-32"

func (d Difference) isOfEvidence() bool {
	return d.Path == "evidence" || strings.HasPrefix(d.Path, "evidence[")
}

// interrupted is a task that was under way when the port could not be asked any more, so that it may be the cause.
type interrupted struct {
	*task
	where Failure // the step that was waiting for the port
	cause error
}

// attribute says whose fault it is that a port could not be asked, while one case ran alone:
//
//   - a process that dies on a case (a status other than 0, a signal) is a port that fails it;
//   - one that breaks the protocol, or leaves of its own accord, is an adapter that is broken;
//   - one that does not answer in time leaves the case undecided: the machine may have been slow.
func attribute(t *interrupted) (Status, string, *Failure) {
	gone, ok := errors.AsType[*stdio.ProcessError](t.cause)
	if !ok {
		return Undecided, t.cause.Error(), nil
	}
	reason, failure := "the adapter "+gone.What(), t.where
	if failure.Step > 0 {
		reason += fmt.Sprintf("; step %d of %d: %s", failure.Step, failure.Steps, cut(failure.Action))
	}
	reason = withLastWords(reason, gone.Stderr)
	status := StatusOf(gone)
	if status == Failed {
		failure.Problem = fmt.Sprintf("the port's process died: %s", gone.Exit)
		return status, reason, &failure
	}
	return status, reason, nil
}

// StatusOf returns what a test comes to that alone makes an adapter be lost with that error.
func StatusOf(lost *stdio.ProcessError) Status {
	switch {
	case hasDied(lost):
		return Failed
	case isNobodysFault(lost):
		return Undecided
	default:
		return Broken
	}
}

// IsBreach reports whether an adapter that was lost with that error broke the protocol even if no test alone makes it
// be lost so again. An adapter that exits with status 0 does not: something outside may have asked its process to end.
func IsBreach(lost *stdio.ProcessError) bool { return StatusOf(lost) == Broken && !hasExited(lost) }

// hasDied reports whether an error says that a process ended by itself, and not well.
func hasDied(err error) bool {
	exit, ok := exitOf(err)
	return ok && exit != (stdio.Exit{})
}

// hasExited reports whether an error says that a process ended by itself.
func hasExited(err error) bool {
	_, ok := exitOf(err)
	return ok
}

// exitOf returns how a process ended by itself, if an error says that it did.
func exitOf(err error) (exit stdio.Exit, ok bool) {
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	if !ok || gone.Reason != stdio.Exited || gone.Exit == nil {
		return exit, false
	}
	return *gone.Exit, true
}

// isNobodysFault reports whether an error says that the time was up, the run was ended, or that this machine cannot
// start another process.
func isNobodysFault(err error) bool {
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		ok && slices.Contains([]stdio.Reason{stdio.TimedOut, stdio.Cancelled, stdio.NoRoom}, gone.Reason)
}

// clauseOf returns the clause that an adapter broke by which it is gone; empty where nobody knows.
func clauseOf(err error) string {
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok {
		return gone.Clause
	}
	return ""
}

// SuiteError is an error that is the fault of the suite: a case that cannot be carried out, a check that panicked, an
// oracle that has no answer. It is never attributed to a port or an adapter.
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

// recoverTo is deferred: it makes a panic of the suite's own code an error.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = &SuiteError{Problem: fmt.Sprintf("a check panicked: %v%s", p, panicSite())}
	}
}

// module is the beginning of the names of this module's functions.
const module = "github.com/loopstone/loopstone/"

// panicSite returns which function of this module panicked, for those who are to fix it; nothing where none is known.
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
