package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheSuitesOwnFaultsExitWith4 judges a port that is right by case files that are wrong.
func TestTheSuitesOwnFaultsExitWith4(t *testing.T) {
	t.Parallel()
	const history = "detector: history\ncases:\n" +
		"  - {id: history-new, title: A new case, clauses: [HI-1], source: silent, why: It is new.,\n     "
	tests := []struct{ why, file, text, want string }{
		{"a file that is no YAML", "history/new.yaml", "cases: [", "history/new.yaml:1"},
		{
			"a clause that does not exist", "history/new.yaml",
			strings.Replace(history, "HI-1", "HI-99", 1) + "steps: [{reset: true}]}\n", "HI-99",
		},
		{
			"an expectation that the reference does not meet either", "history/new.yaml",
			history + "steps: [{tool_call: {tool: t}, expect: {count: 2}}]}\n",
			"SUITE history-new (code)",
		},
		{
			"an exchange that cannot be carried out", "protocol/new.yaml",
			"detector: protocol\ncases:\n  - {id: protocol-new, title: A new case, clauses: [PR-8], source: silent, why: It is new.,\n" +
				"     exchange: [{close: true}, {exit: 0}, {raw: \"\"}]}\n",
			"SUITE protocol-new",
		},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(test.file)), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, folder, test.file, test.text)
			out, outcome := tool(t, folder, append([]string{"test", "--cases", "."}, referencePort(t)...)...)
			if outcome != conformance.SuiteFault || !says(out, test.want) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, conformance.SuiteFault, test.want, out)
			}
		})
	}
}

// TestAPanicOfTheToolExitsWith4 guards what would otherwise exit with 2, which says that nobody knows.
func TestAPanicOfTheToolExitsWith4(t *testing.T) {
	t.Parallel()
	broken := runner(func(context.Context, streams, call) (conformance.Outcome, error) { panic("no such luck") })
	outcome, err := broken.runSafely(t.Context(), streams{}, call{})
	if outcome != conformance.SuiteFault || err == nil || !strings.Contains(err.Error(), "the suite is wrong: it panicked: no such luck\n") {
		t.Errorf("got %s, %v", outcome, err)
	}
}

// TestAFaultOfTheReferenceExitsWith4 plants one in the tool: history's repeats are reported one call late. No case
// accuses a port that is right of it, and the tool that tests itself takes the blame.
func TestAFaultOfTheReferenceExitsWith4(t *testing.T) {
	t.Parallel()
	long(t, "it builds a tool with a fault")
	planted := plantedTool(t, "reference/history/rules.go",
		"len(repeats) >= c.RepeatThreshold", "len(repeats) > c.RepeatThreshold")
	const aCase = "history-threshold-of-two"
	tests := []struct {
		reason string
		args   []string
		want   conformance.Outcome
		says   string
	}{
		{"the reference itself fails a case", []string{"--reference", "--case", aCase}, conformance.SuiteFault, "SUITE " + aCase},
		{"no case accuses a port that is right", []string{"--case", aCase, "--", builtTool, "serve"}, conformance.Conformant, "1 of 1"},
	}
	for _, test := range tests {
		out, got := ended(t, exec.Command(planted, append([]string{"test"}, test.args...)...))
		if got != test.want || !says(out, test.says) {
			t.Errorf("%s: got %s, want %s with %q in\n%s", test.reason, got, test.want, test.says, out)
		}
	}
}

// plantedTool builds the tool with one text of one of its files, named from the module's root, exchanged.
func plantedTool(t *testing.T, file, old, changed string) string {
	t.Helper()
	folder := t.TempDir()
	path := inModule(t, filepath.FromSlash(file))
	text := read(t, path)
	if strings.Count(text, old) != 1 {
		t.Fatalf("%s: want %q once", file, old)
	}
	write(t, folder, "planted.go", strings.Replace(text, old, changed, 1))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: filepath.Join(folder, "planted.go")}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "overlay.json", string(overlay))
	tool := filepath.Join(folder, "planted")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", filepath.Join(folder, "overlay.json"), "-o", tool, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the tool with a fault: %v\n%s", err, out)
	}
	return tool
}
