package score

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/reference"
)

// TestANoteIsToldOnceHoweverOftenItIsSo: of two runs that differ in how often nobody knows whether a call succeeded.
func TestANoteIsToldOnceHoweverOftenItIsSo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const call = `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"ls","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"a","content":"x"}`
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	manifest := "source: here\nlicence: MIT\nruns:\n"
	for name, calls := range map[string]int{"two": 2, "three": 3} {
		write(name+".json", "["+strings.TrimSuffix(strings.Repeat(call+",", calls), ",")+"]")
		manifest += "  - {file: " + name + ".json, loop: false}\n"
	}
	write("imported.jsonl", `{"run":{"name":"a"}}`+"\n"+`{"note":"a picture was left out","times":4}`+"\n"+`{"type":"tool_call","tool":"ls"}`+"\n")
	write("corpus.yaml", manifest+"  - {file: imported.jsonl, loop: false}\n")
	want := []string{"1 run: a picture was left out", "2 runs: it is not said whether a call succeeded, and its result counts as a success"}
	if diff := cmp.Diff(want, scored(t, Choice{}, folder).Corpora[0].Notes()); diff != "" {
		t.Error(diff)
	}
}

func TestManifestsThatAreWrong(t *testing.T) {
	t.Parallel()
	const head = "source: here\nlicence: MIT\nruns:\n"
	for reason, each := range map[string]struct{ manifest, want string }{
		"a run without a label":  {head + "  - {file: a.jsonl}\n", "corpus.yaml:4:5: a run without a label"},
		"both kinds of loop":     {head + "  - {file: a.jsonl, loop: true, pairs: [Repetition]}\n", "not both"},
		"a file from elsewhere":  {head + "  - {file: \"../a.jsonl\", loop: true}\n", "outside of the corpus"},
		"a member that is not":   {head + "  - {file: a.jsonl, lop: true}\n", `unknown member "lop"`},
		"no licence":             {"source: here\nruns:\n  - {file: a.jsonl, loop: true}\n", `member "licence" is missing`},
		"no runs":                {"source: here\nlicence: MIT\nruns: []\n", "want a list of runs"},
		"a file that is not":     {head + "  - {file: b.jsonl, loop: true}\n", "b.jsonl"},
		"a run that is not":      {head + "  - {file: a.jsonl, run: x, loop: true}\n", `holds no run "x"`},
		"a file of several runs": {head + "  - {file: two.jsonl, loop: true}\n", "holds 2 runs; say which"},
		"a format that is not":   {head + "  - {file: a.jsonl, format: cdoex, loop: true}\n", `did you mean "codex"`},
		"a run that is labelled twice": {
			head + "  - {file: a.jsonl, loop: true}\n  - {file: a.jsonl, loop: false}\n",
			"corpus.yaml:5:5: a.jsonl has its labels on line 4",
		},
		"a run that is labelled twice in other words": {
			head + "  - {file: a.jsonl, loop: true}\n  - {file: ./x/../a.jsonl, loop: false}\n",
			"corpus.yaml:5:5: ./x/../a.jsonl has its labels on line 4",
		},
		"a label that is no word": {head + "  - {file: a.jsonl, pairs: [1]}\n", "want a text"},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			const event = `{"type":"tool_call","tool":"a"}` + "\n"
			for name, text := range map[string]string{
				"corpus.yaml": each.manifest, "a.jsonl": event,
				"two.jsonl": `{"run":{"name":"x"}}` + "\n" + event + `{"run":{"name":"y"}}` + "\n" + event,
			} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := scoreError(folder)
			if err == nil || !strings.Contains(err.Error(), each.want) {
				t.Errorf("want an error that says %q, got %v", each.want, err)
			}
		})
	}
}

// scoreError returns why a corpus cannot be scored.
func scoreError(path string) error {
	corpus, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	contenders, err := Choice{}.Of(context.Background(), reference.Port(), "")
	if err == nil {
		_, err = Score(context.Background(), []*Corpus{corpus}, contenders, nil)
	}
	return err
}

func TestCorporaThatSayNothing(t *testing.T) {
	t.Parallel()
	unlabelled := t.TempDir()
	event := []byte(`{"type":"tool_call","tool":"a"}` + "\n")
	if err := os.WriteFile(filepath.Join(unlabelled, "a.jsonl"), event, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(unlabelled, "none"): "no such file",
		t.TempDir():                       "holds no run of an agent",
		unlabelled:                        "no run has a label",
	} {
		if err := scoreError(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error that says %q, got %v", want, err)
		}
	}
}
