package stdio

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// maxRequest is the length of the longest line that [Serve] takes in, in bytes. A longer one is skipped and answered
// as what it cannot be: JSON.
const maxRequest = 64 << 20

// protocol is the version of the protocol.
const protocol = 1

// Serve answers the requests of a runner on behalf of a port: it reads lines from in and writes lines to out, in
// order, until the runner asks to shut down or in ends; then it closes the sessions that are still open and returns
// nil. It reads as far ahead as its buffer goes and writes answers together where requests came together.
//
// A request that the port refuses is answered with the refusal. Any other error of the port ends Serve and is
// returned, the request unanswered: a runner then sees an adapter that is gone, which is the truth. The same holds for
// errors of in and out. Cancelling ctx ends Serve before its next request; it does not interrupt a Read of in.
func Serve(ctx context.Context, port spec.Port, in io.Reader, out io.Writer) error {
	return serve(ctx, port, newLineReader(in, maxRequest), out)
}

func serve(ctx context.Context, port spec.Port, lines *lineReader, out io.Writer) (err error) {
	s := &server{port: port, lines: lines, out: openOutbox(out), sessions: map[string]spec.Session{}}
	defer func() { // even if the port panics, what was answered before is written
		if closeErr := s.out.close(); err == nil {
			err = closeErr
		}
	}()
	return errors.Join(s.serve(ctx), s.closeSessions(ctx))
}

// server is one conversation with a runner.
type server struct {
	port     spec.Port
	lines    *lineReader
	out      *outbox
	sessions map[string]spec.Session
	answer   []byte // the answer that is being written; kept to be used again
	down     bool   // the runner asked to shut down
}

func (s *server) serve(ctx context.Context) error {
	for !s.down {
		line, err := s.nextLine(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLineTooLong):
			tooLong := &rpcError{code: notJSON, message: fmt.Sprintf("longer than %d bytes", s.lines.limit)}
			s.reply(spec.Value{}, "error", tooLong.value())
		case err != nil:
			return err
		case !isBlank(line):
			if err := s.handle(ctx, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextLine flushes the answers before it waits for the runner: a runner that sends one request at a time waits for
// them. The last line counts without its newline too.
func (s *server) nextLine(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.lines.ready() {
		if err := s.out.flush(); err != nil {
			return nil, err
		}
	}
	line, err := s.lines.next()
	if rest := s.lines.unfinished(); errors.Is(err, io.EOF) && len(rest) > 0 {
		s.down = true
		return rest, nil
	}
	return line, err
}

// handle answers one line, unless it is a notification. Its error is one that ends the conversation.
func (s *server) handle(ctx context.Context, line []byte) error {
	r, bad := parseRequest(line)
	if bad != nil {
		s.reply(r.id, "error", bad.value())
		return nil
	}
	result, err := s.perform(ctx, r)
	var refused *rpcError
	switch {
	case err != nil && !errors.As(err, &refused):
		return fmt.Errorf("serve %s: %w", r.method, err)
	case r.isNotification():
	case refused != nil:
		s.reply(r.id, "error", refused.value())
	default:
		s.reply(r.id, "result", result)
	}
	return nil
}

// perform does what a request asks for. A refusal is an [*rpcError].
func (s *server) perform(ctx context.Context, r request) (spec.Value, error) {
	method, known := methods()[r.method]
	if !known {
		return spec.Value{}, &rpcError{code: unknownMethod, message: fmt.Sprintf("unknown method %q", r.method)}
	}
	if k := r.params.Kind(); k != spec.Object && k != spec.Absent {
		return spec.Value{}, refusal(spec.BadParams("params: want an object, got %s", k))
	}
	result, err := method(s, ctx, r.params)
	var fault *spec.Fault
	if errors.As(err, &fault) {
		return spec.Value{}, refusal(fault)
	}
	return result, err
}

// reply answers with one member, result or error. The id stands as it was spelled; an absent one, where the request had
// none to echo, as null.
func (s *server) reply(id spec.Value, member string, value spec.Value) {
	b := id.AppendJSON(append(s.answer[:0], `{"jsonrpc":"2.0","id":`...))
	b = append(append(append(b, `,"`...), member...), `":`...)
	b = append(value.AppendJSON(b), "}\n"...)
	s.out.add(b)
	s.answer = trimmed(b)
}

func (s *server) closeSessions(ctx context.Context) error {
	var errs []error
	for _, session := range s.sessions {
		errs = append(errs, session.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(errs...)
}

// holdTime is how long an answer may be held back for the sake of a common write. It is short against any time limit:
// a request that takes long, or for ever, must not delay the answers to those before it, or the runner would hold one
// of those for late.
const holdTime = 5 * time.Millisecond

// heldBytes is how much is held back at most. Half of a window's answers: while the runner reads them, the port works
// on the other half.
const heldBytes = 8 << 10

// outbox collects answers and writes them together: when it is asked to flush, when its buffer is full, and at the
// latest after the holdTime. Whoever opens an outbox closes it.
type outbox struct {
	mu     sync.Mutex
	buffer *bufio.Writer // keeps its first error
	alarm  *time.Timer
	armed  bool // the alarm will ring
}

func openOutbox(w io.Writer) *outbox {
	o := &outbox{buffer: bufio.NewWriterSize(w, heldBytes), armed: true}
	o.alarm = time.AfterFunc(holdTime, o.ring)
	return o
}

// add takes an answer. An error shows with the next flush.
func (o *outbox) add(answer []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.buffer.Write(answer)
	if !o.armed {
		o.armed = true
		o.alarm.Reset(holdTime)
	}
}

// flush writes what there is. It returns the first error of all writes.
func (o *outbox) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.buffer.Flush(); err != nil {
		return fmt.Errorf("write answers: %w", err)
	}
	return nil
}

// ring flushes; an error is left for who flushes next. Where it comes after close, there is nothing to flush.
func (o *outbox) ring() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.armed = false
	_ = o.buffer.Flush()
}

// close flushes and ends the outbox.
func (o *outbox) close() error {
	o.alarm.Stop()
	return o.flush()
}
