package recording

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
)

// A reader is ahead of its sink by four batches at most: one that it fills, those that wait, and one that the sink
// takes in. Handing over small events one by one costs more processor time.
const (
	aheadBatch   = 32 // events and notes
	aheadWaiting = 2  // batches
)

// errStopped ends a reader whose sink refused an event. Nobody sees it but the reader.
var errStopped = errors.New("the sink refused an event")

// WalkAhead reads like [Walk], and reads on in another goroutine while the sink takes in what was read. The sink is
// called in this goroutine, in the same order. Of an event's run it may look at Name, Source and Format; the reader may
// set the other fields until WalkAhead returns.
func WalkAhead(ctx context.Context, paths []string, format string, sink Sink) error {
	return walkWith(ctx, paths, format, sink, readAhead)
}

// readAhead lets the reader of one source be ahead of the sink, and returns when both have ended. The error is the
// sink's, or else the reader's.
func readAhead(read func(Sink) error, sink Sink) error {
	var (
		batches = make(chan []func(), aheadWaiting) // each function hands an event or a note to the sink
		stopped atomic.Bool                         // whether the sink has refused an event
		refused error                               // why it did; the sink's goroutine alone looks at it
		problem error                               // what ended the reader; set before batches is closed
	)
	go func() {
		defer close(batches)
		var batch []func()
		add := func(handOn func()) {
			if batch = append(batch, handOn); len(batch) == aheadBatch {
				batches <- batch
				batch = make([]func(), 0, aheadBatch)
			}
		}
		problem = read(Sink{
			Event: func(e Event) error {
				add(func() {
					if refused == nil {
						refused = sink.Event(e)
						stopped.Store(refused != nil)
					}
				})
				if stopped.Load() {
					return errStopped
				}
				return nil
			},
			Note: func(n Note) { add(func() { sink.Note(n) }) },
		})
		batches <- batch
	}()
	for batch := range batches { // to the end, or the reader would wait for ever
		for _, handOn := range batch {
			handOn()
		}
	}
	return cmp.Or(refused, problem)
}
