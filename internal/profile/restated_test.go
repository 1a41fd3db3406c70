package profile

import (
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// traces is how many traces each profile is held against.
func traces() int {
	n, err := strconv.Atoi(os.Getenv("LOOPSTONE_TRACES"))
	if err != nil {
		return 1000
	}
	return n
}

// TestProfilesSayWhatTheirDetectorsSay holds each profile against its restatement. LOOPSTONE_TRACES says on how many
// traces.
func TestProfilesSayWhatTheirDetectorsSay(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	spoken := map[string]map[say]int{}
	for _, p := range all {
		if restated[p.Name] == nil {
			t.Fatalf("nothing restates @%s", p.Name)
		}
		spoken[p.Name] = map[say]int{}
	}
	generator := rapid.Custom(trace)
	for seed := range traces() {
		compare(t, all, generator.Example(seed), spoken)
	}
	for _, p := range all {
		allSpeak(t, p, spoken[p.Name])
		t.Logf("@%s, %d traces: %v", p.Name, traces(), spoken[p.Name])
	}
}

func compare(t *testing.T, all []Profile, events []spec.Event, spoken map[string]map[say]int) {
	t.Helper()
	detectors := make([]spec.Detector, len(all))
	for i, p := range all {
		detectors[i], _ = composed.Implementation().New(spec.Code, p.Config()) // Parse has seen that it opens
	}
	h := historyOf(events)
	for n, e := range events {
		past := tellAll(h.until(n+1), 0)
		for i, p := range all {
			v := detectors[i].Observe(e)
			got, want := say{v.Rule, v.Rung}, restated[p.Name](past)
			if got != want {
				for _, e := range events[:n+1] {
					t.Logf("%s %s%s %s %s%s ok %v", e.Type, e.Tool, e.Args, e.Role, e.Content, e.Message, e.OK)
				}
				t.Fatalf("event %d: @%s says %q, its restatement %q", n, p.Name, got, want)
			}
			spoken[p.Name][got]++
		}
	}
}

// allSpeak demands that each rung of each rule was heard, and silence.
func allSpeak(t *testing.T, p Profile, spoken map[say]int) {
	t.Helper()
	if spoken[say{}] == 0 {
		t.Error("it is never silent")
	}
	for _, r := range p.Rules.Items() {
		for _, g := range r.Get("rungs").Items() {
			rule, _ := r.Get("name").Str()
			rung, _ := g.Get("name").Str()
			if spoken[say{rule, rung}] == 0 {
				t.Errorf("no trace makes %s %s speak", rule, rung)
			}
		}
	}
}

// trace draws what one agent did: calls that are answered at once, now and then in a reply, and messages. Motifs repeat,
// a few of them for long.
func trace(t *rapid.T) []spec.Event {
	var events []spec.Event
	for range rapid.IntRange(1, 4).Draw(t, "motifs") {
		letters := rapid.SliceOfN(rapid.Custom(letter), 1, 3).Draw(t, "letters")
		most := 7
		if rapid.IntRange(0, 19).Draw(t, "long") == 0 {
			most = 36
		}
		for range rapid.IntRange(1, most).Draw(t, "rounds") {
			for _, l := range letters {
				events = append(events, l...)
			}
			if rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
				events = append(events, letter(t)...)
			}
		}
	}
	for i := range events {
		events[i].Index = i
	}
	return events
}

func pick(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "text") }

func letter(t *rapid.T) []spec.Event {
	reply := spec.Event{Type: spec.Reply}
	switch rapid.IntRange(0, 19).Draw(t, "letter") {
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
	default:
		return call(t)
	}
}

// call draws a call and its answer. What fails says so in its text, as it does in most agents.
func call(t *rapid.T) []spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "read_file", "read_file", "terminal", "write_file", "job_poll",
		"process_manage", "browser_action", "process", "command_status", "search_files")}
	e.Args = spec.MustParse(pick(t, `{}`, `{}`, `{"path":"a","n":1}`, `{"n":1,"path":"a"}`, `{"action":"poll"}`, `{"action":"scroll_up"}`))
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
