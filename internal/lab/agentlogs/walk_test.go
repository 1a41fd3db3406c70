package agentlogs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// folderOf writes files below a new folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func runNames(h heard) []string {
	var names []string
	for _, e := range h.events {
		if !slices.Contains(names, e.Run.Name) {
			names = append(names, e.Run.Name)
		}
	}
	return names
}

// TestTheRestOfAFolderGoesOn: one file is broken, one is no recording, one is no log at all; the others are read.
func TestTheRestOfAFolderGoesOn(t *testing.T) {
	t.Parallel()
	chat := sample(t, "openai-chat.json")
	root := folderOf(t, map[string]string{
		"a/one.json":     chat,
		"b/broken.jsonl": sample(t, "codex.jsonl") + "{\"type\":\n",
		"c/package.json": `{"name":"x"}`,
		"d/README.md":    "Hello.",
		"e/two.traj":     sample(t, "swe-agent.traj"),
	})
	var h heard
	err := Walk(context.Background(), []string{root}, "", h.sink())
	if want := filepath.Join(root, "b", "broken.jsonl") + ":16: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %v, want %s…", err, want)
	}
	if got, want := fmt.Sprint(runNames(h)), "[one#0 one#1 broken two]"; got != want {
		t.Errorf("the runs are %s, want %s", got, want)
	}
	notes := fmt.Sprint(h.notes)
	for _, want := range []string{
		"package.json: it is no recording of a known format",
		"d: skipped files whose extension is not one of a log: 1",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q: %s", want, notes)
		}
	}
	named := filepath.Join(root, "c", "package.json")
	err = Walk(t.Context(), []string{named}, "", h.sink())
	if want := named + ":1: it is no recording of a known format"; err == nil || err.Error() != want {
		t.Errorf("a file that is named itself: the error is %v, want %s", err, want)
	}
}

// TestAFileThatIsNamedTwiceIsReadOnce, however it is named: each of its loops would count twice.
func TestAFileThatIsNamedTwiceIsReadOnce(t *testing.T) {
	t.Parallel()
	root := folderOf(t, map[string]string{"a/one.jsonl": callOf("a"), "a/two.jsonl": callOf("b")})
	one := filepath.Join(root, "a", "one.jsonl")
	var h heard
	err := Walk(t.Context(), []string{one, root + "/./a/../a/one.jsonl", filepath.Join(root, "a")}, "", h.sink())
	if got := fmt.Sprint(runNames(h)); err != nil || len(h.events) != 2 || got != "[one two]" {
		t.Errorf("the error is %v, after %d events of %s", err, len(h.events), got)
	}
	if notes := fmt.Sprint(h.notes); strings.Count(notes, "it was named before, and is read once") != 2 {
		t.Errorf("the notes are %s", notes)
	}
}

// TestAFileThatIsNamedIsARecordingWhereverItLies: that a folder named before it holds the file, excuses nothing.
func TestAFileThatIsNamedIsARecordingWhereverItLies(t *testing.T) {
	t.Parallel()
	root := folderOf(t, map[string]string{"a/bad.json": `{"x":1}`})
	for _, paths := range [][]string{{"a", "a/bad.json"}, {"a/bad.json", "a"}} {
		for i := range paths {
			paths[i] = filepath.Join(root, paths[i])
		}
		var h heard
		if err := Walk(t.Context(), paths, "", h.sink()); err == nil {
			t.Errorf("%s: no error, and the notes are %v", paths, h.notes)
		}
	}
}

