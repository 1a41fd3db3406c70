package stdio

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// Reason says in which way an adapter failed.
type Reason string

// The reasons.
const (
	NotStarted    Reason = "did not start"
	NoRoom        Reason = "could not be started" // for want of files or processes, or its program is being written
	Exited        Reason = "exited"               // without being asked to
	TimedOut      Reason = "timed out"            // and was killed
	BrokeProtocol Reason = "broke the protocol"   // and was killed
	Cancelled     Reason = "was cancelled"        // the context of its start ended
	Closed        Reason = "was closed"           // by Close; not the adapter's fault
)

// ProcessError means that an adapter is gone: the calls that were waiting for it and all later ones return it.
type ProcessError struct {
	Reason  Reason
	Command string // as it was started

	// Method and Session tell the oldest request that was not answered, which is the one that the adapter was working
	// on if it answers in order. They are empty where there was none.
	Method, Session string

	Problem string // what happened, in words that are the same at every occurrence
	Clause  string // the clause that it broke; empty where it broke none, or nobody knows which
	Line    string // the line that was wrong, quoted and cut where it is long; empty without one
	Exit    *Exit  // how it ended by itself; nil where it did not
	Stderr  string // the last lines that it wrote there
	Err     error  // the cause, where there is one; Problem says it in words

	inVain bool // it was waited for as long as a limit says: see [FullWaits]
}

// cancelled returns the error of an adapter whose context has ended.
func cancelled(ctx context.Context, name, when string) *ProcessError {
	problem := fmt.Sprintf("%s: %s", when, WhyEnded(ctx))
	return &ProcessError{Reason: Cancelled, Command: name, Problem: problem, Err: ctx.Err()}
}

// WhyEnded says why a context has ended: its cause, in words for whoever reads a report.
func WhyEnded(ctx context.Context) string {
	switch cause := context.Cause(ctx); cause {
	case context.Canceled:
		return "the run was ended"
	case context.DeadlineExceeded:
		return "the time was up"
	default:
		return fmt.Sprintf("the run was ended: %v", cause)
	}
}

// interruption is the error of a call whose context has ended.
type interruption struct {
	text string
	err  error
}

func stopped(ctx context.Context, doing string) error {
	return &interruption{doing + ": " + WhyEnded(ctx), ctx.Err()}
}

// Error returns what was being done, and why it ended.
func (i *interruption) Error() string { return i.text }

// Unwrap returns the context's error.
func (i *interruption) Unwrap() error { return i.err }

// Error returns all but the stderr, in one line.
func (e *ProcessError) Error() string { return e.Command + " " + e.What() }

