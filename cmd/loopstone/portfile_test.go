package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
)

// portFolder returns a folder with a loopstone.yaml that names a port of testdata/ports, and says the rest too.
func portFolder(t *testing.T, port, rest string) string {
	t.Helper()
	folder := t.TempDir()
	var quoted []string
	for _, word := range portOf(t, port)[1:] {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	write(t, folder, "loopstone.yaml", "command: ["+strings.Join(quoted, ", ")+"]\n"+rest)
	return folder
}

// TestTheFileBesideAPortIsHeeded: each member has the effect of its flag, and a flag goes first.
func TestTheFileBesideAPortIsHeeded(t *testing.T) {
	long(t, "each command takes the port of a file")
	const few = "--case=" + failingCase + "," + passingCase
	const more = "--case=" + passingCase + ",history-hash-*" // of which the port can do one
	const known = "known:\n  - {case: " + failingCase + ", step: 3, differs: [\"count: want 2, got 1\"], reason: counts runs}\n"
	for _, test := range []struct {
		reason, file string
		args         []string
		want         conformance.Outcome
		says         string
	}{
		{"the command", "", []string{few}, conformance.NotConformant, "FAILED " + failingCase},
		{"a command of the call", "", []string{few, "--", builtTool, "serve"}, conformance.Conformant, "loopstone-reference"},
		{"known failures", "known: known.yaml", []string{few}, conformance.Conformant, "counts runs"},
		{"no known failures, by a flag", "known: known.yaml", []string{few, "--known="}, conformance.NotConformant, "FAILED"},
		{"a strict run", "strict: true", []string{more}, conformance.NotDecided, "--strict demands"},
		{"one that is not, by a flag", "strict: true", []string{more, "--strict=false"}, conformance.Conformant, "hashes"},
		{"what may be missing", "strict: true\nallow: [hashes, int-float]", []string{more}, conformance.Conformant, "hashes"},
		{"detectors", "detectors: [protocol]", []string{few}, conformance.Usage, "none of them together"},
		{
			"detectors and readings, of which the report says so", "detectors: [history]\nreadings: [code]",
			[]string{"--checks=1"},
			conformance.NotConformant, "cases: not selected for this run (detectors and readings of loopstone.yaml)",
		},
		{
			"detectors, by a flag", "detectors: [protocol]\nreadings: [code]",
			[]string{"--detector=history", "--checks=1"},
			conformance.NotConformant, "cases: not selected for this run (readings of loopstone.yaml)",
		},
		{"readings", "readings: [text]", []string{few}, conformance.Usage, "none of them together"},
		{"reports", "reports: [\"junit=out.xml\"]", []string{few}, conformance.NotConformant, ""},
		{"a list that there is not", "known: none.yaml", []string{few}, conformance.NotDecided, "loopstone.yaml:2:8: known: open none.yaml"},
		{"a member that there is not", "knwon: none.yaml", []string{few}, conformance.NotDecided, `loopstone.yaml:2:1: unknown member "knwon"; did you mean "known"?`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			folder := portFolder(t, "consecutive.py", test.file)
			write(t, folder, "known.yaml", known)
			t.Chdir(folder)
			out, outcome := run(t, "", nil, append([]string{"test"}, test.args...)...)
			if outcome != test.want || !says(out, test.says) {
				t.Errorf("%s, want %s and %q in\n%s", outcome, test.want, test.says, out)
			}
			if _, err := os.Stat(filepath.Join(folder, "out.xml")); strings.HasPrefix(test.file, "reports") && err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAPortIsTestedFromAFolderBelow: the file is found above, its paths start in its folder, those of flags here; the
// command that a failure names repeats it here.
func TestAPortIsTestedFromAFolderBelow(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "port.py", read(t, filepath.Join("testdata", "ports", "consecutive.py")))
	write(t, folder, "loopstone.yaml", fmt.Sprintf("command: [env, %q, %q, python3, ./port.py]\nreports: [text, \"junit=out.xml\"]\n",
		"PYTHONPATH="+kit(t), "PYTHONDONTWRITEBYTECODE=1"))
	below := filepath.Join(folder, "a", "b")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	out, outcome := tool(t, below, "test", "--case", failingCase+","+passingCase, "--write-known", "known.yaml")
	line := "again    loopstone test --case " + failingCase + " --reading code\n"
	if outcome != conformance.NotConformant || !strings.Contains(out, line) {
		t.Errorf("%s, want a line %q in\n%s", outcome, line, out)
	}
	for _, path := range []string{"out.xml", "a/b/known.yaml", portconfig.RecordFolder + "/last-failed.json"} {
		if _, err := os.Stat(filepath.Join(folder, path)); err != nil {
			t.Error(err)
		}
	}
	again, outcome := tool(t, below, "test", "--last-failed", "--report", "junit")
	if outcome != conformance.NotConformant || strings.Contains(again, passingCase) {
		t.Errorf("the record: %s:\n%s", outcome, again)
	}
	if out, outcome := tool(t, below, "test", "--report", "junit=../../loopstone.yaml"); outcome != conformance.Usage {
		t.Errorf("an output over the file above: %s:\n%s", outcome, out)
	}
}

// TestNoPortIsNoSuccess: without a port the tool says what to do, and judges nothing; a folder is no command.
func TestNoPortIsNoSuccess(t *testing.T) {
	t.Parallel()
	empty, port := t.TempDir(), portFolder(t, "consecutive.py", "")
	statement := filepath.Join(empty, "s.jsonl")
	succeed(t, "test", "--reference", "--case", passingCase, "--statement", statement)
	for _, args := range [][]string{
		{"test"}, {"test", "--list"}, {"fuzz"}, {"bench"}, {"check-adapter"}, {"check-shared"}, {"verify", statement},
	} {
		out, outcome := tool(t, empty, args...)
		if outcome != conformance.Usage || !says(out, "there is no loopstone.yaml here") || !says(out, "--reference") {
			t.Errorf("%q is %s:\n%s", args, outcome, out)
		}
	}
	for _, test := range []struct{ path, says string }{
		{port, "its loopstone.yaml names the port: run the command in that folder"},
		{empty, "is a folder without a loopstone.yaml"},
	} {
		if out, outcome := tool(t, "", "test", test.path); outcome != conformance.Usage || !says(out, test.says) {
			t.Errorf("%s is %s:\n%s", test.path, outcome, out)
		}
	}
	if out, outcome := tool(t, empty, "test", "--reference", "--", "port"); outcome != conformance.Usage {
		t.Errorf("the reference with a command is %s:\n%s", outcome, out)
	}
}

// TestOtherCommandsTakeTheSamePort: who judges a port by its file does not measure the reference in its place.
func TestOtherCommandsTakeTheSamePort(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "loopstone.yaml", "command: [no_such_program]\n")
	for _, args := range [][]string{{"check-adapter"}, {"fuzz", "--for", "1s"}, {"bench", "--count", "1"}} {
		if out, outcome := tool(t, folder, args...); outcome != conformance.AdapterFault {
			t.Errorf("%s is %s:\n%s", args, outcome, out)
		}
	}
}

// TestLastFailedAsksWhatFailed: a run of it asks the one case that failed; when it passes, the next asks all there are.
func TestLastFailedAsksWhatFailed(t *testing.T) {
	t.Parallel()
	folder := portFolder(t, "consecutive.py", "")
	if out, outcome := tool(t, folder, "test", "--case", failingCase+","+passingCase); outcome != conformance.NotConformant {
		t.Fatalf("it is %s:\n%s", outcome, out)
	}
	out, outcome := tool(t, folder, "test", "--last-failed", "--report", "jsonl")
	if outcome != conformance.NotConformant || !strings.Contains(out, failingCase) || strings.Contains(out, passingCase) {
		t.Errorf("it is %s:\n%s", outcome, out)
	}
	write(t, folder, "loopstone.yaml", fmt.Sprintf("command: [%q, serve]\n", builtTool))
	if out, outcome := tool(t, folder, "test", "--last-failed"); outcome != conformance.Conformant {
		t.Errorf("fixed, it is %s:\n%s", outcome, out)
	}
	out, _ = tool(t, folder, "test", "--last-failed", "--detector", "history", "--no-properties", "--report", "jsonl")
	if !says(out, "nothing is known that failed last; all cases are run") || !strings.Contains(out, passingCase) {
		t.Errorf("once nothing fails:\n%s", out)
	}
	if text := read(t, filepath.Join(folder, portconfig.RecordFolder, ".gitignore")); text != "*\n" {
		t.Errorf("the record belongs to a repository: %q", text)
	}
}

// TestARunWithoutAFileLeavesNothing: only who has asked for it, by a loopstone.yaml, has files written beside the port.
func TestARunWithoutAFileLeavesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	tool(t, folder, append([]string{"test", "--case", passingCase}, portOf(t, "consecutive.py")...)...)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	out, outcome := tool(t, folder, "test", "--last-failed")
	if outcome != conformance.Usage || !says(out, "which port? there is no loopstone.yaml") {
		t.Errorf("it is %s:\n%s", outcome, out)
	}
	out, outcome = tool(t, folder, "test", "--last-failed", "--reference")
	if outcome != conformance.Usage || !says(out, "--last-failed needs the port of loopstone.yaml") {
		t.Errorf("it is %s:\n%s", outcome, out)
	}
}

// TestWatchJudgesAgain: an edit is judged, and so is one that breaks the port and one that fixes it; an interruption ends
// the watch with the outcome of the last run.
func TestWatchJudgesAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	faulty := read(t, filepath.Join("testdata", "ports", "consecutive.py"))
	fixed := strings.Replace(faulty, "        if count >=", "        count = max(map(self.calls.count, self.calls))\n        if count >=", 1)
	write(t, folder, "port.py", faulty)
	write(t, folder, "loopstone.yaml", fmt.Sprintf(
		"command: [env, %q, %q, python3, port.py]\nreports: [text, \"junit=out.xml\"]\n", "PYTHONPATH="+kit(t), "PYTHONDONTWRITEBYTECODE=1"))
	command := exec.Command(builtTool, "test", "--watch", "--case", failingCase+","+passingCase)
	command.Dir = folder
	said, into := io.Pipe()
	command.Stdout, command.Stderr = into, into
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := page{t: t, reader: said}
	p.until("FAILED "+failingCase, "watching")
	write(t, folder, "port.py", "raise SystemExit(\"broken\")\n")
	p.until("again, since port.py changed", "broken", "watching")
	write(t, folder, "port.py", fixed)
	p.until("again, since port.py changed", "SINCE THE RUN BEFORE", "fixed: 1", failingCase+" (code)", "watching")
	write(t, folder, "loopstone.yaml", "command: port\n")
	p.until("again, since loopstone.yaml changed", "loopstone.yaml:1:10: want a list of words: [port]", "watching")
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	var exit *exec.ExitError
	if err := command.Wait(); !errors.As(err, &exit) || conformance.Outcome(exit.ExitCode()) != conformance.NotDecided {
		t.Errorf("it ended with %v", err)
	}
}

// page is what a process says that goes on.
type page struct {
	t      *testing.T
	reader io.Reader
}

// until reads until each of the words was said, one after the other. A process that never says one is ended by the limit
// of the whole test.
func (p page) until(words ...string) {
	p.t.Helper()
	var said bytes.Buffer
	one := make([]byte, 1)
	for _, word := range words {
		said.Reset()
		for !strings.HasSuffix(said.String(), word) {
			if _, err := p.reader.Read(one); err != nil {
				p.t.Fatalf("%v: it never said %q, but:\n%s", err, word, said.String())
			}
			said.Write(one)
		}
	}
}
