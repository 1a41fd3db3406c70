package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheLoopOfAnEditWorks runs the commands of CONTRIBUTING.md that one runs after an edit.
func TestTheLoopOfAnEditWorks(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	guide, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := blocksOf("sh", string(guide))
	if len(blocks) != 1 {
		t.Fatalf("found %d blocks of commands, want 1", len(blocks))
	}
	for line := range strings.Lines(blocks[0]) {
		command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "bin/loopstone", builtTool))
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
	}
}

// TestAnEditedCaseIsJudgedWithoutABuild shows that the tool judges the cases of the folder, not those that it was built
// with.
func TestAnEditedCaseIsJudgedWithoutABuild(t *testing.T) {
	t.Parallel()
	const right = "detector: history\ncases:\n  - {id: history-edited, title: An edited case, clauses: [HI-10], source: silent,\n" +
		"     why: It is new., steps: [{tool_call: {tool: t}, expect: {count: 1}}]}\n"
	for text, want := range map[string]conformance.Outcome{
		right: conformance.Conformant,
		strings.Replace(right, "count: 1", "count: 2", 1): conformance.SuiteFault,
	} {
		folder := t.TempDir()
		write(t, folder, "edited.yaml", text)
		if out, got := tool(t, folder, "test", "--cases", "."); got != want {
			t.Errorf("got %s, want %s:\n%s\n%s", got, want, text, out)
		}
	}
}
