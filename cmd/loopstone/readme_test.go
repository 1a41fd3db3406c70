package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/spec"
)

// TestReadmeShowsWhatTheStarterFails compares the failure that README.md shows with the one that the tool prints.
func TestReadmeShowsWhatTheStarterFails(t *testing.T) {
	t.Parallel()
	if missing := missingProgram("python3"); missing != "" {
		t.Skipf("%s is not on this machine", missing)
	}
	_, section, _ := strings.Cut(read(t, filepath.Join("..", "..", "README.md")), "## Read a failure")
	_, rest, _ := strings.Cut(section, "```\n")
	want, _, found := strings.Cut(rest, "```")
	id := regexp.MustCompile(`^FAILED (\S+)`).FindStringSubmatch(want)
	if !found || id == nil {
		t.Fatalf("README.md shows no failure, but %q", want)
	}
	folder := t.TempDir()
	if out, outcome := run(t, folder, nil, "init", "python", folder); outcome != conformance.Conformant {
		t.Fatalf("init is %s:\n%s", outcome, out)
	}
	command := exec.Command(builtTool, "test", "--case", id[1], "--", "python3", "my_port.py")
	command.Dir = folder // so that the port's name stands in the output as in the page
	out, _ := command.CombinedOutput()
	if !strings.Contains(string(out), want) {
		t.Errorf("the tool prints something else:\n%s", out)
	}
}

// TestPagesNameWhatThereIs: who reads of a case or a clause in a guide can ask for it by that name.
func TestPagesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	suite, err := builtInSuite()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range slices.Concat(suite, fuzz.Cases()) {
		ids = append(ids, c.ID)
	}
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	cases, clauses := 0, 0
	for _, page := range append(pages, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "cases", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedCase.FindAllStringSubmatch(string(text), -1) {
			if cases++; !slices.Contains(ids, m[1]) && !strings.Contains(m[1], "found-") {
				t.Errorf("%s names the case %s, which there is not", page, m[1])
			}
		}
		for _, id := range namedClause.FindAllString(string(text), -1) {
			clauses++
			if _, ok := spec.ClauseByID(id); !ok {
				t.Errorf("%s names the clause %s, which there is not", page, id)
			}
		}
	}
	if cases == 0 || clauses == 0 {
		t.Errorf("found %d names of cases and %d of clauses", cases, clauses)
	}
}

// What a page names: a case where one is selected, listed or shown as failed; a clause by the prefix of its detector.
var (
	namedCase   = regexp.MustCompile(`(?:FAILED |--case |- case: |loopstone show )([a-z]+-[a-z0-9-]+)`)
	namedClause = regexp.MustCompile(`\b(?:PR|FP|SG|HI|CR|SW|RA|GU|CO)-[0-9]+\b`)
)
