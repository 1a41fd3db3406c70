package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// contribution returns the block that CONTRIBUTING.md has in a language and that begins with a text.
func contribution(t *testing.T, language, begin string) string {
	t.Helper()
	for _, m := range fence.FindAllStringSubmatch(read(t, filepath.Join("..", "..", "CONTRIBUTING.md")), -1) {
		if m[1] == language && strings.HasPrefix(m[2], begin) {
			return m[2]
		}
	}
	t.Fatalf("CONTRIBUTING.md has no %s that begins with %q", language, begin)
	return ""
}

// TestACaseIsAddedAsThePageSays: the case of the page, at the end of its file, is well formed, and the reference passes it.
// With another expectation the reference fails it.
func TestACaseIsAddedAsThePageSays(t *testing.T) {
	t.Parallel()
	added := contribution(t, "yaml", "  - id: history-")
	for _, test := range []struct {
		reason, text string
		want         conformance.Outcome
	}{
		{"as it stands there", added, conformance.Conformant},
		{"with another count", strings.Replace(added, "count: 2", "count: 3", 1), conformance.SuiteFault},
	} {
		folder := t.TempDir()
		if err := os.CopyFS(folder, cases.Files()); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "history", "window.yaml")
		write(t, filepath.Dir(path), "window.yaml", read(t, path)+"\n"+test.text)
		if out, outcome := tool(t, folder, "lint", "history"); outcome != conformance.Conformant {
			t.Errorf("%s, lint is %s:\n%s", test.reason, outcome, out)
		}
		out, outcome := tool(t, folder, "test", "--reference", "--cases", "history", "--case", "history-three-calls-in-turn")
		if outcome != test.want {
			t.Errorf("%s, the reference is %s, want %s:\n%s", test.reason, outcome, test.want, out)
		}
	}
}

// TestAClauseIsAddedAsThePageSays: the tool reads the clauses of the folder, not those that it was built with, and names
// the clause of the page, which no case cites yet.
func TestAClauseIsAddedAsThePageSays(t *testing.T) {
	t.Parallel()
	added := contribution(t, "md", "**HI-")
	for edit, want := range map[string]string{
		"":           "nothing to say",
		"\n" + added: "no case cites HI-31, which is a MUST",
		"\n" + strings.Replace(added, "MUST", "WILL", 1): "not a clause",
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
