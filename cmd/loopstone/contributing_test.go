package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// TestAnEditedClauseIsJudgedWithoutABuild shows that the tool reads the clauses of the folder, not those that it was
// built with.
func TestAnEditedClauseIsJudgedWithoutABuild(t *testing.T) {
	t.Parallel()
	for edit, want := range map[string]string{
		"": "nothing to say",
		"\n**HI-900** (MUST, silent, D3#a) New.\n": "no case cites HI-900, which is a MUST",
		"\n**HI-900** (MUST) New.\n":               "not a clause",
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, spec.ClauseFiles()); err != nil {
			t.Fatal(err)
		}
		write(t, folder, "history.md", read(t, filepath.Join(folder, "history.md"))+edit)
		if out, _ := tool(t, folder, "lint", "."); !strings.Contains(out, want) {
			t.Errorf("after the edit %q: want %q, got:\n%s", edit, want, out)
		}
	}
}