// TestAFileForEachEvent reads the events of a conversation as OpenHands keeps them, in the order of their numbers.
func TestAFileForEachEvent(t *testing.T) {
	t.Parallel()
	text := sample(t, "openhands-sdk.jsonl")
	want := read(t, "conversation", text)
	files := map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		files[fmt.Sprintf("conversation/events/event-%05d-0a1b2c3d-0000-4000-8000-000000000000.json", i+8)] = line
	}
	root := folderOf(t, files)
	var got heard
	if err := Walk(context.Background(), []string{root}, "", got.sink()); err != nil {
		t.Fatal(err)
	}
	if want, got := want.imported(t), got.imported(t); want != got {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestNumberedLogsAreNoEvents: their names are those of events of OpenHands, but each is a log by itself.
func TestNumberedLogsAreNoEvents(t *testing.T) {
	t.Parallel()
	for want, log := range map[string]string{
		"[0#0 0#1 1#0 1#1 2#0 2#1]": sample(t, "openai-chat.json"),
		"[0 1 2]":                   sample(t, "openhands.json"), // all events of a run
	} {
		root := folderOf(t, map[string]string{"0.json": log, "1.json": log, "2.json": log})
		var h heard
		if err := Walk(t.Context(), []string{root}, "", h.sink()); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(runNames(h)); got != want {
			t.Errorf("the runs are %s, want %s", got, want)
		}
	}
}

// TestABrokenEventIsFoundInItsFile: the events are read as one log, but a person has to find the file.
func TestABrokenEventIsFoundInItsFile(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(sample(t, "openhands-sdk.jsonl")), "\n") {
		files[fmt.Sprintf("%d.json", i)] = line + "\n"
	}
	last := fmt.Sprintf("%d.json", len(files)-1)
	for _, c := range []struct{ name, text, want string }{
		{"1.json", "{\n \"id\": tru\n}\n", `2: at "/id": no JSON: `},
		{"1.json", "{\"id\": 1,\n\n", "1: it ends too early"}, // where the next file goes on
		{"1.json", "{\"id\":\n\n2 \"x\"}", "3: no JSON: "},
		{"0.json", "{]", "1: no JSON: "},
		{last, "{\"id\"", `1: at "/id": it ends too early`},
	} {
		whole := files[c.name]
		files[c.name] = c.text
		root := folderOf(t, files)
		files[c.name] = whole
		var h heard
		err := Walk(t.Context(), []string{root}, "", h.sink())
		if want := filepath.Join(root, c.name) + ":" + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %s…", c.text, err, want)
		}
	}
}

// TestAnInterruptionEndsTheWalk at the event after it, though the reader may have read more.
func TestAnInterruptionEndsTheWalk(t *testing.T) {
	t.Parallel()
	walks := map[string]func(context.Context, []string, string, Sink) error{"Walk": Walk, "WalkAhead": WalkAhead}
	for name, walk := range walks {
		ctx, stop := context.WithCancel(t.Context())
		events := 0
		err := walk(ctx, []string{"testdata"}, "", Sink{Event: func(Event) error {
			events++
			stop()
			return nil
		}})
		if !errors.Is(err, context.Canceled) || events != 1 {
			t.Errorf("%s: %d events, and the error is %v", name, events, err)
		}
	}
}

// TestRealLogs reads the logs of real agents that are at hand where the suite is made, and shows the laws on them.
// Where they are not, docs/results.md says how to get them.
func TestRealLogs(t *testing.T) {
	t.Parallel()
	const corpora = "../../../../shared/corpora"
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("the corpora are not at %s", corpora)
	}
	for folder, runs := range map[string]int{
		"claude-code": 3, "intercode": 58, "tau-bench": 60, "swe-agent": 4,
		"sola-st": 65,
	} {
		var h heard
		if err := Walk(context.Background(), []string{filepath.Join(corpora, folder)}, "", h.sink()); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
		seen := map[*Run]map[string]string{} // the tools of calls that wait
		for _, e := range h.events {
			event, err := spec.DecodeEvent(e.Value)
			if err != nil {
				t.Fatalf("%s, %s: %v", e.Run.Source, e.Place, err)
			}
			if seen[e.Run] == nil {
				seen[e.Run] = map[string]string{}
			}
			if event.Type == spec.ToolCall {
				seen[e.Run][event.ID] = event.Tool
			}
			if tool, waits := seen[e.Run][event.Call]; event.Type == spec.ToolResult && (!waits || event.HasTool && tool != event.Tool) {
				t.Errorf("%s, %s: the result answers no call", e.Run.Source, e.Place)
			}
		}
		if len(seen) != runs {
			t.Errorf("%s: %d runs, want %d", folder, len(seen), runs)
		}
	}
}

// TestARecordIsBounded: what is no log at all must not take the machine down.
func TestARecordIsBounded(t *testing.T) {
	t.Parallel()
	for want, record := range map[string]string{
		"a record has more than 64 MB":       `"` + strings.Repeat("x", 80<<20),
		"a record holds more than 262144 va": "[0" + strings.Repeat(",1", 1<<20) + "]}]",
		"values are nested more than 100 de": strings.Repeat("[", 101) + strings.Repeat("]", 101) + "}]",
	} {
		log := strings.NewReader(`[{"role":"user","content":` + record)
		err := Read("log", log, "openai-chat", Sink{Event: func(Event) error { return nil }})
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1000 {
			t.Errorf("the error is %.1000v, want %s", err, want)
		}
	}
}
