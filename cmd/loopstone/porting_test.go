package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/portconfig"
)

// TestThePortingGuideShowsTheWholeFile: what it says of loopstone.yaml is read, and no member is left out.
func TestThePortingGuideShowsTheWholeFile(t *testing.T) {
	t.Parallel()
	blocks := blocksOf("yaml", guide(t))
	if len(blocks) != 1 {
		t.Fatalf("the guide shows %d files", len(blocks))
	}
	file, err := portconfig.ReadFile(portconfig.FileName, []byte(blocks[0]))
	if err != nil || reflect.ValueOf(file).IsZero() {
		t.Fatal(err)
	}
	for i := range reflect.TypeOf(file).NumField() {
		if reflect.ValueOf(file).Field(i).IsZero() {
			t.Errorf("the guide does not show %s", reflect.TypeOf(file).Field(i).Name)
		}
	}
}

func guide(t *testing.T) string {
	t.Helper()
	return read(t, filepath.Join("..", "..", "docs", "test-a-detector.md"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocksOf returns the blocks of a page that are marked with a language.
func blocksOf(language, text string) []string {
	var blocks []string
	for i, part := range strings.Split(text, "```") {
		if body, ok := strings.CutPrefix(part, language+"\n"); ok && i%2 == 1 {
			blocks = append(blocks, strings.TrimSpace(body))
		}
	}
	return blocks
}

// TestGuideToOnesOwnAgent runs the agents of docs/choose-a-detector.md as they stand there, beside the detector that they take and
// the profiles that the tool exports, and compares what they say with what the page says.
func TestGuideToOnesOwnAgent(t *testing.T) {
	long(t, "it runs what the guide shows")
	t.Parallel()
	section := read(t, filepath.Join("..", "..", "docs", "choose-a-detector.md"))
	said := blocksOf("text", section)
	if len(said) != 1 {
		t.Fatalf("the page says %d times what the agents say", len(said))
	}
	for _, agent := range []struct{ language, program, file, detector, source string }{
		{"python", "python3", "agent.py", "composed.py", "python/composed.py"},
		{"js", "node", "agent.mjs", "composed.mjs", "typescript/composed.js"},
	} {
		t.Run(agent.language, func(t *testing.T) {
			t.Parallel()
			needs(t, agent.program)
			text := blocksOf(agent.language, section)
			if len(text) != 1 {
				t.Fatalf("found %d agents", len(text))
			}
			folder := t.TempDir()
			write(t, folder, agent.file, text[0])
			write(t, folder, agent.detector, read(t, inModule(t, "conformance", "adapters", filepath.FromSlash(agent.source))))
			if out, err := runTool([]string{"export", filepath.Join(folder, "suite")}, ""); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			command := exec.Command(agent.program, agent.file)
			command.Dir = folder
			out, err := command.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != said[0] {
				t.Errorf("the agent said %q, %v, and the page says %q", out, err, said[0])
			}
		})
	}
}

// needs skips a test whose command needs Node.js where there is none; in CI everything has to be there. Python is
// there: the ports of most tests are written in it.
func needs(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil && strings.Contains(command, "node") && os.Getenv("CI") == "" {
		t.Skip("node is not on this machine")
	}
}

// TestExportIsWhole shows that an export has a JSON file for every case file and a digest for every file.
func TestExportIsWhole(t *testing.T) {
	t.Parallel()
	files, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	manifest := string(files["manifest.json"])
	for name := range files {
		if name != "manifest.json" && !strings.Contains(manifest, `"`+name+`"`) {
			t.Errorf("%s is not in the manifest", name)
		}
		if same := strings.TrimSuffix(name, ".yaml") + ".json"; strings.HasSuffix(name, ".yaml") && files[same] == nil {
			t.Errorf("%s has no JSON file beside it", name)
		}
	}
	for _, name := range []string{
		"protocol.md", "clauses/history.md", "clauses/clauses.json", "claims/D1.yaml", "cases/history/window.json",
		"schema/event.schema.json", "profiles/roo.json",
	} {
		if files[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
}
