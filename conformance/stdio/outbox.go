package stdio

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"time"
)

// holdTime is how long an answer may be held back for the sake of a common write. It is short against any time limit:
// a request that takes long, or for ever, must not delay the answers to those before it, or the runner would blame one
// of them.
const holdTime = 5 * time.Millisecond

// heldBytes is how much is held back at most. Half of a window's answers: while the runner reads them, the port works on
// the other half.
const heldBytes = 8 << 10

// outbox collects answers and writes them together: when it is asked to flush, when its buffer is full, and at the
// latest after the holdTime. Whoever opens an outbox closes it.
type outbox struct {
	alarm *time.Timer
	stop  chan struct{}
	over  sync.WaitGroup

	mu     sync.Mutex
	buffer *bufio.Writer // keeps its first error
	armed  bool          // the alarm will ring
}

func openOutbox(w io.Writer) *outbox {
	o := &outbox{alarm: time.NewTimer(time.Hour), stop: make(chan struct{}), buffer: bufio.NewWriterSize(w, heldBytes)}
	o.alarm.Stop()
	o.over.Go(o.watch)
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

// watch flushes when the alarm rings; an error is left for who flushes next.
func (o *outbox) watch() {
	defer o.alarm.Stop()
	for {
		select {
		case <-o.stop:
			return
		case <-o.alarm.C:
			o.mu.Lock()
			o.armed = false
			_ = o.buffer.Flush()
			o.mu.Unlock()
		}
	}
}

// close flushes and ends the outbox.
func (o *outbox) close() error {
	close(o.stop)
	o.over.Wait()
	return o.flush()
}
