package agentlogs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// samples are logs of each format, after the example of its specification or a real file, without anybody's data.
var samples = map[string]string{
	"anthropic.json":        "anthropic",
	"atif.json":             "atif",
	"claude-code.jsonl":     "claude-code",
	"codex.jsonl":           "codex",
	"intercode.json":        "intercode",
	"loopstone.jsonl":       "loopstone",
	"nyu-ctf.json":          "nyu-ctf",
	"openai-chat.json":      "openai-chat",
	"openai-responses.json": "openai-responses",
	"openhands.json":        "openhands",
	"openhands-sdk.jsonl":   "openhands",
	"swe-agent.traj":        "swe-agent",
}

func sample(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// heard is what a sink was given.
type heard struct {
	events []Event
	notes  []Note
}

func (h *heard) sink() Sink {
	return Sink{
		Event: func(e Event) error { h.events = append(h.events, e); return nil },
		Note:  func(n Note) { h.notes = append(h.notes, n) },
	}
}

// read returns what a log holds, which must be read without an error.
func read(t *testing.T, name, text string) (h heard) {
	t.Helper()
	if err := Read(name, strings.NewReader(text), "", h.sink()); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return h
}

func (h *heard) imported(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, e := range h.events {
		if err := w.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func TestEveryFormatHasASample(t *testing.T) {
	t.Parallel()
	has := map[string]bool{SolaST: true} // which is a folder, and has tests of its own
	for name, format := range samples {
		has[format] = true
		if got := Detect([]byte(sample(t, name))); got != format {
			t.Errorf("%s is taken for %q, want %s", name, got, format)
		}
	}
	for _, name := range Formats() {
		if !has[name] {
			t.Errorf("the format %s has no sample", name)
		}
	}
}

// TestSamples compares what a log becomes: the events, the place of each in the log, and the notes.
func TestSamples(t *testing.T) {
	t.Parallel()
	for name := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := read(t, name, sample(t, name))
			var b strings.Builder
			for _, e := range h.events {
				fmt.Fprintf(&b, "%s %s %s\n", e.Run.Name, e.Place, e.Value)
			}
			for _, n := range h.notes {
				fmt.Fprintf(&b, "note: %s\n", n)
			}
			golden.Check(t, filepath.Join("testdata", "golden", name+".txt"), b.String())
		})
	}
}

// TestReadingWhatWasImported shows that an import is read as it was written, notes and all.
func TestReadingWhatWasImported(t *testing.T) {
	t.Parallel()
	for name := range samples {
		first := read(t, name, sample(t, name))
		text := first.imported(t)
		again := read(t, "import.jsonl", text)
		if diff := cmp.Diff(text, again.imported(t)); diff != "" {
			t.Errorf("%s (-written +read and written):\n%s", name, diff)
		}
	}
}

