package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// event returns an event from its JSON.
func event(t *testing.T, text string) spec.Value {
	t.Helper()
	v, err := spec.ParseValue([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func call(t *testing.T, tool, command string) spec.Value {
	return event(t, fmt.Sprintf(`{"type": "tool_call", "tool": %q, "args": {"command": %q}, "output_tokens": 50, "cost_usd": 0.01}`,
		tool, command))
}

func result(t *testing.T, content string) spec.Value {
	return event(t, `{"type": "tool_result", "input_tokens": 1000}`).With("content", spec.StringValue(content))
}

// stuck is a run that reads, then builds in vain five times, then reads again.
func stuck(t *testing.T) []spec.Value {
	events := []spec.Value{
		event(t, `{"type": "message", "role": "user", "content": "make it build"}`),
		call(t, "read", "main.c"), result(t, "int main() {"),
	}
	for range 5 {
		events = append(events, call(t, "bash", "make"), result(t,
			"error: \x1b[31mno rule\x1b[0m to make target <script>alert(1)</script>"))
	}
	for i := range 6 {
		events = append(events, call(t, "read", fmt.Sprintf("file-%d.c", i)), result(t, "text"))
	}
	return events
}

// kept is how many of the first events of a run are kept in these tests.
const kept = 1000

func watched(t *testing.T, port spec.Port, events []spec.Value) *Replay {
	t.Helper()
	ctx := context.Background()
	description, err := port.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	run := &agentlogs.Run{Name: "stuck", Source: "stuck.jsonl", Format: "loopstone"}
	r := Open(run, alarm.ObserversOf(port, "", description.Detectors), kept)
	for i, v := range events {
		if err := r.Observe(ctx, agentlogs.Event{Run: run, Value: v, Place: agentlogs.Place{Line: i + 1}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(ctx); err != nil {
		t.Fatal(err)
	}
	return r
}

func one(r *Replay) *Watcher { return &Watcher{Runs: []*Replay{r}} }

func TestPages(t *testing.T) {
	r := watched(t, reference.Port(), stuck(t))
	r.Notes = []agentlogs.Note{{Place: agentlogs.Place{Line: 3, Pointer: "/image"}, Text: "an image was left out"}}
	calm := watched(t, reference.Port(), stuck(t)[:4])
	pages := []struct {
		file string
		make func(w *bytes.Buffer) error
	}{
		{"stuck-60.txt", func(w *bytes.Buffer) error { return Summary(w, one(r), Page{Width: 60}) }},
		{"stuck-120.txt", func(w *bytes.Buffer) error { return Summary(w, one(r), Page{Width: 120}) }},
		{"calm-80.txt", func(w *bytes.Buffer) error { return Summary(w, one(calm), Page{Width: 80}) }},
		{"stuck.json", func(w *bytes.Buffer) error { return JSON(w, one(r)) }},
		{"stuck.html", func(w *bytes.Buffer) error { return HTML(w, []*Replay{r, calm}) }},
	}
	for _, p := range pages {
		t.Run(p.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := p.make(&got); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", p.file), got.String())
		})
	}
}

// TestRunsWithoutAnAlarmAreCounted: they are named on demand only. No report has the folder that all logs are in.
func TestRunsWithoutAnAlarmAreCounted(t *testing.T) {
	root := filepath.Join(t.TempDir(), "somebody", "logs")
	runs := []*Replay{watched(t, reference.Port(), stuck(t)), watched(t, reference.Port(), stuck(t)[:4])}
	for i, r := range runs {
		r.Run = &agentlogs.Run{
			Name: "run", Source: filepath.Join(root, fmt.Sprintf("day-%d", i), "run.jsonl"),
			Format: "loopstone",
		}
		r.Notes = []agentlogs.Note{{Source: r.Source, Text: "an image was left out"}}
	}
	var some, all, page bytes.Buffer
	if err := errors.Join(
		Summary(&some, &Watcher{Runs: runs}, Page{Width: 80}), Summary(&all, &Watcher{Runs: runs},
			Page{Width: 80, All: true}),
		HTML(&page, runs), HTML(&page, runs[:1]),
	); err != nil {
		t.Fatal(err)
	}
	calm := filepath.Join("day-1", "run.jsonl")
	if strings.Contains(some.String(), calm) || !strings.Contains(some.String(),
		"2 runs: 1 with an alarm, 1 without (--all") {
		t.Errorf("the run without an alarm is not folded:\n%s", &some)
	}
	if !strings.Contains(all.String(), calm+" (loopstone): 4 events, 2 calls, 1100 tokens, $0.02; no alarm") {
		t.Errorf("--all does not name the run without an alarm:\n%s", &all)
	}
	if text := all.String() + page.String(); strings.Contains(text, "somebody") {
		t.Errorf("the folder is told:\n%s", text)
	}
}

// TestAPageHoldsNoPath: a page is shared, however its logs were named.
func TestAPageHoldsNoPath(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason  string
		sources []string
		want    []string // the names of the runs
	}{
		{"one is named from here, the other from the root", []string{
			filepath.Join("logs", "a.jsonl"), filepath.Join(here, "logs", "b.jsonl"),
		}, []string{"a.jsonl", "b.jsonl"}},
		{"they have the parent folder in common", []string{filepath.Join("..", "a.jsonl"), "b.jsonl"}, []string{
			"a.jsonl", filepath.Join("replay", "b.jsonl"),
		}},
		{"they have the root in common", []string{
			filepath.Join(here, "a.jsonl"), filepath.Join(filepath.VolumeName(here)+string(filepath.Separator), "other", "b.jsonl"),
		}, []string{"a.jsonl", "b.jsonl"}},
	} {
		var runs []*Replay
		for _, source := range test.sources {
			r := watched(t, reference.Port(), stuck(t))
			r.Run = &agentlogs.Run{Name: "run", Source: source, Format: "loopstone"}
			r.Notes = []agentlogs.Note{{Run: r.Run, Text: "an image was left out"}, {Source: source, Text: "a line was left out"}}
			runs = append(runs, r)
		}
		var page bytes.Buffer
		if err := HTML(&page, runs); err != nil {
			t.Fatal(err)
		}
		for i, name := range test.want {
			for _, text := range []string{">" + name + " run (loopstone)", ">" + name + ": an image", ">" + name + ": a line", ">" + name + ":"} {
				if !strings.Contains(page.String(), text) {
					t.Errorf("%s: the page has no %q", test.reason, text)
				}
			}
			if runs[i].Source != test.sources[i] {
				t.Errorf("%s: the run was changed", test.reason)
			}
		}
		if folder := filepath.Base(filepath.Dir(here)); strings.Contains(page.String(), folder+string(filepath.Separator)) {
			t.Errorf("%s: the page tells of the folder %s", test.reason, folder)
		}
	}
}

// TestARowHasAText: a reply has none, and no row of the page.
func TestARowHasAText(t *testing.T) {
	reply := event(t, `{"type": "reply", "input_tokens": 7}`)
	r := watched(t, reference.Port(), append([]spec.Value{reply}, stuck(t)...))
	for _, step := range folderOf([]*Replay{r}).steps(r, "run") {
		if step.Text == "" {
			t.Errorf("event %s, %s, has a row without a text", step.Number, step.Title)
		}
	}
}

// TestLanesAreWhatTheDetectorsSay compares the stretches with a session that is told one event at a time.
func TestLanesAreWhatTheDetectorsSay(t *testing.T) {
	var events []spec.Value
	for range 40 {
		events = append(events, stuck(t)...)
	}
	for _, lane := range watched(t, reference.Port(), events).Lanes {
		if lane.Refused != "" {
			continue
		}
		ctx := context.Background()
		session, err := reference.Port().Open(ctx, lane.Detector, lane.Reading, spec.Value{})
		if err != nil {
			t.Fatal(err)
		}
		marked := 0
		for place, v := range events {
			verdicts, err := session.Observe(ctx, []spec.Value{v})
			if err != nil {
				t.Fatal(err)
			}
			if verdicts[0].Get("loop").IsTrue() {
				marked++
				if !lane.speaksAt(place) {
					t.Errorf("%s says loop after event %d, outside its stretches", lane.Name(), place)
				}
			}
		}
		if marked != lane.Marked {
			t.Errorf("%s is marked %d times, want %d", lane.Name(), lane.Marked, marked)
		}
	}
}

// TestEvidenceIsOfTheRun shows that evidence, which counts what a session was told, is of the right events of the run.
func TestEvidenceIsOfTheRun(t *testing.T) {
	events := stuck(t)
	for _, lane := range watched(t, reference.Port(), events).Speaking() {
		if len(lane.First.Evidence) == 0 {
			t.Errorf("%s shows no evidence", lane.Name())
		}
		for _, place := range lane.First.Evidence {
			if text := events[place].String(); !strings.Contains(text, "make") {
				t.Errorf("%s: its evidence %d is %s", lane.Name(), place, text)
			}
		}
	}
}

// TestAKeptTextIsWhole cuts texts of any length at a whole character.
// TestACostThatNoSumHoldsIsLeftOut: with others, it would make no number at all.
func TestACostThatNoSumHoldsIsLeftOut(t *testing.T) {
	t.Parallel()
	r := watched(t, reference.Port(), []spec.Value{
		event(t, `{"type":"tool_call","tool":"a","cost_usd":1e400}`),
		event(t, `{"type":"tool_call","tool":"a","cost_usd":0.5}`),
		event(t, `{"type":"tool_call","tool":"a","cost_usd":-1e400}`),
		event(t, `{"type":"tool_call","tool":"a","cost_usd":1.7e308}`),
	})
	var text bytes.Buffer
	if err := JSON(&text, one(r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), `"cost_usd": 0.5`) || !strings.Contains(text.String(), "(3 times, here first)") {
		t.Errorf("it says %s", &text)
	}
}

// TestTokensThatAreNoCountAreLeftOut with a note, and so is a negative cost, which would hide another.
func TestTokensThatAreNoCountAreLeftOut(t *testing.T) {
	t.Parallel()
	r := watched(t, reference.Port(), []spec.Value{
		event(t, `{"type":"reply","input_tokens":1e308}`),
		event(t, `{"type":"reply","input_tokens":-5,"output_tokens":1.5}`),
		event(t, `{"type":"reply","input_tokens":2e1,"output_tokens":3,"cost_usd":0.5}`),
		event(t, `{"type":"reply","cost_usd":-0.5}`),
	})
	want := "[stuck.jsonl:1: a number of tokens that is negative, no integer or more than 1e12 was left out (3 times, " +
		"here first) stuck.jsonl:4: a cost that is negative or more than 1e15 dollars was left out]"
	if got := fmt.Sprint(r.Notes); got != want || r.Total.Tokens != 23 || r.Total.Dollars != 0.5 {
		t.Errorf("%d tokens and %g dollars, and the notes are %s", r.Total.Tokens, r.Total.Dollars, got)
	}
}

func TestAKeptTextIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.SampledFrom([]string{"a", "ü", "😀", "\xff"}).Draw(t, "character"),
			rapid.IntRange(0, 2*keptText).Draw(t, "length"))
		got, cut := strings.CutSuffix(short(text), "…")
		if !strings.HasPrefix(text, got) || cut != (utf8.RuneCountInString(text) > keptText) || utf8.RuneCountInString(got) > keptText {
			t.Fatalf("%d characters became %d, cut %v", utf8.RuneCountInString(text), utf8.RuneCountInString(got), cut)
		}
	})
}

