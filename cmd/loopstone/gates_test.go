package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// The cases of these tests: one that the port consecutive.py fails, and one that it passes.
const (
	failingCase = "history-copies-need-not-be-consecutive"
	passingCase = "history-third-identical-call"
)

// inModule returns the absolute path of a file or folder of this module.
func inModule(t *testing.T, names ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", ".."}, names...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// kit returns the folder of the Python kit.
func kit(t *testing.T) string { return inModule(t, "conformance", "adapters", "python") }

// tool runs the tool in a folder of its own, and returns what it prints and its exit code.
func tool(t *testing.T, folder string, args ...string) (string, conformance.Outcome) {
	t.Helper()
	command := exec.Command(builtTool, args...)
	command.Dir = folder
	return ended(t, command)
}

// ended runs a command, and returns what it prints and its exit code.
func ended(t *testing.T, command *exec.Cmd) (string, conformance.Outcome) {
	t.Helper()
	out, err := command.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
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
	words = append(words, port...)
	out, outcome := dispatched(t.Context(), words)
	if tooBusy(words, out) {
		return dispatched(t.Context(), unhurried(words))
	}
	return out, outcome
}

// succeed calls the tool where all that follows needs what it writes.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	if out, outcome := run(t, "", nil, args...); outcome != conformance.Conformant {
		t.Fatalf("%q: %s:\n%s", args, outcome, out)
	}
}

// dispatched calls the tool within this process, with nothing on standard input.
func dispatched(ctx context.Context, words []string) (string, conformance.Outcome) {
	var out bytes.Buffer
	outcome := dispatch(ctx, streams{in: strings.NewReader(""), out: &out, err: &out}, words)
	return out.String(), outcome
}

// tooBusy reports whether the machine had no time for a port that answers as soon as it is let: none of those that the
// tests start within the usual limits keeps quiet.
func tooBusy(args []string, out string) bool {
	return !slices.Contains(args, "--start-timeout") && says(out, "no answer within")
}

// unhurried returns a command with limits that any machine keeps.
func unhurried(args []string) []string {
	return append([]string{args[0], "--timeout", "1h", "--start-timeout", "1h"}, args[1:]...)
}

