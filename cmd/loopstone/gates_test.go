package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// The cases of these tests: one that the port consecutive.py fails, and one that it passes.
const (
	failingCase = "history-copies-need-not-be-consecutive"
	passingCase = "history-third-identical-call"
)

// kit returns the folder of the Python kit.
func kit(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "conformance", "adapters", "python"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// tool runs the tool in a folder of its own, and returns what it prints and its exit code.
func tool(t *testing.T, folder string, args ...string) (string, conformance.Outcome) {
	t.Helper()
	self := builtTool
	command := exec.Command(self, args...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), conformance.Outcome(command.ProcessState.ExitCode())
}

// inFolder stands before the names of files that are to lie in the folder of a test.
const inFolder = "@/"

// run calls the tool within this process, which has read the suite already, and returns what it prints and its exit
// code.
func run(t *testing.T, folder string, port []string, args ...string) (string, conformance.Outcome) {
	t.Helper()
	var words []string
	for _, arg := range args {
		words = append(words, strings.ReplaceAll(arg, inFolder, folder+"/"))
	}
	var out bytes.Buffer
	outcome := dispatch(t.Context(), streams{strings.NewReader(""), &out, &out}, append(words, port...))
	return out.String(), outcome
}

// portOf returns the words that start a port of testdata/ports.
func portOf(t *testing.T, name string) []string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "ports", name))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--", "env", "PYTHONPATH=" + kit(t), "PYTHONDONTWRITEBYTECODE=1", "python3", path}
}

// referencePort returns the words that start the reference.
func referencePort(t *testing.T) []string {
	t.Helper()
	return []string{"--", builtTool, "serve"}
}

// says reports whether a report holds the words, wherever its lines are broken.
func says(out, words string) bool {
	return strings.Contains(strings.Join(strings.Fields(out), " "), words)
}

// write writes a file of a test's folder.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheKnownFailuresAreAGate(t *testing.T) {
	t.Parallel()
	const right = "known:\n  - case: " + failingCase + "\n    step: 3\n" +
		"    differs: [\"count: want 2, got 1\"]\n    reason: counts runs\n"
	tests := []struct {
		name, why, known, want string
		outcome                conformance.Outcome
	}{
		{"right", "a failure that is foretold is excused", right, "1 known failure", conformance.Conformant},
		{"empty", "a failure that is not foretold is one", "known: []\n", "FAILED " + failingCase, conformance.NotConformant},
		{"typo in a member", "a file that is misread excuses what nobody meant", strings.Replace(right, "differs:", "difers:", 1), "known.yaml:4:5: ", conformance.Usage},
		{"of before", "one member says nothing of a further fault beside it", strings.Replace(right, `differs: ["count: want 2, got 1"]`, "member: count", 1), "have the file written again, with its reasons", conformance.NotConformant},
		{"no reason", "an excuse is a reason", "known:\n  - case: " + failingCase + "\n", "reason", conformance.Usage},
		{"unmatched", "a case that does not exist cannot fail", strings.Replace(right, "copies", "kopies", 1), `"history-kopies-need-not-be-consecutive" matches no case`, conformance.NotConformant},
		{"stale", "what passes needs no excuse", right + "  - case: " + passingCase + "\n    reason: it was so\n", "passes now; delete the entry", conformance.NotConformant},
		{"changed step", "another failure is not the known one", strings.Replace(right, "step: 3", "step: 2", 1), "fails otherwise than the entry says", conformance.NotConformant},
		{"changed member", "another member is not the known one", strings.Replace(right, "count: want", "kind: want", 1), "fails otherwise than", conformance.NotConformant},
		{"changed value", "another value is not the known one", strings.Replace(right, "got 1", "got 0", 1), "count: want 2, got 1", conformance.NotConformant},
		{"expired", "a date is a promise", right + "    expires: \"2020-02-29\"\n", "expired on 2020-02-29", conformance.NotConformant},
		{"too broad", "a pattern over everything excuses what is broken tomorrow", "known:\n  - case: history-*\n    reason: all of it\n", "one entry excuses at most 20", conformance.NotConformant},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, "known.yaml", test.known)
			out, outcome := run(t, folder, portOf(t, "consecutive.py"),
				"test", "--case", failingCase+","+passingCase, "--known", "@/known.yaml")
			if outcome != test.outcome || !says(out, test.want) {
				t.Errorf("%s: got %s, want %s with %q in\n%s", test.why, outcome, test.outcome, test.want, out)
			}
		})
	}
}

func TestTheKnownFailuresThatTheToolWroteHold(t *testing.T) {
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	history := []string{"test", "--no-properties", "--detector", "history"}
	out, outcome := run(t, folder, port, append(history, "--write-known", "@/known.yaml")...)
	if outcome != conformance.NotConformant {
		t.Fatalf("got %s:\n%s", outcome, out)
	}
	known := append(history, "--known", "@/known.yaml")
	if out, outcome := run(t, folder, port, known...); outcome != conformance.Conformant {
		t.Errorf("got %s:\n%s", outcome, out)
	}
	out, outcome = run(t, folder, referencePort(t), known...) // which has no such failures
	if outcome != conformance.NotConformant || !says(out, "delete the entry") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
}

func TestStrictMakesSkipsCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		why     string
		args    []string
		outcome conformance.Outcome
	}{
		{"a skip is allowed where nobody forbids it", nil, conformance.Conformant},
		{"a strict run decides nothing where it did not look", []string{"--strict"}, conformance.NotDecided},
		{"an allowed feature may be missing", []string{"--strict", "--allow", "hashes"}, conformance.Conformant},
		{"another feature may not", []string{"--strict", "--allow", "evidence"}, conformance.NotDecided},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"test", "--case", passingCase + ",history-hash-integer"}, test.args...)
			out, outcome := run(t, t.TempDir(), portOf(t, "consecutive.py"), args...)
			if outcome != test.outcome {
				t.Errorf("%s: got %s, want %s:\n%s", test.why, outcome, test.outcome, out)
			}
		})
	}
}

func TestWhatChecksNothingIsNoPass(t *testing.T) {
	t.Parallel()
	tests := []struct {
		why, want string
		args      []string
		outcome   conformance.Outcome
	}{
		{"a case that does not exist", "matches nothing", []string{"--case", "history-thrid-*"}, conformance.Usage},
		{"a detector that does not exist", "matches nothing", []string{"--detector", "histroy"}, conformance.Usage},
		{"a reading that does not exist", "matches nothing", []string{"--reading", "poetic"}, conformance.Usage},
		{"a clause that does not exist", "matches nothing", []string{"--clause", "HI-999"}, conformance.Usage},
		{"a tag that does not exist", "matches nothing", []string{"--tag", "no-such-tag"}, conformance.Usage},
		{"a malformed pattern", "syntax error", []string{"--case", "[a"}, conformance.Usage},
		{"patterns that exclude one another", "none of them together", []string{"--detector", "ralph", "--clause", "HI-1"}, conformance.Usage},
		{"a shard of nothing", "is empty", []string{"--case", passingCase, "--shard", "2/2"}, conformance.Usage},
		{"a shard out of range", "the shard", []string{"--shard", "0/2"}, conformance.Usage},
		{"a detector that the port has not", "undecided", []string{"--detector", "ralph"}, conformance.NotDecided},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"test"}, test.args...)
			out, outcome := run(t, t.TempDir(), portOf(t, "consecutive.py"), args...)
			if outcome != test.outcome || !says(out, test.want) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, test.outcome, test.want, out)
			}
		})
	}
}

func TestMergeWantsEveryShardOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, i := range []string{"1", "2"} {
		out, outcome := run(t, folder, referencePort(t),
			"test", "--no-properties", "--shard", i+"/2", "--report", "jsonl=@/"+i+".jsonl")
		if outcome != conformance.Conformant {
			t.Fatalf("shard %s: %s\n%s", i, outcome, out)
		}
	}
	tests := []struct {
		why     string
		files   []string
		outcome conformance.Outcome
	}{
		{"all shards are the whole", []string{"@/1.jsonl", "@/2.jsonl"}, conformance.Conformant},
		{"their order does not matter", []string{"@/2.jsonl", "@/1.jsonl"}, conformance.Conformant},
		{"a missing shard may hide anything", []string{"@/2.jsonl"}, conformance.NotDecided},
		{"a case that two shards have was not shared", []string{"@/1.jsonl", "@/2.jsonl", "@/1.jsonl"}, conformance.NotDecided},
		{"half a report is none", []string{"@/half.jsonl", "@/2.jsonl"}, conformance.NotDecided},
		{"a file that is not there was not read", []string{"@/1.jsonl", "@/3.jsonl"}, conformance.NotDecided},
	}
	half, err := os.ReadFile(filepath.Join(folder, "1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, folder, "half.jsonl", string(half[:len(half)/2]))
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			out, outcome := run(t, folder, nil, append([]string{"merge"}, test.files...)...)
			if outcome != test.outcome {
				t.Errorf("got %s, want %s:\n%s", outcome, test.outcome, out)
			}
		})
	}
}

// TestAReportThatCannotBeWrittenFailsTheRun shows that nothing half-written stays, and that other reports are written.
func TestAReportThatCannotBeWrittenFailsTheRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out, outcome := run(t, folder, referencePort(t), "test", "--case", passingCase,
		"--report", "junit=@/no/such/folder/out.xml", "--report", "json=@/out.json", "--statement", "@/no/such/folder/statement.json")
	if outcome == conformance.Conformant || !strings.Contains(out, "no/such/folder/out.xml") || !strings.Contains(out, "no/such/folder/statement.json") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "out.json" {
		t.Errorf("got %v, %v; want out.json and nothing else", entries, err)
	}
}

// TestJUnitBearsWhatPortsPrint sends what XML cannot hold all the way from a port's verdicts and its stderr.
func TestJUnitBearsWhatPortsPrint(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	args := []string{
		"test", "--case", passingCase + ",history-alternating-calls",
		"--report", "junit=@/out.xml", "--report", "text", "--report", "github=@/out.github", "--verbose",
	}
	out, outcome := run(t, folder, portOf(t, "control.py"), args...)
	if outcome != conformance.NotConformant || !says(out, "the port's process died: exit status 3") {
		t.Fatalf("got %s:\n%s", outcome, out)
	}
	text, err := os.ReadFile(filepath.Join(folder, "out.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	}
	github, err := os.ReadFile(filepath.Join(folder, "out.github"))
	if err != nil {
		t.Fatal(err)
	}
	for name, printed := range map[string]string{"text": out, "junit": string(text), "github": string(github)} {
		if strings.ContainsAny(printed, "\x00\x07\x1b\x7f\ufffe") {
			t.Errorf("%s holds a control character:\n%q", name, printed)
		}
		if !strings.Contains(printed, "red") {
			t.Errorf("%s leaves the port's last words out:\n%s", name, printed)
		}
	}
}
