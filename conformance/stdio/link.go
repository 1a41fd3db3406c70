package stdio

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// windowBytes is how many bytes of requests may be in flight before the next one has to wait. It bounds the memory of
// a runner whose adapter is slow; a single longer request still passes.
const windowBytes = 1 << 20

// link carries calls to a process and answers back. Three goroutines serve it: one writes, one reads, one watches the
// clock; the reader is the last to do anything and settles what is left when the process is gone. Callers and the
// three share what mu guards; nobody holds mu while he reads, writes or waits for the process.
type link struct {
	process *process
	options Options
	ctx     context.Context // of the process's life
	lines   *lineReader     // the reader's
	drawn   bool            // the reader's: a line came after the adapter was given up
	workers sync.WaitGroup
	over    chan struct{} // closed when failure is set

	mu      sync.Mutex
	room    sync.Cond // there may be room for a call, or failure is set
	work    sync.Cond // there is something to write, or failure is set
	pending []*call   // that were handed to the writer and not answered, the oldest first
	bytes   int       // of the pending calls
	waiting int       // callers that wait for room
	lastID  int
	out     []byte // lines that the writer has not taken yet
	writing bool   // the writer waits for the process to read

	lastAnswer time.Time
	clock      *time.Timer

	silent  bool          // the output has ended: no answer can come, and the clock is of no matter
	closing bool          // no further calls: Close was called
	cause   *ProcessError // what went wrong first, before it is known how the process ended
	failure *ProcessError // set once, when the process is gone
}

// newLink takes over the process's pipes.
func newLink(p *process) *link {
	l := &link{
		process: p,
		options: p.options,
		ctx:     p.ctx,
		lines:   newLineReader(p.output, p.options.AnswerLimit),
		over:    make(chan struct{}),
		clock:   time.NewTimer(time.Hour),
		lastID:  firstID - 1,
	}
	l.clock.Stop()
	l.room.L, l.work.L = &l.mu, &l.mu
	l.workers.Go(l.write)
	l.workers.Go(l.read)
	l.workers.Go(l.watch)
	return l
}

// do sends a call and waits for its answer. Where ctx ends first, the call is left to be answered to nobody.
func (l *link) do(ctx context.Context, c *call) (spec.Value, error) {
	if err := l.post(ctx, c); err != nil {
		return spec.Value{}, err
	}
	return l.await(ctx, c)
}

// post sends a call whose answer will be awaited.
func (l *link) post(ctx context.Context, c *call) error {
	if ctx.Err() != nil {
		return stopped(ctx, "send "+c.method)
	}
	c.size, c.answered = len(c.params), make(chan outcome, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.admit(ctx, c); err != nil {
		return err
	}
	l.lastID++
	c.id = l.lastID
	c.sent = time.Now()
	l.pending = append(l.pending, c)
	l.bytes += c.size
	l.out = appendRequest(l.out, c)
	c.release()
	l.setClock()
	l.work.Signal()
	return nil
}

// await waits for the answer to a call that was posted.
func (l *link) await(ctx context.Context, c *call) (spec.Value, error) {
	select {
	case o := <-c.answered:
		return o.result, o.err
	case <-ctx.Done():
		return spec.Value{}, stopped(ctx, "wait for the answer to "+c.method)
	}
}

// admit waits until the window has room. Callers get their turn in the order in which they came: one that comes while
// others wait, waits too, and whoever is woken wakes the next one.
func (l *link) admit(ctx context.Context, c *call) error {
	if l.waiting == 0 && l.accepts(c) {
		return nil
	}
	l.waiting++
	stop := context.AfterFunc(ctx, l.wakeAll)
	defer func() {
		stop()
		l.waiting--
		l.room.Signal()
	}()
	for {
		switch {
		case l.failure != nil:
			return l.failure
		case l.closing && c.method != shutdownMethod:
			return l.closed()
		case ctx.Err() != nil:
			return stopped(ctx, "wait to send "+c.method)
		case l.accepts(c):
			return nil
		}
		l.room.Wait()
	}
}

// accepts reports whether a call may be sent now.
func (l *link) accepts(c *call) bool {
	open := l.cause == nil && l.failure == nil && (!l.closing || c.method == shutdownMethod)
	return open && len(l.pending) < l.options.Window && l.bytes < windowBytes
}

func (l *link) wakeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room.Broadcast()
}

// write hands the lines to the process: all that have come together since it last could. It ends with the link, or
// when the process reads no more, which its missing answers will tell.
func (l *link) write() {
	var batch []byte
	for {
		batch = l.take(batch)
		if batch == nil {
			return
		}
		if _, err := l.process.input.Write(batch); err != nil {
			return
		}
		batch = trimmed(batch)
	}
}

// take waits for lines and exchanges them for an empty buffer; nil where the link is over.
func (l *link) take(empty []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writing = false
	for len(l.out) == 0 {
		if l.failure != nil {
			return nil
		}
		l.work.Wait()
		l.mu.Unlock()
		// Whoever is about to send, sends with this batch: a system call costs as much as ten requests.
		runtime.Gosched()
		l.mu.Lock()
	}
	batch := l.out
	l.out, l.writing = empty, true
	return batch
}

// read delivers answers until the process or the link has failed.
func (l *link) read() {
	for {
		line, err := l.lines.next()
		if err != nil {
			l.finish(l.endOfOutput(err))
			return
		}
		if l.isGivenUp() {
			l.drawn = true
			continue
		}
		if err := l.deliver(line); err != nil {
			l.finish(l.fail(wrongLine(line, err)))
			return
		}
	}
}

// deliver gives an answer to its caller. An error says what is wrong with the line.
func (l *link) deliver(line []byte) error {
	a, err := parseAnswer(line)
	if err != nil {
		return err
	}
	oldest, last := l.turn()
	if err := a.saysNoJSON(oldest); err != nil {
		return err
	}
	if err := checkID(a.id, oldest, last); err != nil {
		return err
	}
	o, err := a.outcome(oldest)
	if err != nil {
		return err
	}
	l.settle()
	oldest.answered <- o
	return nil
}

// wrongLine describes a line that the protocol does not have.
func wrongLine(line []byte, err error) *ProcessError {
	e := &ProcessError{Reason: BrokeProtocol, Problem: err.Error(), Line: quote(line)}
	if broken, ok := errors.AsType[*breach](err); ok {
		e.Clause = broken.clause
	}
	return e
}

// oldest returns the call whose turn it is to be answered, nil without one. Whoever calls it holds mu.
func (l *link) oldest() *call {
	if len(l.pending) == 0 {
		return nil
	}
	return l.pending[0]
}

// turn returns the oldest call and the last id that was given.
func (l *link) turn() (oldest *call, last int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.oldest(), l.lastID
}

// settle takes the oldest call out of the window.
func (l *link) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes -= l.pending[0].size
	l.pending = slices.Delete(l.pending, 0, 1)
	l.lastAnswer = time.Now()
	l.setClock()
	l.room.Signal()
}

// shut refuses further calls, but for the one that asks to shut down.
func (l *link) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = true
	l.room.Broadcast()
}
