package recording

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// TestAheadKeepsTheOrder of events and notes, up to the event that the sink refuses.
func TestAheadKeepsTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "events")
		refused := rapid.IntRange(0, 400).Draw(t, "refused")
		full := errors.New("full")
		var got, want []string
		ahead, wait := Ahead(Sink{
			Event: func(e Event) error {
				if e.Place.Line == refused {
					return full
				}
				got = append(got, fmt.Sprintf("event %d", e.Place.Line))
				return nil
			},
			Note: func(n Note) { got = append(got, fmt.Sprintf("note %d", n.Place.Line)) },
		})
		content := spec.StringValue(strings.Repeat("x", 1<<15))
		value := spec.ObjectValue(spec.Member{Name: "content", Value: content})
		for i := range n {
			place := Place{Line: i}
			if i%7 == 6 {
				ahead.Note(Note{Place: place})
			} else if err := ahead.Event(Event{Value: value, Place: place}); err != nil && !errors.Is(err, full) {
				t.Fatal(err)
			}
		}
		fails := refused < n && refused%7 != 6
		if err := wait(); errors.Is(err, full) != fails {
			t.Fatalf("the error is %v", err)
		}
		for i := range n {
			switch {
			case fails && i >= refused:
			case i%7 == 6:
				want = append(want, fmt.Sprintf("note %d", i))
			default:
				want = append(want, fmt.Sprintf("event %d", i))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("handed on %v\nwant %v", got, want)
		}
	})
}
