package recordings

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// TestTheRecordingsAreAsTheyAreMade makes them anew.
func TestTheRecordingsAreAsTheyAreMade(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	folder := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), python, "make.py", folder).CombinedOutput(); err != nil {
		t.Fatalf("make.py: %v\n%s", err, out)
	}
	made, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	here, err := fs.Glob(Files, "*.jsonl")
	if err != nil || len(made) != len(here) {
		t.Errorf("%d recordings are made, and %v are here (%v)", len(made), here, err)
	}
	for _, name := range here {
		want, err1 := os.ReadFile(filepath.Join(folder, name))
		got, err2 := Files.ReadFile(name)
		if err1 != nil || err2 != nil {
			t.Errorf("%s: %v, %v", name, err1, err2)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not as make.py makes it; run: python3 make.py . (-made +here)\n%s", name, diff)
		}
	}
}

// TestEachRecordingHasALabel reads them, and wants an entry of corpus.yaml for each, and one of a recording for each entry.
func TestEachRecordingHasALabel(t *testing.T) {
	t.Parallel()
	text, err := Files.ReadFile("corpus.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := strictyaml.Parse("corpus.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	labelled := map[string]bool{}
	for _, run := range manifest.Value().Get("runs").Items() {
		file, _ := run.Get("file").Str()
		labelled[file] = true
	}
	here, err := fs.Glob(Files, "*.jsonl")
	if err != nil || len(here) != len(labelled) {
		t.Errorf("%d recordings and %d labels (%v)", len(here), len(labelled), err)
	}
	for _, name := range here {
		text, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		events := 0
		err = agentlogs.Read(name, bytes.NewReader(text), "", agentlogs.Sink{
			Event: func(e agentlogs.Event) error {
				events++
				if e.Run.Name != strings.TrimSuffix(name, ".jsonl") {
					t.Errorf("%s holds the run %s", name, e.Run.Name)
				}
				return nil
			},
			Note: func(n agentlogs.Note) { t.Errorf("note: %s", n) },
		})
		if err != nil || events < 10 || !labelled[name] {
			t.Errorf("%s: %d events, labelled: %t, %v", name, events, labelled[name], err)
		}
	}
}