// TestBrokenLogsAreTold spoils each sample in its middle: what stood before is kept, and the error names the place.
func TestBrokenLogsAreTold(t *testing.T) {
	t.Parallel()
	spoiled := []struct {
		name, old, spoilt string
		want              string
		kept              int // events
	}{
		{
			"anthropic.json", `"role": "user", "content": [`, `"role": "critic", "content": [`,
			`anthropic.json:8: at "/messages/2": a message's role is none of user, assistant, system`, 4,
		},
		{"anthropic.json", `"Try again."}]},`, `"Try again."}}`, `anthropic.json:8: at "/messages/2/content": no JSON: `, 4},
		{
			"atif.json", `"source": "agent", "message": "185`, `"source": "robot", "message": "185`,
			`atif.json:16: at "/steps/2": a step's source is none of system, user, agent`, 7,
		},
		{
			"claude-code.jsonl", `{"tool_use_id":"toolu_A"`, `{"tool_use_id":"toolu_A`,
			`claude-code.jsonl:7: at "/message/content/0": no JSON: `, 5,
		},
		{"codex.jsonl", `"name":"exec_command",`, ``, `codex.jsonl:11: a call has no name`, 7},
		{
			"codex.jsonl", `"output":"Exit code: 0`, `"output":"Exit` + "\x01" + ` code: 0`,
			`codex.jsonl:10: at "/payload/output": no JSON: `, 6,
		},
		{
			"intercode.json", `"actions": ["execute`, `"deeds": ["execute`,
			`intercode.json:6: at "/1": there is no turn_history with actions`, 7,
		},
		{"loopstone.jsonl", `"role":"user"`, `"role":"critic"`, `loopstone.jsonl:5: no event: `, 2},
		{
			"nyu-ctf.json", `["2024-04-29T14:56:20.310000+00:00", {"role"`, `[{"role"`,
			`nyu-ctf.json:14: at "/messages/8": a message is no pair of a time and an object`, 8,
		},
		{
			"openai-chat.json", `"function": {"name": "profile",`, `"function": {`,
			`openai-chat.json:6: at "/0/traj/2": a call has no function`, 2,
		},
		{
			"openai-responses.json", `"content":"What`, `"role":"user","content":"What`,
			`openai-responses.json:2: at "/items/0/role": no JSON: a member is there twice`, 0,
		},
		{
			"openhands.json", `"extras": {"error_id": ""}},`, `"extras": {"error_id": ""}`,
			`openhands.json:9: at "/6": no JSON: `, 7,
		},
		{
			"openhands-sdk.jsonl", `"tool_name":"file_editor","tool_call_id":"call_2","tool_call"`, `"tool_call_id":"call_2","tool_call"`,
			`openhands-sdk.jsonl:4: an action has no tool_name`, 3,
		},
		{
			"swe-agent.traj", `{"action": "submit\n"`, `{"action": 7`,
			`swe-agent.traj:6: at "/trajectory/2": a step has no action that is a text`, 6,
		},
	}
	for _, spoilt := range spoiled {
		t.Run(spoilt.name, func(t *testing.T) {
			t.Parallel()
			good := sample(t, spoilt.name)
			bad := strings.Replace(good, spoilt.old, spoilt.spoilt, 1)
			if bad == good {
				t.Fatalf("%q does not stand in it", spoilt.old)
			}
			var h heard
			err := Read(spoilt.name, strings.NewReader(bad), samples[spoilt.name], h.sink())
			var told *Error
			if !errors.As(err, &told) || !strings.HasPrefix(err.Error(), spoilt.want) {
				t.Errorf("the error is %v\nwant %s", err, spoilt.want)
			}
			if len(h.events) != spoilt.kept {
				t.Errorf("%d events are kept, want %d", len(h.events), spoilt.kept)
			}
		})
	}
	for name, format := range samples {
		if !strings.Contains(fmt.Sprint(spoiled), "{"+name+" ") {
			t.Errorf("%s (%s) has no spoilt sample", name, format)
		}
	}
}

// TestCutLogsAreTold: every beginning of a log is read to where it ends, or told; none makes up an event.
func TestCutLogsAreTold(t *testing.T) {
	t.Parallel()
	for name, format := range samples {
		text := sample(t, name)
		whole := read(t, name, text)
		for cut := 0; cut < len(text); cut += 13 {
			var h heard
			err := Read(name, strings.NewReader(text[:cut]), format, h.sink())
			if err == nil && !strings.HasSuffix(text[:cut+1], "\n") && filepath.Ext(name) != ".jsonl" {
				t.Errorf("%s, cut after %d bytes, is read without an error", name, cut)
			}
			if len(h.events) > len(whole.events) {
				t.Errorf("%s, cut after %d bytes, has %d events instead of %d", name, cut, len(h.events), len(whole.events))
			}
			for run, events := range byRun(h.events) {
				for i, e := range events {
					if want := byRun(whole.events)[run][i]; !sameButCut(e, want) {
						t.Errorf("%s, cut after %d bytes: event %d of %s is %s, want %s", name, cut, i, run, e, want)
					}
				}
			}
		}
	}
}

func byRun(events []Event) map[string][]spec.Value {
	runs := map[string][]spec.Value{}
	for _, e := range events {
		runs[e.Run.Name] = append(runs[e.Run.Name], e.Value)
	}
	return runs
}

// sameButCut: of a reply whose rest was cut off, the message does not know of calls, nor the reply of its tokens.
func sameButCut(got, want spec.Value) bool {
	bare := func(v spec.Value) spec.Value {
		return v.Without("tool_calls").Without("input_tokens").Without("output_tokens")
	}
	return bare(got).Equal(bare(want))
}

func TestWhatIsNoRecordingIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, text, format, want string }{
		{"no JSON", "hello\n", "", "x:1: it is no recording of a known format: it does not begin with JSON in UTF-8"},
		{"nothing", "", "", "x:1: it is no recording of a known format: it is empty"},
		{"UTF-16", "\xff\xfe{\x00", "", "x:1: it is no recording of a known format: it does not begin with JSON in UTF-8"},
		{
			"nested too deep to be looked at", strings.Repeat("[", 200) + strings.Repeat("]", 200), "",
			"x:1: it is no recording of a known format: values are nested more than 100 deep",
		},
		{
			"a misspelt type", `{"type":"toolcall","tool":"t"}`, "",
			"x:1: it is no recording of a known format, and as Loopstone's own it begins with no event: type: want one of [tool_call ",
		},
		{
			"a first event that lacks a member", `{"type":"tool_call"}`, "",
			"x:1: it is no recording of a known format, and as Loopstone's own it begins with no event: tool: want string, got absent",
		},
		{
			"a later event that lacks one", `{"type":"tool_call","tool":"t"}` + "\n" + `{"type":"tool_call"}` + "\n{}",
			"", "x:2: no event: tool: want string, got absent",
		},
		{
			"a line that was cut off",
			strings.Repeat(`{"type":"reply"}`+"\n", 2) + `{"type":"tool_call","tool":` + "\n" +
				strings.Repeat(`{"type":"reply"}`+"\n", 2), "",
			"x:5: no JSON: invalid character '{' after object value (expecting ',' or '}'), in what begins on line 3",
		},
		{
			"a record that is too long", `{"type":"reply","a":"` + strings.Repeat("x", mostBytes) + `"}`, "loopstone",
			"x:1: a record has more than 64 MB",
		},
		{"other JSON", `{"name":"loopstone","version":"1.0.0"}`, "", "x:1: it is no recording of a known format"},
		{"numbers", "1\n2\n", "", "x:1: it is no recording of a known format"},
		{"the wrong format", `{"type":"x"}`, "codex", "x:1: nothing in it is an event of the format codex"},
		{"an unknown format", `{}`, "atiff", `unknown format "atiff"; did you mean "atif"?`},
		{"a folder's format", `{}`, SolaST, "x: the format sola-st is that of a folder"},
		{"too deep", strings.Repeat("[", 200), "openai-chat", `x:1: at "`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			err := Read("x", strings.NewReader(test.text), test.format,
				Sink{Event: func(Event) error { return nil }})
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("the error is %v, want %s", err, test.want)
			}
		})
	}
}

func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, format := range samples {
		text := sample(t, name)
		plain, marked := read(t, "x", text), read(t, "x", "\ufeff"+text)
		if diff := cmp.Diff(plain.imported(t), marked.imported(t)); diff != "" {
			t.Errorf("%s (-without +with the mark):\n%s", name, diff)
		}
		if got := Detect([]byte("\ufeff" + text)); got != format {
			t.Errorf("%s is taken for %q", name, got)
		}
	}
}

// TestAMemberThatNoEventHasIsTold: who calls the arguments otherwise has calls that all seem equal.
func TestAMemberThatNoEventHasIsTold(t *testing.T) {
	t.Parallel()
	h := read(t, "x", strings.Repeat(`{"type":"tool_call","tool":"t","arguments":{"a":1},"at":1,"thought":""}`+"\n", 2))
	want := `a tool_call has no member "arguments": nothing looks at it (2 times, here first)`
	if len(h.notes) != 1 || h.notes[0].Said() != want {
		t.Errorf("the notes are %v, want %s", h.notes, want)
	}
}

// TestWhatALineOfARunOrANoteLosesIsTold: a misspelt name, or a value of a kind that nothing takes.
func TestWhatALineOfARunOrANoteLosesIsTold(t *testing.T) {
	t.Parallel()
	const run, reply = `{"run":{"name":"a"}}` + "\n", "\n" + `{"type":"reply"}` + "\n"
	for line, want := range map[string]string{
		`{"run":{"name":"a","nmae":1}}`:              `a run has no member "nmae": nothing looks at it`,
		`{"run":{"name":"a","agent":7}}`:             "the agent of a run is no text, and was left out",
		`{"run":{"name":"a","format":[]}}`:           "the format of a run is no text, and was left out",
		`{"run":{"name":"a"},"agent":"x"}`:           `a line of a run has no member "agent": nothing looks at it`,
		run + `{"note":"x","tmies":2}`:               `a note has no member "tmies": nothing looks at it`,
		run + `{"note":"x","times":"z"}`:             "the times of a note are no integer of 1 or more",
		run + `{"note":"x","times":0}`:               "the times of a note are no integer of 1 or more",
		run + `{"run":{"name":"a","agnet":"again"}}`: `a run has no member "agnet": nothing looks at it`,
	} {
		if notes := fmt.Sprint(read(t, "x", line+reply).notes); !strings.Contains(notes, want) {
			t.Errorf("%s: the notes are %s, want %s", line, notes, want)
		}
	}
	h := read(t, "x", `{"run":{"name":"a","format":"codex","agent":"x"}}`+"\n"+`{"note":"x","times":2}`+reply)
	if len(h.notes) != 1 {
		t.Errorf("of lines with nothing wrong, the notes are %v", h.notes)
	}
	err := Read("x", strings.NewReader(run+`{"note":5}`+reply), "", h.sink())
	if err == nil || err.Error() != "x:2: note: want a text, got number" {
		t.Errorf("of a note that is no text, the error is %v", err)
	}
}

