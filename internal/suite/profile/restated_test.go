package profile_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// TestProfilesSayWhatTheirDetectorsSay holds each profile against its restatement, on traces that are drawn and on
// those that make each of its rungs speak.
func TestProfilesSayWhatTheirDetectorsSay(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			restatement := restated[p.Name]
			if restatement == nil && streamed[p.Name] == nil {
				t.Fatal("nothing restates it")
			}
			if restatement == nil {
				return // TestStreamProfilesSayWhatTheirDetectorsSay
			}
			detector, err := spec.Define(spec.Composed, composed.New, nil).New(spec.Code, p.Config())
			if err != nil {
				t.Fatal(err)
			}
			witnesses, err := rulecases.Witnesses(t.Context(), p.ID(), p.Config())
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range witnesses {
				last := compared(t, detector, restatement, decoded(t, w.Trace))
				if last != (say{w.Rule, w.Rung}) {
					t.Errorf("%s %s is not what is said after its witness, but %q", w.Rule, w.Rung, last)
				}
			}
			draw := traceFor[p.Name]
			if draw == nil {
				draw = trace
			}
			rapid.Check(t, func(t *rapid.T) { compared(t, detector, restatement, draw(t)) })
		})
	}
}

// traceFor draws what the detectors look at that compare texts.
var traceFor = map[string]func(*rapid.T) []spec.Event{}

func decoded(t *testing.T, trace []spec.Value) []spec.Event {
	t.Helper()
	events := make([]spec.Event, len(trace))
	for i, v := range trace {
		var err error
		if events[i], err = spec.DecodeEvent(v); err != nil {
			t.Fatal(err)
		}
		events[i].Index = i
	}
	return events
}

// compared plays a trace to a detector and its restatement, and returns what both say last.
func compared(t rapid.TB, detector spec.Detector, restatement func(*past) say, events []spec.Event) (last say) {
	detector.Reset()
	p := &past{}
	for n, e := range events {
		p.add(e)
		v := detector.Observe(e)
		got, want := say{v.Rule, v.Rung}, restatement(p)
		if got != want {
			for _, e := range events[:n+1] {
				t.Logf("%s %s%s %s %s%s ok %v", e.Type, e.Tool, e.Args, e.Role, e.Content, e.Message, e.OK)
			}
			t.Fatalf("the profile says %q after these, its restatement %q", got, want)
		}
		last = got
	}
	return last
}

// trace draws what one agent did: calls that are answered at once, now and then in a reply, and messages. Motifs
// repeat, a few of them for long.
func trace(t *rapid.T) []spec.Event {
	var events []spec.Event
	for range rapid.IntRange(1, 4).Draw(t, "motifs") {
		if rapid.IntRange(0, 11).Draw(t, "failing") == 0 {
			events = append(events, failures(t)...)
			continue
		}
		drawn := rapid.SliceOfN(rapid.Custom(someEvents), 1, 3).Draw(t, "drawn")
		most := 7
		if rapid.IntRange(0, 14).Draw(t, "long") == 0 {
			most = 42
		}
		for range rapid.IntRange(1, most).Draw(t, "rounds") {
			for _, l := range drawn {
				events = append(events, l...)
			}
			if most == 7 && rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
				events = append(events, someEvents(t)...)
			}
		}
	}
	for i := range events {
		events[i].Index = i
	}
	return events
}

// failures draws calls of one tool that fail, with the same arguments or with others, and with errors of several texts.
func failures(t *rapid.T) (events []spec.Event) {
	tool := pick(t, "read_file", "terminal", "write_file")
	args := ""
	if rapid.Bool().Draw(t, "same") {
		args = `{"path":"a"}`
	}
	for range rapid.IntRange(2, 9).Draw(t, "failures") {
		e := spec.Event{Type: spec.ToolCall, Tool: tool, Args: spec.MustParse(cmp.Or(args,
			pick(t, `{}`, `{"n":1}`, `{"n":2}`, `{"n":3}`)))}
		answer := spec.Event{Type: spec.ErrorEvent, Message: pick(t, "failed x", "failed y", "failed z")}
		events = append(events, e, answer)
	}
	return events
}

func pick(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "text") }

func someEvents(t *rapid.T) []spec.Event {
	reply := spec.Event{Type: spec.Reply}
	switch rapid.IntRange(0, 19).Draw(t, "event") {
	case 0:
		return []spec.Event{{Type: spec.Message, Role: spec.User, Content: "go on"}}
	case 1:
		return []spec.Event{{Type: spec.Message, Role: spec.Assistant, Content: pick(t, "hm", "ok")}}
	case 2:
		return []spec.Event{reply}
	case 3, 4:
		return slices.Concat([]spec.Event{reply}, call(t), call(t))
	case 5, 6, 7, 8:
		return append([]spec.Event{reply}, call(t)...)
	case 9:
		return lookup(t)
	default:
		return call(t)
	}
}

// lookup draws a call that looks something up, and its answer.
func lookup(t *rapid.T) []spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "web_fetch", "web_search")}
	e.Args = spec.MustParse(pick(t, `{"url":"a","query":"a"}`, `{"url":"a","query":"b"}`, `{"query":"a","n":1}`,
		`{"url":"a","n":1}`))
	return []spec.Event{e, {Type: spec.ToolResult, Content: pick(t, "x", "y"), OK: true}}
}

// call draws a call and its answer. What fails says so in its text, as it does in most agents.
func call(t *rapid.T) []spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "read_file", "read_file", "terminal", "write_file", "job_poll",
		"bash",
		"process_manage", "browser_action", "process", "command_status", "search_files", "task_list", "wait", "execute_bash",
		"plan")}
	e.Args = spec.MustParse(pick(t, `{}`, `{}`, `{"path":"a","n":1}`, `{"n":1,"path":"a"}`, `{"action":"poll"}`,
		`{"action":"scroll_up"}`, `{"path":"a","brief":"one"}`, `{"path":"a","brief":"two"}`))
	if rapid.IntRange(0, 7).Draw(t, "thought") == 0 {
		e.Thought, e.HasThought = "again", true
	}
	answer := spec.Event{Type: spec.ToolResult, Content: pick(t, "x", "x", "y"), OK: true}
	switch rapid.IntRange(0, 5).Draw(t, "failed") {
	case 0:
		answer = spec.Event{Type: spec.ToolResult, Content: pick(t, "failed x", "failed y")}
	case 1:
		answer = spec.Event{Type: spec.ErrorEvent, Message: "failed x"}
	}
	return []spec.Event{e, answer}
}