// What returns the same without the command: "exited at session/observe: exit status 3".
func (e *ProcessError) What() string {
	var b strings.Builder
	b.WriteString(string(e.Reason))
	if e.Method != "" {
		fmt.Fprintf(&b, " at %s", e.Method)
	}
	if e.Session != "" {
		fmt.Fprintf(&b, " of session %s", e.Session)
	}
	fmt.Fprintf(&b, ": %s", e.Problem)
	if e.Line != "" {
		fmt.Fprintf(&b, ": %s", e.Line)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *ProcessError) Unwrap() error { return e.Err }

// CodeError is an error answer that the protocol does not have for a request that is as it should be: an unknown code,
// or an unknown kind of refusal. The port goes on.
type CodeError struct {
	Method  string
	Code    int
	Kind    spec.FaultKind // data.kind; empty without one
	Message string
}

// Error returns the code, the kind and the message in one line.
func (e *CodeError) Error() string {
	text := fmt.Sprintf("%s: the protocol has no error %d for it", e.Method, e.Code)
	if e.Code == badParams {
		text = fmt.Sprintf("%s: the protocol has no error of kind %q", e.Method, e.Kind)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// watch ends the link when an answer is overdue.
func (l *link) watch() {
	defer l.clock.Stop()
	for {
		select {
		case <-l.over:
			return
		case <-l.clock.C:
			if late := l.overdue(); late != nil {
				l.drawOut(late)
				l.fail(late)
			}
		}
	}
}

// deadline returns until when the oldest call must be answered: its limit runs from when it was sent or, where that
// came later, from the answer before it. It is zero where nothing is due, or where the adapter has ended, so that the
// output will tell in a moment which answers it still gave.
func (l *link) deadline() time.Time {
	oldest := l.oldest()
	if oldest == nil || oldest.limit == 0 || l.silent || l.process.hasExited() {
		return time.Time{}
	}
	start := oldest.sent
	if l.lastAnswer.After(start) {
		start = l.lastAnswer
	}
	return start.Add(oldest.limit)
}

// setClock makes the clock ring at the deadline. It may ring where there is none any more: overdue looks again.
func (l *link) setClock() {
	if deadline := l.deadline(); !deadline.IsZero() {
		l.clock.Reset(time.Until(deadline))
	}
}

// overdue returns what to fail with where the oldest call's time is up, and sets the clock again where it is not.
func (l *link) overdue() *ProcessError {
	limit, writing, never, late := l.isLate()
	if !late {
		return nil
	}
	problem := fmt.Sprintf("no answer within %s", limit)
	if l.options.hurried {
		problem += fmt.Sprintf(" (1/%d of the time limit, since earlier answers did not come)", Hurry)
	}
	switch {
	case l.process.group.IsStopped():
		problem += ", and its process is stopped, as by SIGSTOP or a debugger"
	case !never && l.process.isDeaf():
		problem += ", and it has closed its input"
	case writing:
		problem += ", and it does not read its input"
	}
	return &ProcessError{Reason: TimedOut, Problem: problem, inVain: true}
}

// isLate reports whether the oldest call's time is up, and how much it had; whether lines wait to be read, and whether
// there was never an answer. Where the time is not up, it sets the clock.
func (l *link) isLate() (limit time.Duration, writing, never, late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	deadline := l.deadline()
	if deadline.IsZero() || time.Now().Before(deadline) {
		l.setClock()
		return 0, false, false, false
	}
	return l.pending[0].limit, l.writing, l.lastAnswer.IsZero(), true
}

// drawOut ends the input of an adapter that has never answered. In most languages what is written to a pipe waits in a
// buffer, until that is full or the program ends: then its answers come now, and tell why none came in time.
func (l *link) drawOut(late *ProcessError) {
	l.mu.Lock()
	never := l.lastAnswer.IsZero()
	l.mu.Unlock()
	if never {
		l.note(late)
		l.process.closeInput()
		l.process.exitsWithin(l.options.StopTimeout)
	}
}

// isGivenUp reports whether the adapter failed already, so that what it still writes is no answer.
func (l *link) isGivenUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause != nil
}

// exitGrace is how long a process may take from closing its output to its end, unless it is hurried: an interpreter
// runs exit handlers in between.
const exitGrace = 2 * time.Second

// fail ends the link: it notes the cause, unless there is one already, and kills the process, so that the reader comes
// to the end of the output. It returns the cause that counts.
func (l *link) fail(cause *ProcessError) *ProcessError {
	cause = l.note(cause)
	l.process.kill()
	l.process.endOutputWithin(killTime) // should even that not end it
	return cause
}

// note keeps the first cause, with the call that was waiting longest.
func (l *link) note(cause *ProcessError) *ProcessError {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause != nil {
		return l.cause
	}
	cause.Command = l.process.name
	if oldest := l.oldest(); oldest != nil {
		cause.Method, cause.Session = oldest.method, oldest.session
	}
	l.cause = cause
	return cause
}

// endOfOutput finds out why there is nothing more to read.
func (l *link) endOfOutput(err error) *ProcessError {
	if errors.Is(err, errLineTooLong) {
		problem := fmt.Sprintf("a line longer than %d bytes", l.options.AnswerLimit)
		return l.fail(&ProcessError{Reason: BrokeProtocol, Clause: "PR-7", Problem: problem})
	}
	cause, closing := l.silence()
	if cause != nil {
		return cause
	}
	if closing {
		return l.note(l.closed())
	}
	if !l.process.exitsWithin(l.options.exitGrace) {
		return l.fail(&ProcessError{
			Reason: BrokeProtocol, Clause: "PR-1", Problem: "it closed its output, but did not exit", inVain: true,
		})
	}
	if l.ctx.Err() != nil {
		return l.note(cancelled(l.ctx, "", "while it was running"))
	}
	return l.note(l.exited())
}

// exited describes a process that ended by itself.
func (l *link) exited() *ProcessError {
	exit := l.process.exit
	e := &ProcessError{Reason: Exited, Clause: "PR-1", Problem: exit.String(), Exit: &exit}
	rest := l.lines.unfinished()
	if len(rest) == 0 {
		return e
	}
	e.Line = quote(rest)
	if _, err := spec.ParseResponse(rest); err == nil {
		e.Reason, e.Clause, e.Problem = BrokeProtocol, "PR-1", "the last line must end with a newline"
	} else {
		e.Problem += ", in the middle of a line"
	}
	return e
}

// silence stops the clock and returns why the link was ended before, if it was, and whether it is being closed.
func (l *link) silence() (cause *ProcessError, closing bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
	return l.cause, l.closing
}

// err returns the failure, nil where there is none.
func (l *link) err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure == nil {
		return nil
	}
	return l.failure
}

func (l *link) closed() *ProcessError {
	return &ProcessError{Reason: Closed, Command: l.process.name, Problem: "no further calls are possible"}
}

// finish waits until the process is gone, where it was given up, and tells everybody.
func (l *link) finish(cause *ProcessError) {
	if cause.Reason != Closed && l.process.exitsWithin(killTime) {
		<-l.process.drained
	}
	switch {
	case cause.Reason == TimedOut && l.drawn:
		cause.Problem += ", but one after its input had ended: it does not flush standard output after each," +
			" or it starts too slowly"
	case cause.Reason == TimedOut && len(l.lines.unfinished()) > 0:
		cause.Problem += ", only the beginning of one"
		cause.Line = quote(l.lines.unfinished())
	}
	cause.Stderr = l.process.lastWords()
	l.process.closeInput() // ends a Write that nobody will read
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = cause
	for _, c := range l.pending {
		c.answered <- outcome{err: cause}
	}
	l.pending = nil
	close(l.over)
	l.room.Broadcast()
	l.work.Broadcast()
}
