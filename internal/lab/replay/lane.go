package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/spec"
)

// Span is a stretch of a run in which a detector says that there is a loop: from an event after which it says so up to
// the last one before an event of the same type after which it does not.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Lane is all that one detector says of a run.
type Lane struct {
	alarm.Observer
	First   *alarm.Alarm
	Spans   []Span
	Marked  int    // events after which it says that there is a loop
	Told    int    // events that it judges
	Refused string // why it was told nothing more; empty where it was told all
	Lost    string // why its port did not answer to the end; empty where it did

	begins  func(*Lane, alarm.Alarm) // is told each stretch as it begins
	session *alarm.Session
	judged  []spec.EventType
	spoke   spec.EventType // after which it spoke last, while the stretch lasts
}

// keptSpans bounds what a lane keeps, so that a run may be of any length: more stretches are one with the one before.
const keptSpans = 1 << 12

func newLane(o alarm.Observer, begins func(*Lane, alarm.Alarm)) *Lane {
	l := &Lane{Observer: o, begins: begins, judged: o.Offer.Definition().Judges()}
	l.session = o.Later(l.hear)
	return l
}

// tell takes in an event by its place in the run.
func (l *Lane) tell(ctx context.Context, place int, event spec.Value) error {
	if l.isOver() {
		return nil
	}
	return l.lost(l.session.Tell(ctx, place, event))
}

// flush tells the port what is pending.
func (l *Lane) flush(ctx context.Context) error {
	if l.isOver() {
		return nil
	}
	return l.lost(l.session.Flush(ctx))
}

func (l *Lane) close(ctx context.Context) error {
	if l.session == nil {
		return nil
	}
	session := l.session
	l.session = nil // what it remembers is not needed any more
	return session.Close(ctx)
}

// hasAlarm reports whether the detector said that there is a loop.
func (l *Lane) hasAlarm() bool { return l.First != nil }

// isOver reports whether the lane is told nothing more.
func (l *Lane) isOver() bool { return l.Refused != "" || l.Lost != "" }

// note notes a refusal, which is no error.
func (l *Lane) note(err error) error {
	if fault, refused := errors.AsType[*spec.Fault](err); refused {
		l.Refused = fault.Message
		return nil
	}
	return err
}

// lost notes that the port refused an event, or is gone: of what it was not told, it has no verdict.
func (l *Lane) lost(err error) error {
	if err = l.note(err); err == nil {
		return nil
	}
	l.Lost = err.Error()
	return fmt.Errorf("show %s the run: %w", l.Name(), err)
}

// hear takes in what comes of an event.
func (l *Lane) hear(place int, event spec.Value, reported *alarm.Alarm) {
	typ := spec.TypeOf(event)
	if slices.Contains(l.judged, typ) {
		l.Told++
	}
	switch {
	case reported != nil:
		l.mark(place, *reported)
		l.spoke = typ
	case typ == l.spoke:
		l.spoke = ""
	}
}

// mark takes in a loop that is reported.
func (l *Lane) mark(place int, reported alarm.Alarm) {
	l.Marked++
	if l.First == nil {
		l.First = &reported
	}
	if l.spoke == "" {
		l.begins(l, reported)
	}
	if n := len(l.Spans); n > 0 && (l.spoke != "" || n == keptSpans) {
		l.Spans[n-1].To = place
		return
	}
	l.Spans = append(l.Spans, Span{place, place})
}
