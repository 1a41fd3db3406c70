package recording

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// script is what an agent did, as no format has it. Each format writes it down in its own way, with ids, counters and
// times around it; what is read back must be the script.
type script []turn

// turn is what the user says, or a reply of the model.
type turn struct {
	user    string // of the user, where it is none of the model
	thought string
	text    string
	calls   []scripted
}

type scripted struct {
	tool   string
	args   map[string]any
	result string
	failed bool
}

// ability is what a format can say.
type ability struct {
	format   string
	together bool // texts, and several calls in a reply
	thoughts bool
	flags    bool // whether a call failed
	write    func(script, *marks) string
}

var abilities = []ability{
	{"claude-code", true, true, true, writeClaudeCode},
	{"anthropic", true, true, true, writeAnthropic},
	{"codex", true, true, true, writeCodex},
	{"openai-responses", true, true, false, writeResponses},
	{"openai-chat", true, true, false, writeChat},
	{"atif", true, true, false, writeATIF},
	{"openhands", false, true, true, writeOpenHands},
	{"openhands", false, true, true, writeOpenHandsSDK},
	{"swe-agent", false, true, false, writeSWEAgent},
	{"intercode", false, false, true, writeInterCode},
	{"loopstone", true, true, true, writeLoopstone},
}

// marks are what a recording adds: drawn anew for each writing.
type marks struct {
	t    *rapid.T
	last int
}

func (m *marks) id() string {
	m.last += rapid.IntRange(1, 9999).Draw(m.t, "id")
	return "id_" + strconv.Itoa(m.last)
}

func (m *marks) number() int { return rapid.IntRange(0, 1<<30).Draw(m.t, "number") }

func (m *marks) time() string {
	return fmt.Sprintf("2026-%02d-01T10:00:%02d.%03dZ", 1+m.number()%12, m.number()%60, m.number()%1000)
}

var scriptedTexts = []string{
	"", "make", "ls -l\n", "\x1b[31mno\x1b[0m", "é😀", "Output:\n", `{"a":1}`,
	"Wall time: 3 seconds", "[]", "</x>",
}

func scripts(a ability) *rapid.Generator[script] {
	word := rapid.SampledFrom(scriptedTexts)
	tools := rapid.SampledFrom([]string{"bash", "read", "str_replace"})
	calls := rapid.Custom(func(t *rapid.T) scripted {
		c := scripted{result: word.Draw(t, "result"), failed: a.flags && rapid.Bool().Draw(t, "failed"), tool: "bash"}
		c.args = map[string]any{"command": word.Draw(t, "argument")}
		if a.together {
			c.tool = tools.Draw(t, "tool")
			c.args["n"] = rapid.IntRange(-1, 1).Draw(t, "n")
		}
		return c
	})
	return rapid.Custom(func(t *rapid.T) script {
		var s script
		if a.format != "swe-agent" { // whose steps are the agent's alone
			s = script{{user: "Go."}}
		}
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			if a.together && rapid.IntRange(0, 3).Draw(t, "user") == 0 {
				s = append(s, turn{user: "Go on."})
				continue
			}
			reply := turn{calls: rapid.SliceOfN(calls, 1, 1).Draw(t, "calls")}
			if a.together {
				reply.calls = rapid.SliceOfN(calls, 0, 3).Draw(t, "calls")
				reply.text = rapid.SampledFrom([]string{"", "I look."}).Draw(t, "text")
			}
			if a.thoughts && len(reply.calls) > 0 {
				reply.thought = rapid.SampledFrom([]string{"", "Hm."}).Draw(t, "thought")
			}
			if len(reply.calls) == 0 {
				reply.text = "Well."
				s = append(s, reply, turn{user: "And?"}) // two in a row are one to formats that do not name replies
				continue
			}
			s = append(s, reply)
		}
		return s
	})
}

// events returns what is to be read, without times.
func (s script) events(flags bool) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	n := 0
	for _, turn := range s {
		if turn.user != "" {
			add(`{"type":"message","role":"user","content":%s}`, quoted(turn.user))
			continue
		}
		add(`{"type":"reply"}`)
		if turn.text != "" {
			tools := ""
			for _, c := range turn.calls {
				tools += "," + quoted(c.tool)
			}
			if tools != "" {
				tools = `,"tool_calls":[` + tools[1:] + `]`
			}
			add(`{"type":"message","role":"assistant","content":%s%s}`, quoted(turn.text), tools)
		}
		for i, c := range turn.calls {
			thought := ""
			if i == 0 && turn.thought != "" {
				thought = `,"thought":` + quoted(turn.thought)
			}
			add(`{"type":"tool_call","tool":%s,"args":%s,"id":"c%d"%s}`, quoted(c.tool), encoded(c.args), n+i+1, thought)
		}
		for _, c := range turn.calls {
			n++
			ok := ""
			if c.failed && flags {
				ok = `,"ok":false`
			}
			add(`{"type":"tool_result","content":%s,"tool":%s,"call":"c%d"%s}`, quoted(c.result), quoted(c.tool), n, ok)
		}
	}
	return list
}

