package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Dial opens a bare connection to a fresh adapter.
type Dial func(ctx context.Context) (*Wire, error)

// Wire is an adapter that was started, and nothing between it and its user: for checks that send half lines, wrong
// requests or none at all. Who wants answers to requests uses a [Client]. A Wire is used by one goroutine at a time.
type Wire struct {
	process *process
	lines   *lineReader
}

// OpenWire starts an adapter and sends it nothing. Its error is a [*ProcessError]. Cancelling ctx kills the adapter.
// Whoever opens a Wire closes it.
func OpenWire(ctx context.Context, command Command, options Options) (*Wire, error) {
	p, err := startProcess(ctx, command, options)
	if err != nil {
		return nil, err
	}
	return &Wire{process: p, lines: newLineReader(p.output, p.options.AnswerLimit)}, nil
}

// Send writes bytes as they are, be they a line, a part of one or several. Where the adapter does not read, it gives up
// after the RequestTimeout with a [*ProcessError] that is [TimedOut]; some of the bytes may have been written.
func (w *Wire) Send(text []byte) error {
	_ = w.process.input.SetWriteDeadline(time.Now().Add(w.process.options.RequestTimeout)) // what is closed, Write tells
	_, err := w.process.input.Write(text)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return w.timedOut(fmt.Sprintf("it did not read its input for %s", w.process.options.RequestTimeout))
	}
	if err != nil {
		return ErrInputClosed
	}
	return nil
}

// ErrInputClosed says that an adapter reads no more, or that its input was closed.
var ErrInputClosed = errors.New("the adapter's input is closed")

// Receive returns the next line without its newline; it is valid until the next call. Its error is [io.EOF] at the end
// of the output, [io.ErrUnexpectedEOF] with the rest where the last line has no newline, and a [*ProcessError] where
// the time was up ([TimedOut]; a line that was begun can be received later) or the line too long ([BrokeProtocol]).
func (w *Wire) Receive(limit time.Duration) ([]byte, error) {
	if w.process.hasExited() {
		limit = min(limit, drainTime)
	}
	setReadDeadline(w.process.output, time.Now().Add(limit))
	line, err := w.lines.next()
	switch {
	case err == nil:
		return line, nil
	case errors.Is(err, errLineTooLong):
		problem := fmt.Sprintf("a line longer than %d bytes", w.process.options.AnswerLimit)
		return nil, &ProcessError{Reason: BrokeProtocol, Command: w.process.name, Problem: problem, Stderr: w.Stderr()}
	case errors.Is(err, os.ErrDeadlineExceeded) && !w.process.hasExited():
		return nil, w.timedOut(fmt.Sprintf("no line within %s", limit))
	case len(w.lines.unfinished()) > 0:
		return w.lines.unfinished(), io.ErrUnexpectedEOF
	default:
		return nil, io.EOF
	}
}

func (w *Wire) timedOut(problem string) *ProcessError {
	return &ProcessError{Reason: TimedOut, Command: w.process.name, Problem: problem, Stderr: w.Stderr()}
}

// CloseInput ends the adapter's input. Closing again does no harm.
func (w *Wire) CloseInput() { w.process.closeInput() }

// Wait returns how the adapter ended and true, or false where it did not within the limit.
func (w *Wire) Wait(limit time.Duration) (Exit, bool) {
	if !w.process.exitsWithin(limit) {
		return Exit{}, false
	}
	return w.process.exit, true
}

// Stderr returns the last lines that the adapter wrote there so far.
func (w *Wire) Stderr() string { return w.process.lastWords() }

// Kill ends the adapter without asking: [Wire.Close] then takes no time.
func (w *Wire) Kill() { w.process.kill() }

// Close ends the adapter: it ends its input, and where that is not enough, sends SIGTERM and then SIGKILL. When it
// returns, no goroutine, process or pipe of the wire is left. It reports whether the adapter had ended by itself, or by
// the end of its input in time. Closing again does no harm.
func (w *Wire) Close() (willing bool) {
	willing, _ = w.process.stop(w.process.options.StopTimeout)
	w.process.release()
	return willing
}
