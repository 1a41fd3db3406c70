package recording

import "sync/atomic"

// What is read ahead is bounded by the number of events, and by the length of what tools returned.
const (
	aheadEvents = 64
	aheadBytes  = 1 << 20
	aheadLots   = 4 // of so many events, that wait
)

// found is an event or a note.
type found struct {
	event Event
	note  Note
	isOne bool // whether it is an event
}

// Ahead returns a sink that hands on to another one, in the same order, while the reader goes on. The reader then calls
// wait, once, which returns when all is handed on, with the error of the other sink; that sink hears nothing more after
// an error.
func Ahead(to Sink) (ahead Sink, wait func() error) {
	lots := make(chan []found, aheadLots)
	done := make(chan struct{})
	var failed atomic.Pointer[error]
	go func() {
		defer close(done)
		for lot := range lots {
			handOn(lot, to, &failed)
		}
	}()
	var lot []found
	size := 0
	push := func(f found) error {
		if err := failed.Load(); err != nil {
			return *err
		}
		content, _ := f.event.Value.Get("content").Str()
		lot, size = append(lot, f), size+len(content)
		if len(lot) >= aheadEvents || size >= aheadBytes {
			lots <- lot
			lot, size = make([]found, 0, aheadEvents), 0
		}
		return nil
	}
	ahead.Event = func(e Event) error { return push(found{event: e, isOne: true}) }
	ahead.Note = func(n Note) { _ = push(found{note: n}) } // the next event, or wait, returns the error
	return ahead, func() error {
		lots <- lot
		close(lots)
		<-done
		if err := failed.Load(); err != nil {
			return *err
		}
		return nil
	}
}

// handOn hands on what was found, unless the sink has failed.
func handOn(lot []found, to Sink, failed *atomic.Pointer[error]) {
	for _, f := range lot {
		if failed.Load() != nil {
			return
		}
		if !f.isOne {
			to.Note(f.note)
		} else if err := to.Event(f.event); err != nil {
			failed.Store(&err)
		}
	}
}