// portOf returns the words that start a port of testdata/ports. It needs none of the packages that the machine has for
// Python: with -S they are not looked for, which on some machines takes longer than all that the port does.
func portOf(t *testing.T, name string) []string {
	t.Helper()
	return []string{
		"--", "env", "PYTHONPATH=" + kit(t), "PYTHONDONTWRITEBYTECODE=1", "python3", "-S",
		inModule(t, "cmd", "loopstone", "testdata", "ports", name),
	}
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

// invocation is a call of the tool, and what has to come of it.
type invocation struct {
	reason string
	port   []string // words after the flags
	args   []string
	want   conformance.Outcome
	says   string
}

// try makes one invocation after the other, in one folder.
func try(t *testing.T, folder string, invocations []invocation) {
	t.Helper()
	for _, each := range invocations {
		t.Run(each.reason, func(t *testing.T) {
			if out, got := run(t, folder, each.port, each.args...); got != each.want || !says(out, each.says) {
				t.Errorf("%q: got %s, want %s with %q in\n%s", each.args, got, each.want, each.says, out)
			}
		})
	}
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

// TestOneAfterTheOtherTheFirstFailureIsTheLast: no test is under way beside it that could fail, too.
func TestOneAfterTheOtherTheFirstFailureIsTheLast(t *testing.T) {
	t.Parallel()
	args := []string{"test", "-x", "--jobs", "1", "--no-properties", "--case", "history-*"}
	try(t, t.TempDir(), []invocation{{
		"a port with several faults", portOf(t, "consecutive.py"), args, conformance.NotConformant, "cases), 1 failed,",
	}})
}

func TestTheKnownFailuresThatTheToolWroteHold(t *testing.T) {
	t.Parallel()
	port := portOf(t, "consecutive.py")
	history := []string{"test", "--no-properties", "--detector", "history"}
	known := with(history, "--known", "@/known.yaml")
	try(t, t.TempDir(), []invocation{
		{"what fails is written", port, with(history, "--write-known", "@/known.yaml"), conformance.NotConformant, " entries"},
		{"and excused", port, with(known, "--write-known", "@/known.yaml"), conformance.Conformant, "known failures: "},
		{"in a port that has no such failures", referencePort(t), known, conformance.NotConformant, "delete the entry"},
	})
	one := []string{"test", "--case", failingCase + "," + passingCase}
	try(t, t.TempDir(), []invocation{
		{"the command says what it wrote", port, with(one, "--write-known", "@/one.yaml"), conformance.NotConformant, "one.yaml: 1 entry"},
		{
			"the last line says what is excused", port, with(one, "--known", "@/one.yaml"), conformance.Conformant,
			"conformant except for 1 known failure: 1 of 2 tests passed (2 cases), 1 known failure,",
		},
	})
}

// TestAReportThatCannotBeWrittenFailsTheRun shows that nothing half-written stays, and that other reports are written.
func TestAReportThatCannotBeWrittenFailsTheRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out, outcome := run(t, folder, referencePort(t), "test", "--case", passingCase,
		"--report", "junit=@/no/such/folder/out.xml", "--report", "jsonl=@/out.jsonl", "--statement", "@/no/such/folder/statement.jsonl")
	if outcome == conformance.Conformant || !strings.Contains(out, "no/such/folder/out.xml") || !strings.Contains(out, "no/such/folder/statement.jsonl") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 || entries[0].Name() != "out.jsonl" {
		t.Errorf("got %v, %v; want out.jsonl and nothing else", entries, err)
	}
}

// TestAPortThatDoesNotStartLeavesNoGreenReport: each report of the last run is replaced by one that says so.
func TestAPortThatDoesNotStartLeavesNoGreenReport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	want := map[string]string{
		"text": "ADAPTER the-adapter-starts", "jsonl": `"outcome":"adapter at fault"`,
		"junit":    `tests="1" failures="0" errors="1" skipped="0"`,
		"markdown": "## loopstone: adapter at fault", "github": "::error title=adapter at fault::", "badge": "adapter at fault",
	}
	args := []string{"test"}
	for format := range want {
		write(t, folder, format, "green")
		args = append(args, "--report", format+"=@/"+format)
	}
	out, outcome := run(t, folder, []string{"--", "./no-such-program"}, args...)
	if outcome != conformance.AdapterFault {
		t.Fatalf("got %s:\n%s", outcome, out)
	}
	for format, words := range want {
		text, err := os.ReadFile(filepath.Join(folder, format))
		if err != nil || !strings.Contains(string(text), words) || !strings.Contains(string(text)+"did not start", "did not start") {
			t.Errorf("%s lacks %q: %v\n%s", format, words, err, text)
		}
	}
}

// TestOneCount: cases, laws and tests are the same numbers wherever they stand.
func TestOneCount(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text, outcome := run(t, folder, referencePort(t), "test", "--detector", "history", "--checks", "5",
		"--report", "text", "--report", "jsonl=@/out.jsonl", "--report", "junit=@/out.xml", "--statement", "@/statement.jsonl")
	list, _ := run(t, folder, nil, "list", "detectors")
	m := regexp.MustCompile(`(?m)^history .* ([0-9]+) cases, ([0-9]+) laws, ([0-9]+) tests$`).FindStringSubmatch(list)
	if outcome != conformance.Conformant || m == nil {
		t.Fatalf("got %s\n%s\n%s", outcome, text, list)
	}
	want := map[string]string{
		"out.jsonl": `"counts":{"broken":0,"failed":0,"faulty":0,"known":0,"passed":` + m[3] + ",",
		"out.xml":   m[3] + " of " + m[3] + " tests passed (" + m[1] + " cases, " + m[2] + " laws)",
	}
	if !says(text, want["out.xml"]) || !says(text, "10 generated traces from seeds 1, ") {
		t.Errorf("want %q in\n%s", want["out.xml"], text)
	}
	want["statement.jsonl"] = `"selected":` + m[1] + ","
	for name, words := range want {
		if content, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(content), words) {
			t.Errorf("%s lacks %q: %v", name, words, err)
		}
	}
	verified, _ := run(t, folder, referencePort(t), "verify", "@/statement.jsonl")
	if !says(verified, want["out.xml"]) {
		t.Errorf("want %q in\n%s", want["out.xml"], verified)
	}
}
