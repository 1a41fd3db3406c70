package crow

import (
	"fmt"
	"slices"
	"testing"

	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

func TestQueueIsAList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := queue[int]{most: rapid.IntRange(0, 20).Draw(t, "most")}
		var list []int
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				if q.most > 0 && q.size == q.most {
					t.Skip("full")
				}
				n := rapid.Int().Draw(t, "n")
				*q.push() = n
				list = append(list, n)
			},
			"drop": func(t *rapid.T) {
				if len(list) == 0 {
					t.Skip("empty")
				}
				q.drop()
				list = list[1:]
			},
			"": func(t *rapid.T) {
				held := make([]int, q.size)
				for i := range held {
					held[i] = *q.at(i)
				}
				if !slices.Equal(held, list) {
					t.Fatalf("holds %v, want %v", held, list)
				}
				if q.most > 0 && len(q.slots) > max(q.most, 8) {
					t.Fatalf("%d slots for at most %d items", len(q.slots), q.most)
				}
			},
		})
	})
}

// TestQuietEventsDoNotAllocate guards that a full window takes in events without memory of its own.
func TestQuietEventsDoNotAllocate(t *testing.T) {
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		d, err := spec.Define(spec.Crow, New, nil).New(reading, spec.Value{})
		if err != nil {
			t.Fatal(err)
		}
		events := quietEvents()
		i := 0
		next := func() {
			d.Observe(events[i%len(events)])
			i++
		}
		for range 10 * len(events) {
			next()
		}
		if n := testing.AllocsPerRun(20*len(events), next); n > 0 {
			t.Errorf("reading %s: %v allocations per event", reading, n)
		}
	}
}

// quietEvents is what an agent does that is not stuck: calls with results of their own, and a word now and then.
func quietEvents() []spec.Event {
	var events []spec.Event
	for i := range 15 {
		args := spec.MustParse(fmt.Sprintf(`{"path":"file%d","line":%d}`, i, i))
		events = append(events,
			spec.Event{Type: spec.ToolCall, Tool: "read", Args: args, ID: fmt.Sprint(i), HasID: true},
			spec.Event{Type: spec.ToolResult, Content: fmt.Sprint("content ", i), OK: true},
			spec.Event{Type: spec.Message, Role: spec.Assistant, Content: fmt.Sprint("thought ", i)},
			spec.Event{Type: spec.Message, Role: spec.User, Content: fmt.Sprint("answer ", i)},
		)
	}
	return events
}

// TestMemoryStaysWithinTheWindow guards that nothing outlives the window: not even calls that are never answered.
func TestMemoryStaysWithinTheWindow(t *testing.T) {
	t.Parallel()
	const recent, events = 20, 5000
	code, text := newCodeCounts(3), newTextCounts()
	for _, counts := range []counts{code, text} {
		d := detector{Config: rules.Config{Recent: recent, CheckEvery: 1}, counts: counts}
		for i := range events {
			name := fmt.Sprint(i)
			d.Observe(spec.Event{Type: spec.ToolCall, Tool: name, Args: spec.ObjectValue(), ID: name, HasID: true})
			d.Observe(spec.Event{Type: spec.ToolResult, Tool: "another", HasTool: true})
			d.Observe(spec.Event{Type: spec.Message, Role: spec.User, Content: name})
			d.Observe(spec.Event{Type: spec.ErrorEvent, Message: name, Call: "nobody", HasCall: true})
		}
	}
	sizes := map[string]int{
		"code: places of messages": len(code.speech.places), "code: messages": len(code.speech.messages.slots),
		"code: calls": len(code.calls.slots),
		"text: calls": len(text.steps.calls.slots), "text: ids": len(text.steps.byID), "text: tools": len(text.steps.byTool),
	}
	for what, size := range sizes {
		if size > 2*recent {
			t.Errorf("%s: %d after %d events, want at most %d", what, size, events, 2*recent)
		}
	}
}