// TestALongWordIsBroken: of a path that is longer than a line nothing is lost, and no line is too wide.
func TestALongWordIsBroken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zü/]{1,200}`), 1, 4).Draw(t, "words")
		var b strings.Builder
		p := &printer{w: &b, Page: Page{Width: rapid.IntRange(leastWidth, 120).Draw(t, "width")}}
		p.wrapped("  " + strings.Join(words, " "))
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > p.Width {
				t.Fatalf("a line of %d characters, %d are allowed: %s", n, p.Width, line)
			}
		}
		if got, want := strings.Join(strings.Fields(b.String()), ""), strings.Join(words, ""); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}

// TestALaneThatSeesLittleKnowsItsAlarm: most events of the run are of types that history does not observe, and the
// alarm is told at the right call and with what came after it, all the same.
func TestALaneThatSeesLittleKnowsItsAlarm(t *testing.T) {
	var events []spec.Value
	for range 4 {
		events = append(events, call(t, "bash", "make"))
		for range 300 {
			events = append(events, result(t, "a part of the answer"))
		}
	}
	r := watched(t, spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), events)
	if len(r.Speaking()) != 1 {
		t.Fatal("history says nothing")
	}
	lane := r.Lanes[0]
	if n, after := r.Call(lane), r.After(lane); n != 3 || after.Calls != 1 || after.Events != 601 {
		t.Errorf("the alarm is at call %d, and after it come %+v; want call 3, and 1 call and 601 events", n, after)
	}
}

// old is a detector of a port that does not know replies: it refuses their events, and takes a thought for a fault.
type old struct{ calls int }

func (o *old) Observe(e spec.Event) spec.Verdict {
	o.calls++
	return spec.Verdict{Loop: o.calls == 2, Evidence: []int{0, 1}}
}

func (o *old) Reset() {}

func (o *old) CheckEvent(e spec.Event) error {
	if e.Type == spec.Reply || e.HasThought {
		return &spec.Fault{Kind: spec.InvalidEvent, Message: "unheard of"}
	}
	return nil
}

// TestAPortIsToldWhatItKnows: a port that follows no document and declares no replies sees the run all the same, and
// its evidence is of the right events.
func TestAPortIsToldWhatItKnows(t *testing.T) {
	port := spec.NewHost(spec.Description{}, spec.Implementation{
		Offer: spec.Offer{Detector: "own", Readings: []spec.Reading{"own"}},
		New:   func(spec.Reading, spec.Value) (spec.Detector, error) { return &old{}, nil },
	})
	reply, thinking := event(t, `{"type": "reply"}`), event(t, `{"type": "tool_call", "tool": "a", "thought": "so"}`)
	lane := watched(t, port, []spec.Value{reply, thinking, reply, thinking}).Lanes[0]
	if lane.Refused != "" || lane.First == nil || lane.First.At != 3 || !slices.Equal(lane.First.Evidence,
		[]int{1, 3}) {
		t.Errorf("refused %q, first alarm %+v; want one at event 3 that rests on 1 and 3", lane.Refused, lane.First)
	}
}

// TestALongRunIsKeptInBounds lets a run of 20,000 events pass.
func TestALongRunIsKeptInBounds(t *testing.T) {
	var events []spec.Value
	for len(events) < 20_000 {
		events = append(events, stuck(t)...)
	}
	r := watched(t, reference.Port(), events)
	if len(r.Moments) > kept+keptRecent*len(r.Lanes) || r.Total.Events != len(events) {
		t.Errorf("%d moments are kept of %d events", len(r.Moments), r.Total.Events)
	}
	for _, lane := range r.Lanes {
		if len(lane.Spans) > keptSpans {
			t.Errorf("%s keeps %d stretches", lane.Name(), len(lane.Spans))
		}
	}
}

// countingPort counts the sessions that are open.
type countingPort struct {
	spec.Port
	open, most int
}

type countedSession struct {
	spec.Session
	port *countingPort
}

func (p *countingPort) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	p.open++
	p.most = max(p.most, p.open)
	s, err := p.Port.Open(ctx, id, reading, config)
	return countedSession{s, p}, err
}

func (s countedSession) Close(ctx context.Context) error {
	s.port.open--
	return s.Session.Close(ctx)
}

// TestShortRunsShareTheMemory: a file may hold tens of thousands of runs, each of which may go on until the file ends.
// A run of one call must not take the memory of a session, or of the latest hundreds of events.
func TestShortRunsShareTheMemory(t *testing.T) {
	port := &countingPort{Port: reference.Port()}
	description, err := port.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := &Watcher{Observers: alarm.ObserversOf(port, "", description.Detectors)}
	const runs, mostEach = 2000, 32 << 10 // bytes; the ring of a long run takes 64 kB
	made := call(t, "bash", "make")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range runs {
		run := &agentlogs.Run{Name: fmt.Sprint(i), Source: "many.jsonl"}
		if err := w.observe(t.Context(), agentlogs.Event{Run: run, Value: made}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / runs; each > mostEach {
		t.Errorf("an open run of one call takes %d bytes, want at most %d", each, mostEach)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(w.Runs) != runs || w.Runs[0].Lanes[0].Told != 1 || port.open != 0 || port.most > len(w.Observers) {
		t.Errorf("%d runs, and up to %d sessions at a time, of which %d are still open", len(w.Runs), port.most, port.open)
	}
}

// TestACaseOfARunIsTheLeastOfIt makes a case of each first alarm of a long run with long texts.
func TestACaseOfARunIsTheLeastOfIt(t *testing.T) {
	long := strings.Repeat("long ", 100)
	var events []spec.Value
	for i := range 50 {
		events = append(events, call(t, "read", fmt.Sprintf("%s %d", long, i)), result(t, long))
	}
	events = append(events, stuck(t)...)
	r := watched(t, reference.Port(), events)
	var made []cases.Case
	for _, lane := range r.Speaking() {
		c, err := CaseOf(t.Context(), reference.Port(), lane, events[:lane.First.At+1],
			"recorded-"+string(lane.Detector)+"-"+string(lane.Reading))
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Steps) > 8 || strings.Contains(string(cases.Write(c)), long) {
			t.Errorf("the case of %s is long:\n%s", lane.Name(), cases.Write(c))
		}
		made = append(made, c)
	}
	report, err := conformance.Run(t.Context(), reference.Port(), made, conformance.Options{})
	if err != nil || report.Outcome() != conformance.Conformant {
		t.Errorf("the reference is %v by the cases, %v", report.Outcome(), err)
	}
	golden.Check(t, filepath.Join("testdata", "fingerprint.yaml"), string(cases.Write(made[0])))
}
