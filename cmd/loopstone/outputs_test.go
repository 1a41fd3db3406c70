//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// A reader that went away, as head does, does not cost the reports that go elsewhere.
func TestABrokenPipeLeavesTheOtherReports(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out.jsonl")
	command := exec.Command(builtTool, "test", "--reference", "--no-properties", "--detector", "history",
		"--report", "junit", "--report", "jsonl="+path)
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
	if code := command.ProcessState.ExitCode(); code != 128+int(syscall.SIGPIPE) || said.String() != "" {
		t.Errorf("exit code %d, and on standard error %q", code, said.String())
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte(passingCase)) {
		t.Errorf("the other report: %v, %d bytes", err, len(text))
	}
}

// A machine that has no files to spare accuses no adapter.
func TestAMachineWithoutFilesAccusesNobody(t *testing.T) {
	t.Parallel()
	const script = `exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- && ulimit -n 9 && exec "$0" test --reference --no-properties`
	said, outcome := ended(t, exec.Command("sh", "-c", script, builtTool)) // without files of who runs the test
	if outcome != conformance.NotDecided || !strings.Contains(said, "no more open files") {
		t.Errorf("%s, want %s:\n%s", outcome, conformance.NotDecided, said)
	}
}

// TestInputsAreOfABearableSize: a list of known failures of 20 MB is refused.
func TestInputsAreOfABearableSize(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "large.yaml", strings.Repeat("#", 20<<20))
	try(t, folder, []invocation{
		{"known failures", nil, []string{"test", "--reference", "--known", "@/large.yaml"}, conformance.NotDecided, "MB"},
		{"cases", nil, []string{"test", "--reference", "--cases", "@/"}, conformance.SuiteFault, "MB"},
	})
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

// TestAFullDiskIsNobodysFault: what cannot be written whole is not left in part. A file of more than a kilobyte stands
// for the disk that is full.
func TestAFullDiskIsNobodysFault(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"init", "python"}, {"export"}, {"man"}} {
		folder := filepath.Join(t.TempDir(), "out")
		command := exec.Command("bash", append([]string{"-c", `ulimit -f 1 && exec "$0" "$@"`, builtTool}, append(args, folder)...)...)
		said, outcome := ended(t, command)
		if outcome != conformance.NotDecided || !strings.Contains(said, "file too large") {
			t.Errorf("%s: %s, want %s:\n%s", args, outcome, conformance.NotDecided, said)
		}
		err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && !entry.IsDir() {
				t.Errorf("%s left %s", args, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestStandardOutputThatIsFullIsNobodysFault looks at each list, some of which are written in two pieces.
func TestStandardOutputThatIsFullIsNobodysFault(t *testing.T) {
	t.Parallel()
	for _, name := range listNames() {
		said, outcome := ended(t, exec.Command("sh", "-c", `exec "$0" list "$1" > /dev/full`, builtTool, name))
		if outcome != conformance.NotDecided || !strings.Contains(said, "no space left") {
			t.Errorf("list %s: %s, want %s:\n%s", name, outcome, conformance.NotDecided, said)
		}
	}
}
