package profile

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

// environment is that of a variable of the environment, or another one.
func environment(variable string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return usual
	}
	return n
}

// TestProfilesSayWhatTheirDetectorsSay holds each profile against its restatement. LOOPSTONE_TRACES says on how many
// traces, LOOPSTONE_SEED on which.
func TestProfilesSayWhatTheirDetectorsSay(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if restated[p.Name] == nil {
			t.Fatalf("nothing restates @%s", p.Name)
		}
	}
	traces, seed := environment("LOOPSTONE_TRACES", 2000), environment("LOOPSTONE_SEED", 0)
	workers := make([]*comparison, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for w := range workers {
		workers[w] = newComparison(all)
		group.Go(func() {
			for n := w; n < traces && workers[w].problem == ""; n += len(workers) {
				workers[w].compare(seed + n)
			}
		})
	}
	group.Wait()
	events := 0
	for _, c := range workers {
		if c.problem != "" {
			t.Fatal(c.problem)
		}
		events += c.events
	}
	t.Logf("seeds %d to %d: %d traces, %d events, %d profiles, 0 disagreements", seed, seed+traces-1, traces, events,
		len(all))
	for i, p := range all {
		allSpeak(t, p, traces, func(s say) (n int) {
			for _, c := range workers {
				n += c.spoken[i][s]
			}
			return n
		})
	}
}

// comparison holds profiles against their restatements, trace by trace.
type comparison struct {
	profiles  []Profile
	detectors []spec.Detector
	generator *rapid.Generator[[]spec.Event]
	events    int
	spoken    []map[say]int // of each profile, in how many traces it said so
	problem   string
}

func newComparison(all []Profile) *comparison {
	c := &comparison{profiles: all, generator: rapid.Custom(trace)}
	for _, p := range all {
		d, _ := composed.Implementation().New(spec.Code, p.Config()) // Parse has seen that it opens
		c.detectors, c.spoken = append(c.detectors, d), append(c.spoken, map[say]int{})
	}
	return c
}

// compare plays the trace of a seed.
func (c *comparison) compare(seed int) {
	events := c.generator.Example(seed)
	c.events += len(events)
	p := &past{}
	heard := make([]map[say]bool, len(c.profiles))
	for i, d := range c.detectors {
		d.Reset()
		heard[i] = map[say]bool{}
	}
	for n, e := range events {
		p.add(e)
		for i, profile := range c.profiles {
			v := c.detectors[i].Observe(e)
			got, want := say{v.Rule, v.Rung}, restated[profile.Name](p)
			if got != want {
				c.problem = fmt.Sprintf("seed %d, event %d: @%s says %q, its restatement %q", seed, n, profile.Name, got, want)
				for _, e := range events[:n+1] {
					c.problem += fmt.Sprintf("\n%s %s%s %s %s%s ok %v", e.Type, e.Tool, e.Args, e.Role, e.Content, e.Message, e.OK)
				}
				return
			}
			heard[i][got] = true
		}
	}
	for i := range heard {
		for s := range heard[i] {
			c.spoken[i][s]++
		}
	}
}

// leastShare is of how many traces each rung must be heard in one.
const leastShare = 1000

// allSpeak demands that each rung of each rule was heard in a share of the traces, and silence.
func allSpeak(t *testing.T, p Profile, traces int, in func(say) int) {
	t.Helper()
	if in(say{}) == 0 {
		t.Errorf("@%s is never silent", p.Name)
	}
	var shares []string
	for _, r := range p.Rules.Items() {
		for _, g := range r.Get("rungs").Items() {
			rule, _ := r.Get("name").Str()
			rung, _ := g.Get("name").Str()
			n := in(say{rule, rung})
			if n*leastShare < traces {
				t.Errorf("@%s: %s %s speaks in %d of %d traces, which is too seldom to tell", p.Name, rule, rung, n, traces)
			}
			shares = append(shares, fmt.Sprintf("%s %s %d", rule, rung, n))
		}
	}
	t.Logf("@%s speaks in so many traces: %s", p.Name, strings.Join(shares, ", "))
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
	default:
		return call(t)
	}
}

// call draws a call and its answer. What fails says so in its text, as it does in most agents.
func call(t *rapid.T) []spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "read_file", "read_file", "terminal", "write_file", "job_poll",
		"bash",
		"process_manage", "browser_action", "process", "command_status", "search_files", "task_list", "wait")}
	e.Args = spec.MustParse(pick(t, `{}`, `{}`, `{"path":"a","n":1}`, `{"n":1,"path":"a"}`, `{"action":"poll"}`,
		`{"action":"scroll_up"}`))
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
