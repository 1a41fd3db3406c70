//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
)

// A reader that went away, as head does, does not cost the reports that go elsewhere.
func TestABrokenPipeLeavesTheOtherReports(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	command := exec.Command(builtTool, "test", "--no-properties", "--report", "tap", "--report", "jsonl="+path)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout = writer
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	reader.Close()
	_ = command.Wait() // the exit code is looked at
	if code := command.ProcessState.ExitCode(); code != int(conformance.NotDecided) || !strings.Contains(said.String(), "broken pipe") {
		t.Errorf("exit code %d, and on standard error %q", code, said.String())
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte(passingCase)) {
		t.Errorf("the other report: %v, %d bytes", err, len(text))
	}
}

// A machine that has no files to spare accuses no adapter.
func TestAMachineWithoutFilesAccusesNobody(t *testing.T) {
	t.Parallel()
	said, outcome := ended(t, exec.Command("sh", "-c", `ulimit -n 9 && exec "$0" test --no-properties`, builtTool))
	if outcome != conformance.NotDecided || !strings.Contains(said, "no more open files") {
		t.Errorf("%s, want %s:\n%s", outcome, conformance.NotDecided, said)
	}
}

// A list of known failures that comes from a pipe without a writer swallows no signal, and one of 20 MB is refused.
func TestInputsAreRegularAndOfABearableSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe, large := filepath.Join(folder, "pipe"), filepath.Join(folder, "large.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, bytes.Repeat([]byte("#"), 20<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"test", "--known", large}, {"test", "--cases", folder}} {
		out, outcome := run(t, folder, nil, args...)
		if outcome == conformance.Conformant || !strings.Contains(out, "MB") {
			t.Errorf("%v: got %s: %s", args, outcome, out)
		}
	}
	if code, said := interrupted(t, syscall.SIGTERM, "test", "--known", pipe); code != int(conformance.NotDecided) {
		t.Errorf("a pipe without a writer: exit code %d, want %d:\n%s", code, conformance.NotDecided, said)
	}
}

// interrupted runs the tool, sends it a signal, and returns its exit code and all that it prints. A tool that has not come
// to listen to signals yet is given longer: the machine may be busy.
func interrupted(t *testing.T, signal syscall.Signal, args ...string) (code int, said string) {
	t.Helper()
	for within := time.Second; within < 5*time.Minute; within *= 4 {
		command := exec.Command(builtTool, args...)
		var out bytes.Buffer
		command.Stdout, command.Stderr = &out, &out
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(within)
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // the exit code is looked at
		code, said = command.ProcessState.ExitCode(), out.String()
		if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			break
		}
	}
	return code, said
}

// TestColour: always colours what goes into a pipe, never and the default do not; a file has no colours.
func TestColour(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]bool{"always": true, "never": false, "auto": false} {
		path := filepath.Join(t.TempDir(), "report.txt")
		out, outcome := run(t, "", referencePort(t), "test", "--no-properties", "--case", passingCase, "--color", mode,
			"--report", "text", "--report", "text="+path)
		if got := strings.Contains(out, "\x1b["); got != want || outcome != conformance.Conformant {
			t.Errorf("--color %s: coloured is %t, %s:\n%s", mode, got, outcome, out)
		}
		if text := read(t, path); text == "" || strings.Contains(text, "\x1b[") {
			t.Errorf("the file holds colours:\n%s", text)
		}
	}
}
