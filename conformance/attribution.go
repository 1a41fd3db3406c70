package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// attempt carries out one task. It returns nil where the task is decided; the result is open where the port could not
// be asked any more before that.
func (r *runner) attempt(ctx context.Context, t *task) *interrupted {
	j := &judge{port: declared.Port(recovering(r.port), r.description), reading: t.reading, c: t.c}
	if offer, ok := r.description.Offer(t.c.Detector); ok && len(offer.Readings) > 0 {
		j.usual = offer.Readings[0]
	}
	start := time.Now()
	err := j.runSafely(ctx)
	t.result.SaidLoop, t.result.Elapsed = j.saidLoop, time.Since(start).Nanoseconds()
	gone := r.isGone(err)
	if gone {
		r.markDown()
	}
	if err == nil {
		t.result.Status = Passed
	} else if ours, ok := errors.AsType[*SuiteError](err); ok {
		t.result.Status, t.result.Reason = Faulty, ours.Error()
	} else if failure, ok := errors.AsType[*failed](err); ok {
		t.result.Status, t.result.Failure = Failed, &failure.Failure
		t.result.putFirst(clauseOfEvidence(t.result))
	} else if unknown, ok := errors.AsType[*stdio.CodeError](err); ok {
		t.result.breaks("PR-23", unknown.Error())
	} else if gone {
		return &interrupted{task: t, where: j.place(), cause: err}
	} else {
		t.result.Status, t.result.Reason = Undecided, err.Error()
	}
	r.finished(j.events, t.result.Status)
	return nil
}

// clauseOfEvidence returns the clause about the evidence of a detector's verdicts where nothing else is wrong and no
// clause of the case is about it; empty otherwise.
func clauseOfEvidence(r Result) string {
	for _, d := range r.Failure.Differences {
		if d.Path != "evidence" && !strings.HasPrefix(d.Path, "evidence[") {
			return ""
		}
	}
	law, _ := laws.LawByID("evidence")
	about := law.ClausesFor(r.Detector)
	isAbout := func(id string) bool { return slices.Contains(about, id) }
	if len(r.Failure.Differences) == 0 || slices.ContainsFunc(r.Clauses, isAbout) {
		return ""
	}
	return law.Clause
}

// isGone reports whether an error says that the port has to be started anew. A port that cannot be, and has no process
// that could be gone, may answer the next case well.
func (r *runner) isGone(err error) bool {
	switch {
	case err == nil, is[*SuiteError](err):
		return false
	case is[*stdio.ProcessError](err):
		return true
	case is[*failed](err), is[*stdio.CodeError](err):
		return false
	default:
		_, canRestart := r.port.(stdio.Restarter)
		return canRestart
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// runSafely runs the case. A port in Go that panics fails it; a panic of any other code is a fault of the suite.
func (j *judge) runSafely(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = asSuiteError(p)
		}
	}()
	err = j.run(ctx)
	if crash, ok := errors.AsType[*panicked](err); ok {
		failure := j.place()
		failure.Problem = crash.Error()
		return &failed{failure}
	}
	return err
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

// hasDied reports whether an error says that a process ended by itself, and not well.
func hasDied(err error) bool {
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	return ok && gone.Reason == stdio.Exited && gone.Exit != nil && *gone.Exit != (stdio.Exit{})
}

// isNobodysFault reports whether an error says that the time was up, the run was ended, or that this machine cannot
// start another process.
func isNobodysFault(err error) bool {
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		ok && slices.Contains([]stdio.Reason{stdio.TimedOut, stdio.Cancelled, stdio.NoRoom}, gone.Reason)
}

// OutcomeOf returns whose fault an error is by which a run ended without a report.
func OutcomeOf(err error) Outcome {
	switch {
	case is[*SuiteError](err):
		return SuiteFault
	case isNobodysFault(err):
		return NotDecided
	default:
		return AdapterFault
	}
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

// asSuiteError turns a panic of the suite's own code into an error; called by a deferred function, with the value that
// recover returned.
func asSuiteError(panicked any) *SuiteError {
	return &SuiteError{Problem: fmt.Sprintf("a check panicked: %v%s", panicked, panicSite())}
}

// module is the beginning of the names of this module's functions.
const module = "github.com/loopstone/loopstone/"

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

// mostRuled bounds the events of a case that any oracle but the last carries out: the plain rules take time that grows
// with the square of a trace's length. It bounds, too, all that is asked of an oracle once the run has ended.
const mostRuled = 1000

// eventsIn returns how many events a case tells.
func eventsIn(c cases.Case) int {
	events := 0
	for _, step := range c.Steps {
		events += step.Times * len(step.Events)
	}
	return events
}

// askOracles has an oracle carry out each case that the port failed: the plain rules, or where they lack what the
// case needs, or it is too long for them, the next. A case that the oracle fails too tells nothing about the port: the
// case is wrong, or the oracle is, and both are ours.
func (r *runner) askOracles(ctx context.Context) error {
	late := mostRuled
	for i, oracle := range r.options.Oracles {
		isLast := i == len(r.options.Oracles)-1
		failed := words.Among(r.tasks, func(t *task) bool {
			return t.result.Status == Failed && !t.asked && (isLast || eventsIn(t.c) <= mostRuled)
		})
		if err := askOracle(ctx, oracle, failed, &late); err != nil {
			return err
		}
	}
	return nil
}

// askOracle asks about what the port failed. Once the run has ended, it asks about as many more events as late says,
// so that failures that are known by then are told, and leaves the rest undecided.
func askOracle(ctx context.Context, port spec.Port, failed []*task, late *int) error {
	if len(failed) == 0 {
		return nil
	}
	oracle := &runner{port: Oracle(port)}
	description, err := oracle.port.Describe(ctx)
	if err != nil {
		return fmt.Errorf("ask the oracle what it is: %w", err)
	}
	for _, t := range failed {
		asked := newTask(t.c, t.reading, description)
		if asked.result.Status == Skipped {
			continue
		}
		t.asked = true
		asking := ctx
		if ctx.Err() != nil {
			if *late -= max(1, eventsIn(t.c)); *late < 0 {
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
		r.Reason = "the case is wrong, or the reference is: the reference fails it too, by " + oracle.Failure.inFewWords()
		r.Status = Faulty
	case Faulty:
		r.Status, r.Reason = Faulty, oracle.Reason
	case Undecided:
		r.unconfirmed(ctx)
	}
}

// unconfirmed leaves a failure undecided about which the run ended before an oracle had its word.
func (r *Result) unconfirmed(ctx context.Context) {
	r.Reason = fmt.Sprintf("%s before the reference was asked; the port differs from the case by %s",
		stdio.WhyEnded(ctx), r.Failure.inFewWords())
	r.Status, r.Failure = Undecided, nil
}
