package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmdtest"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

// TestGolden runs every command of testdata/*.ct and compares all that it prints, and its exit code.
func TestGolden(t *testing.T) {
	suite, err := cmdtest.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", kit(t))
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
	folders := map[string]string{
		"ports":   inModule(t, "cmd", "loopstone", "testdata", "ports"),
		"logs":    inModule(t, "internal", "lab", "agentlogs", "testdata"),
		"corpora": inModule(t, "internal", "lab", "score", "testdata"),
	}
	suite.Setup = func(root string) error {
		var problems []error
		for name, from := range folders {
			problems = append(problems, os.CopyFS(filepath.Join(root, name), os.DirFS(from)))
		}
		return errors.Join(problems...)
	}
	suite.Commands["loopstone"] = runTool
	suite.Run(t, golden.Updating())
}

// runTool runs the tool within this process, in the working directory of the commands that stand before. What differs from
// run to run is blotted out.
func runTool(args []string, _ string) ([]byte, error) {
	out, outcome := dispatched(context.Background(), args)
	if tooBusy(args, out) {
		out, outcome = dispatched(context.Background(), unhurried(args))
	}
	if outcome != conformance.Conformant {
		return blot(out), &cmdtest.ExitCodeErr{Msg: "failed", Code: int(outcome)}
	}
	return blot(out), nil
}

// TestTheProgramSaysWhatItsCommandsSay: a process prints and returns what the golden tests see within their own.
func TestTheProgramSaysWhatItsCommandsSay(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{
		{"show", "HI-6"},
		{"lst", "cases"},
		{"test", "--reference", "--case", passingCase},
		append([]string{"test", "--case", failingCase}, portOf(t, "consecutive.py")...),
	} {
		called, outcome := run(t, "", nil, words...)
		if out, exit := tool(t, "", words...); exit != outcome || !bytes.Equal(blot(out), blot(called)) {
			t.Errorf("%q: the process ends with %s, and says\n%s\nthe command with %s:\n%s", words, exit, out, outcome, called)
		}
	}
}

var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`;\s+[0-9]+\s+events\s+in\s+[0-9]+\s+requests,\s+[0-9.]+\s+s`), "; N events in N requests, T s"},
	{
		regexp.MustCompile(`[0-9]+ executions, [0-9]+/s, [0-9.]+ events per trace, [0-9]+ laws checked`),
		"N executions, N/s, N events per trace, N laws checked",
	},
	{regexp.MustCompile(` --timeout 1h0m0s --start-timeout 1h0m0s`), ""}, // see unhurried
	{regexp.MustCompile(`in [0-9.]+ s, from`), "in T s, from"},
	{regexp.MustCompile(`[0-9]+ (cases|laws): not selected`), "N $1: not selected"},
	{regexp.MustCompile(`[0-9]+\s+(CASES\s+NOT\s+SELECTED|LAWS\s+NOT\s+CHECKED)`), "N $1"},
	{regexp.MustCompile(`[0-9]+ cases, [0-9]+ laws, [0-9]+ tests`), "N cases, N laws, N tests"},
	{regexp.MustCompile(`[0-9]+ (cases )?of the\s+protocol`), "N ${1}of the protocol"},
	{regexp.MustCompile(`[0-9]+ cases  `), "N cases  "},
	{regexp.MustCompile(`digest [0-9a-f]{16}`), "digest D"},
	{regexp.MustCompile(`the last clause of those is ([A-Z]+)-[0-9]+`), "the last clause of those is $1-N"},
	{regexp.MustCompile(`(a folder above, up to )[^;]+`), "${1}FOLDER"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

func blot(text string) []byte {
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	return bytes.TrimRight([]byte(text), "\n")
}
