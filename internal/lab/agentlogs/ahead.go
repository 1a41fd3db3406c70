package agentlogs

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/loopstone/loopstone/spec"
)

// A reader is ahead of its sink by four batches at most: one that it fills, those that wait, and one that the sink
// takes in. A batch is full by its number of events and notes or by their size: waking the other goroutine takes as
// long as reading dozens of small events, and a few large ones must not fill the memory.
const (
	aheadBatch   = 1024 // events and notes
	aheadBytes   = 64 << 10
	aheadWaiting = 2 // batches
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
		ahead := batch{full: batches}
		problem = read(Sink{
			Event: func(e Event) error {
				ahead.add(sizeOf(e.Value), func() {
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
			Note: func(n Note) { ahead.add(len(n.Text), func() { sink.Note(n) }) },
		})
		ahead.handOver()
	}()
	for handOns := range batches { // to the end, or the reader would wait for ever
		for _, handOn := range handOns {
			handOn()
		}
	}
	return cmp.Or(refused, problem)
}

// batch is what is handed over next.
type batch struct {
	handOns []func()
	size    int // in bytes
	full    chan<- []func()
}

// add takes something of a size in bytes, and hands the batch over if that fills it.
func (b *batch) add(bytes int, handOn func()) {
	b.handOns, b.size = append(b.handOns, handOn), b.size+bytes
	if len(b.handOns) == aheadBatch || b.size >= aheadBytes {
		b.handOver()
	}
}

func (b *batch) handOver() {
	b.full <- b.handOns
	b.handOns, b.size = make([]func(), 0, len(b.handOns)), 0
}

// sizeOf returns about how many bytes a value takes.
func sizeOf(v spec.Value) int {
	bytes := 16 + len(v.Text())
	for _, item := range v.Items() {
		bytes += sizeOf(item)
	}
	for _, m := range v.Members() {
		bytes += len(m.Name) + sizeOf(m.Value)
	}
	return bytes
}