func quoted(s string) string { return spec.StringValue(s).String() }

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values are those of these tests
	}
	return spec.MustParse(string(b)).String()
}

// TestReadersLaws: a reader keeps the order, pairs calls with results, and lets no id, counter or time into what it
// hands on but `at`; and what an import wrote is read the same.
func TestReadersLaws(t *testing.T) {
	t.Parallel()
	for i, a := range abilities {
		t.Run(fmt.Sprint(a.format, i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				s := scripts(a).Draw(t, "script")
				log := a.write(s, &marks{t: t})
				var h heard
				if err := Read("log", strings.NewReader(log), a.format, h.sink()); err != nil {
					t.Fatalf("%v\n%s", err, log)
				}
				if diff := cmp.Diff(s.events(a.flags), h.bare(t)); diff != "" {
					t.Fatalf("events (-as it was +as read):\n%s\n%s", diff, log)
				}
				h.sameWhenImported(t)
			})
		})
	}
}

// bare returns the events without what a recording adds beside them.
func (h *heard) bare(t *rapid.T) []string {
	var list []string
	for _, e := range h.events {
		if _, err := spec.DecodeEvent(e.Value); err != nil {
			t.Fatalf("%v: %s", err, e.Value)
		}
		list = append(list, e.Value.Without("at").Without("input_tokens").Without("output_tokens").Without("cost_usd").String())
	}
	return list
}

// sameWhenImported writes the events as an import does, reads that, and compares them whole.
func (h *heard) sameWhenImported(t *rapid.T) {
	var text strings.Builder
	w := NewWriter(&text)
	for _, e := range h.events {
		if err := w.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	var again heard
	if err := Read("import.jsonl", strings.NewReader(text.String()), "", again.sink()); err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	runs, events := byRun(h.events), byRun(again.events)
	if diff := cmp.Diff(runs, events); diff != "" {
		t.Fatalf("events (-read +imported and read):\n%s", diff)
	}
}

// TestSolaSTLaws shows the laws of readers on the layout that is no file: whatever the numbers of the steps, and
// whether the file of results goes on with the next action or not.
func TestSolaSTLaws(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run := SolaSTRun{
		Agent: "a", Name: "x", Actions: filepath.Join(folder, "actions"),
		Results: filepath.Join(folder, "results"),
	}
	texts := rapid.SampledFrom([]string{
		"", "make", "a\n\nb", "\x1b[31mno\x1b[0m", "é😀", `{"a":1}`, "Action: none",
		"</x>",
	})
	rapid.Check(t, func(t *rapid.T) {
		var actions, results strings.Builder
		var want []string
		number := rapid.IntRange(0, 5).Draw(t, "first")
		for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
			command, result := texts.Draw(t, "command"), texts.Draw(t, "result")
			fmt.Fprintf(&actions, "Action at iteration %d: %s\n", number,
				encoded(obj{"name": "sh", "args": obj{"command": command}}))
			fmt.Fprintf(&results, "Result at iteration %d: %s", number, result)
			if rapid.Bool().Draw(t, "goes on") {
				fmt.Fprintf(&results, "; Next action: step %d", number+1)
			}
			results.WriteString("\n---\n")
			want = append(want, fmt.Sprintf(`{"type":"tool_call","tool":"sh","args":{"command":%s},"id":"%d"}`,
				quoted(command), i),
				fmt.Sprintf(`{"type":"tool_result","content":%s,"call":"%d"}`, quoted(result), i))
			number += rapid.IntRange(1, 3).Draw(t, "step")
		}
		for path, text := range map[string]string{run.Actions: actions.String(), run.Results: results.String()} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var h heard
		if err := ReadSolaST(run, h.sink()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, h.bare(t)); diff != "" {
			t.Fatalf("events (-as it was +as read):\n%s\n%s\n%s", diff, actions.String(), results.String())
		}
		h.sameWhenImported(t)
	})
}

// TestEveryFormatIsUnderTheLaws: no reader is left out of them.
func TestEveryFormatIsUnderTheLaws(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		under := f.Name == SolaST || slices.ContainsFunc(abilities, func(a ability) bool { return a.format == f.Name })
		if !under {
			t.Errorf("no log of the format %s is made for TestReadersLaws", f.Name)
		}
	}
}
