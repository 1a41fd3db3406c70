package agentlogs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/loopstone/loopstone/spec"
)

// mostAhead is how many events a reader reads while the sink takes in the first one.
const mostAhead = aheadBatch * (aheadWaiting + 2)

// TestReadAheadKeepsTheOrder of events, notes and the error that ends them.
func TestReadAheadKeepsTheOrder(t *testing.T) {
	t.Parallel()
	broken, full := errors.New("broken"), errors.New("full")
	for _, c := range []struct {
		reason  string
		events  int
		broken  error // what ends the reader after these events
		refused int   // the event that the sink refuses; -1 for none
		want    error
	}{
		{"an empty source", 0, nil, -1, nil},
		{"an error before any event", 0, broken, -1, broken},
		{"less than a batch", aheadBatch/2 - 1, nil, -1, nil},
		{"more events than the reader may be ahead", 10 * mostAhead, nil, -1, nil},
		{"an error arrives after the events before it", 3*mostAhead + 1, broken, -1, broken},
		{"the sink refuses the first event", 10 * mostAhead, nil, 0, full},
		{"the sink refuses an event before the reader's error", mostAhead, broken, mostAhead - 1, full},
	} {
		var got, want []string
		ended := false
		err := readAhead(func(sink Sink) error {
			defer func() { ended = true }()
			for i := range c.events {
				sink.Note(Note{Place: Place{Line: i}})
				if err := sink.Event(Event{Place: Place{Line: i}}); err != nil {
					return err
				}
			}
			return c.broken
		}, Sink{
			Event: func(e Event) error {
				got = append(got, fmt.Sprint("event ", e.Place.Line))
				if e.Place.Line == c.refused {
					return full
				}
				return nil
			},
			Note: func(n Note) {
				if c.refused < 0 || n.Place.Line <= c.refused { // the reader was ahead
					got = append(got, fmt.Sprint("note ", n.Place.Line))
				}
			},
		})
		for i := range c.events {
			if c.refused < 0 || i <= c.refused {
				want = append(want, fmt.Sprint("note ", i), fmt.Sprint("event ", i))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the sink was told %v\nwant %v", c.reason, got, want)
		}
		if err != c.want || !ended {
			t.Errorf("%s: the error is %v, want %v; the reader has ended: %t", c.reason, err, c.want, ended)
		}
	}
}

// TestReadAheadIsBounded: while the sink takes in the first event, the reader reads on until enough events wait. Once
// the sink has refused the event, the reader ends with the one that it reads.
func TestReadAheadIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		event Event
		most  int // events
	}{
		{Event{}, mostAhead},
		{Event{Value: eventOf(strings.Repeat("x", aheadBytes))}, aheadWaiting + 2},
	} {
		synctest.Test(t, func(t *testing.T) { testReadAheadIsBounded(t, c.event, c.most) })
	}
}

func eventOf(text string) spec.Value {
	return spec.ObjectValue(spec.Member{Name: "args", Value: spec.ArrayValue(spec.StringValue(text))})
}

func testReadAheadIsBounded(t *testing.T, event Event, most int) {
	full := errors.New("full")
	read, ended := 0, false
	err := readAhead(func(sink Sink) error {
		defer func() { ended = true }()
		for range 10 * most {
			read++
			if err := sink.Event(event); err != nil {
				return err
			}
		}
		return nil
	}, Sink{Event: func(Event) error {
		synctest.Wait() // until the reader waits
		if read != most {
			t.Errorf("the reader has read %d events, want %d", read, most)
		}
		return full
	}})
	if !errors.Is(err, full) || !ended || read != most {
		t.Errorf("the error is %v; the reader read %d events and has ended: %t", err, read, ended)
	}
}
