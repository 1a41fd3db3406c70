package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestFuzzWritesCasesThatProveTheFault: a fault that is found makes the run fail, and the case that is written passes on
// the reference and fails on the port.
func TestFuzzWritesCasesThatProveTheFault(t *testing.T) {
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	out, outcome := run(t, folder, port, "fuzz", "--for", "500ms", "--jobs", "2", "--out", "@/found")
	if outcome != conformance.NotConformant || !says(out, "DIFFERS history (code) agreement: the verdict is another") {
		t.Fatalf("got %s, want %s in\n%s", outcome, conformance.NotConformant, out)
	}
	written, err := filepath.Glob(filepath.Join(folder, "found", "history-found-*.yaml"))
	if err != nil || len(written) == 0 {
		t.Fatalf("found %v, %v, want case files:\n%s", written, err, out)
	}
	for _, judged := range []struct {
		port []string
		want conformance.Outcome
	}{{referencePort(t), conformance.Conformant}, {port, conformance.NotConformant}} {
		if out, outcome := run(t, folder, judged.port, "test", "--no-properties", "--cases", "@/found"); outcome != judged.want {
			t.Errorf("the written cases: got %s, want %s in\n%s", outcome, judged.want, out)
		}
	}
}

// TestFuzzComparesTwoPorts: with --against, the other port is the oracle, each worker's its own.
func TestFuzzComparesTwoPorts(t *testing.T) {
	t.Parallel()
	port := portOf(t, "consecutive.py")
	for _, judged := range []struct {
		against []string
		want    conformance.Outcome
	}{{port[1:], conformance.Conformant}, {referencePort(t)[1:], conformance.NotConformant}} {
		words := append(append([]string{}, port...), "--against")
		out, outcome := run(t, t.TempDir(), append(words, judged.against...), "fuzz", "--for", "500ms", "--jobs", "2")
		if outcome != judged.want {
			t.Errorf("against %v: got %s, want %s in\n%s", judged.against, outcome, judged.want, out)
		}
	}
}

// TestFuzzSaysWhichFolderCannotBeWritten: what was found must not be lost without a word.
func TestFuzzSaysWhichFolderCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "found"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, outcome := run(t, folder, portOf(t, "consecutive.py"), "fuzz", "--for", "500ms", "--out", "@/found")
	if outcome != conformance.NotDecided || !says(out, filepath.Join(folder, "found")) {
		t.Errorf("got %s, want %s and the folder's name in\n%s", outcome, conformance.NotDecided, out)
	}
}