// TestNotesThatAreLeftOutAreTold: a log with ever new faults fills no memory, but hides nothing.
func TestNotesThatAreLeftOutAreTold(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	for i := range mostNotes + 3 {
		fmt.Fprintf(&log, "{\"type\":\"reply\",\"other-%d\":1}\n", i)
	}
	h := read(t, "x", log.String())
	const want = "a note was left out, since there are more than 100 different ones (3 times, here first)"
	if len(h.notes) != mostNotes+1 || h.notes[0].Said() != want {
		t.Errorf("%d notes, the first of them is %v", len(h.notes), h.notes[:1])
	}
}

// TestErrorsHoldNothingOfALog: a log may mean harm, and what it says must not get to a terminal.
func TestErrorsHoldNothingOfALog(t *testing.T) {
	t.Parallel()
	const harm = "\x1b]0;owned\x07"
	logs := map[string]string{
		"openai-chat": `[{"role":"user","content":"a"},{"role":"\u001b]0;owned\u0007","content":"a"}]`,
		"codex":       `{"type":"\u001b]0;owned\u0007","payload":{}}` + "\n" + `{"type":"response_item","payload":{"type":"\u001b]0;owned\u0007"}}`,
		"claude-code": `{"type":"\u001b]0;owned\u0007","sessionId":"s"}`,
		"atif":        `{"schema_version":"ATIF-v1.4","\u001b]0;owned\u0007":[1,}`,
		"loopstone":   `{"type":"reply"}` + "\n" + `{"type":"message","role":"\u001b]0;owned\u0007","content":""}`,
		"":            `{"type":"\u001b]0;owned\u0007"}`,
		"openhands":   `[{"kind":"\u001b]0;owned\u0007Event","source":"agent"}]`,
	}
	for format, log := range logs {
		var h heard
		said := fmt.Sprint(Read("x", strings.NewReader(log), format, h.sink()), h.notes)
		if strings.Contains(said, harm) || strings.ContainsAny(said, "\x1b\x07") {
			t.Errorf("%s: an escape gets through: %q", format, said)
		}
	}
}

// TestASinkEndsTheReading returns the sink's error as it is, from any depth.
func TestASinkEndsTheReading(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	for name, format := range samples {
		calls := 0
		err := Read(name, strings.NewReader(sample(t, name)), format, Sink{Event: func(Event) error {
			calls++
			return full
		}})
		if !errors.Is(err, full) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if calls > 1 {
			t.Errorf("%s: %d events were handed on after the sink refused one", name, calls-1)
		}
	}
}

// TestRunsOfOneNameStayApart: a file of Loopstone's own format continues a run where its name comes again, so that runs
// of several logs must not have one name there.
func TestRunsOfOneNameStayApart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const log = `{"run":{"name":"main"}}` + "\n" + `{"type":"tool_call","tool":"a"}` + "\n"
	var logs []string
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		logs = append(logs, filepath.Join(folder, name))
		if err := os.WriteFile(logs[len(logs)-1], []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	to := NewWriter(&text)
	if err := Walk(t.Context(), logs, "", Sink{Event: to.Event, Note: func(Note) {}}); err != nil {
		t.Fatal(err)
	}
	again := read(t, "import.jsonl", text.String())
	runs := map[*Run]int{}
	for _, e := range again.events {
		runs[e.Run]++
	}
	if len(runs) != 3 || !strings.Contains(text.String(), "b.jsonl main") {
		t.Errorf("got %d runs, want 3:\n%s", len(runs), text.String())
	}
}
