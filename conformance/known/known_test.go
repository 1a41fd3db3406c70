package known_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/known"
	"github.com/loopstone/loopstone/spec"
)

// counter is a detector of history that is wrong: it counts calls of one tool in a row, whatever their arguments, and
// its reset forgets nothing.
type counter struct {
	tool string
	run  []int
}

// Reset implements [spec.Detector].
func (c *counter) Reset() {}

// Observe implements [spec.Detector].
func (c *counter) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	if e.Tool != c.tool {
		c.tool, c.run = e.Tool, nil
	}
	c.run = append(c.run, e.Index)
	v := spec.Verdict{Count: len(c.run)}
	if v.Count >= 3 {
		v.Loop, v.Kind, v.Evidence = true, spec.KindRepeat, c.run
	}
	return v
}

// A port with one known failure is tested like any other: the failure is skipped, and every other fails the test.
func ExampleFailures() {
	newDetector := func() spec.Detector { return &counter{} }
	TestLoops := func(t *testing.T) { // in your package: func TestLoops(t *testing.T) {
		conformance.TestDetector(t, spec.History, newDetector, known.Failures("testdata/known.yaml"))
	}
	_ = TestLoops
}

// fileEnv gives the test below the file of known failures; without it, the test is skipped.
const fileEnv, strictEnv = "LOOPSTONE_KNOWN_FILE", "LOOPSTONE_KNOWN_STRICT"

// The cases of this test: the port fails the first and the law, and passes the last.
const wrongCase, law, rightCase = "history-copies-need-not-be-consecutive", "history-law-reset-is-fresh", "history-config-empty"

// TestPort is run by the test below, in a process of its own.
func TestPort(t *testing.T) {
	path := os.Getenv(fileEnv)
	if path == "" {
		t.Skip("another test runs it")
	}
	options := []conformance.TestOption{
		known.Failures(path), conformance.Only(cases.Selection{Cases: []string{wrongCase, law, rightCase}}),
	}
	if os.Getenv(strictEnv) != "" {
		options = append(options, conformance.Strict(spec.Snapshots, spec.State))
	}
	conformance.TestDetector(t, spec.History, func() spec.Detector { return &counter{} }, options...)
}

// entry returns one entry of a list.
func entry(id, rest string) string {
	return fmt.Sprintf("  - {case: %q, differs: [\"count: want 2, got 1\"], reason: why, %s}\n", id, rest)
}

func TestGoTestTakesKnownFailures(t *testing.T) {
	t.Parallel()
	ofCase := entry(wrongCase, "step: 3")
	ofLaw := `  - {case: history-law-*, step: 9, differs: [other, "on 3 of 9 traces, seed 1: 01"], reason: it forgets nothing}` + "\n"
	both := ofCase + ofLaw
	const never = `expires: "9999-01-01"`
	tests := []struct {
		name, why, list string
		passes          bool
		want            []string
	}{
		{"none", "what nobody knows of fails", "", false, []string{"--- FAIL: TestPort/history/" + wrongCase}},
		{"both", "what the list describes is skipped with its reason", both, true, []string{
			"--- SKIP: TestPort/history/" + wrongCase, "known failure: why", "--- SKIP: TestPort/history/" + law,
			"known failure: it forgets nothing", "1 of 3 tests passed, a score of 33 %; 2 known to fail",
		}},
		{"one", "any other failure fails the test", ofCase, false, []string{"--- FAIL: TestPort/history/" + law}},
		{"passes", "an entry must not outlive its failure", both + entry(rightCase, "step: 1"), false, []string{
			"--- FAIL: TestPort/known", "it passes now; delete the entry, or narrow it: " + rightCase,
		}},
		{"changed", "another failure is not the known one", entry(wrongCase, "step: 2") + ofLaw, false, []string{
			"it fails otherwise than the entry says", "--- FAIL: TestPort/history/" + wrongCase,
		}},
		{"expired", "a promise to look again is kept", entry(wrongCase, `step: 3, expires: "2020-01-01"`) + ofLaw, false, []string{
			"expired on 2020-01-01; look at the failure again",
		}},
		{"typo", "a misspelt id excuses nothing", both + entry("history-histroy", never), false, []string{
			`"history-histroy" matches no case; correct the pattern or delete the entry`,
		}},
		{
			"elsewhere", "the command checks more than go test",
			both + entry("crow-law-agreement", never) + entry("protocol-ids-are-ascii", never), true, nil,
		},
		{"strict", "nobody knows what a placeholder excuses", strings.Replace(both, "why", "not yet looked at", 1), false, []string{
			`"not yet looked at" is no reason in a strict run`,
		}},
		{"misread", "a file that cannot be read excuses nothing", "  - {}\n", false, []string{
			"known failures: the file is wrong:", `known.yaml:2:5: member "case" is missing`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, passed := runPort(t, test.list, test.name == "strict")
			if passed != test.passes {
				t.Errorf("%s: passed is %t", test.why, passed)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s: want %q in\n%s", test.why, want, out)
				}
			}
		})
	}
}

// runPort runs TestPort with a list, and returns what it prints and whether it passes.
func runPort(t *testing.T, list string, strict bool) (string, bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known.yaml")
	text := "known:\n" + list
	if list == "" {
		text = "known: []\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, "-test.run", "^TestPort$", "-test.v")
	command.Env = append(os.Environ(), fileEnv+"="+path, "GORACE=atexit_sleep_ms=0")
	if strict {
		command.Env = append(command.Env, strictEnv+"=1")
	}
	out, err := command.CombinedOutput()
	return string(out), err == nil
}
