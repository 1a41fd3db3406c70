package stdio

import (
	"errors"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// exitGrace is how long a process may take from closing its output to its end: an interpreter runs exit handlers in
// between.
const exitGrace = 2 * time.Second

// fail ends the link: it notes the cause, unless there is one already, and kills the process, so that the reader comes
// to the end of the output. It returns the cause that counts.
func (l *link) fail(cause *ProcessError) *ProcessError {
	cause = l.note(cause)
	l.process.kill()
	l.process.endOutputWithin(l.process.killTime) // should even that not end it
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
	if oldest := l.pending.oldest(); oldest != nil {
		cause.Method, cause.Session = oldest.method, oldest.session
	}
	l.cause = cause
	return cause
}

// endOfOutput finds out why there is nothing more to read.
func (l *link) endOfOutput(err error) *ProcessError {
	if errors.Is(err, errLineTooLong) {
		problem := fmt.Sprintf("a line longer than %d bytes", l.options.AnswerLimit)
		return l.fail(&ProcessError{Reason: BrokeProtocol, Problem: problem})
	}
	cause, closing := l.silence()
	if cause != nil {
		return cause
	}
	if closing {
		return l.note(l.closed())
	}
	if !l.process.exitsWithin(exitGrace) {
		return l.fail(&ProcessError{Reason: BrokeProtocol, Problem: "it closed its output, but did not exit"})
	}
	if l.ctx.Err() != nil {
		return l.note(&ProcessError{Reason: Cancelled, Problem: "while it was running", Err: l.ctx.Err()})
	}
	return l.note(l.exited())
}

// exited describes a process that ended by itself.
func (l *link) exited() *ProcessError {
	exit := l.process.exit
	e := &ProcessError{Reason: Exited, Problem: exit.String(), Exit: &exit}
	rest := l.lines.unfinished()
	if len(rest) == 0 {
		return e
	}
	e.Line = quote(rest)
	if _, err := spec.ParseValue(rest); err == nil {
		e.Reason, e.Problem = BrokeProtocol, "the last line must end with a newline"
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
	if cause.Reason != Closed {
		l.process.awaitDrained()
	}
	if cause.Reason == TimedOut && len(l.lines.unfinished()) > 0 {
		cause.Problem += ", only the beginning of one"
		cause.Line = quote(l.lines.unfinished())
	}
	cause.Stderr = lastLines(l.process.stderr.String(), stderrLines)
	l.process.closeInput() // ends a Write that nobody will read
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = cause
	for c := l.pending.pop(); c != nil; c = l.pending.pop() {
		c.answered <- outcome{err: cause}
	}
	close(l.over)
	l.room.Broadcast()
	l.work.Broadcast()
}
