package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestWhatNobodyCanReadIsNoSuccess: a command whose output is lost says so, and ends with 2.
func TestWhatNobodyCanReadIsNoSuccess(t *testing.T) {
	long(t, "twenty commands")
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "run.jsonl", `{"type":"message","role":"user","content":"hello"}`+"\n")
	if out, outcome := inShell(t, folder, `"$0" test --reference --case `+passingCase+` --statement stated.jsonl`); outcome != conformance.Conformant {
		t.Fatal(out)
	}
	for _, words := range []string{
		"help", "test --help", "--version", "show HI-6", "list cases", "completion bash", "replay run.jsonl",
		"verify stated.jsonl --reference", "test --reference --case " + passingCase,
		"bench --reference --time 1ms --count 1 --run guards",
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			for _, redirection := range []string{">&-", "> /dev/full"} {
				if out, outcome := inShell(t, folder, `"$0" `+words+" "+redirection+"; exit $?"); outcome != conformance.NotDecided {
					t.Errorf("%s %s: got %s\n%s", words, redirection, outcome, out)
				}
			}
			if out, outcome := inShell(t, folder, `"$0" `+words+" > /dev/null; exit $?"); outcome != conformance.Conformant {
				t.Errorf("%s > /dev/null: got %s\n%s", words, outcome, out)
			}
		})
	}
}

// TestAFaultOutlivesItsReport: that a failure cannot be printed does not make it open.
func TestAFaultOutlivesItsReport(t *testing.T) {
	t.Parallel()
	folder := starterFolder(t)
	const history = "test --case history-window-of-one" // which the starter fails
	for _, words := range []string{history, history + ` --against "$0" serve -- python3 my_port.py`} {
		if out, outcome := inShell(t, folder, `"$0" `+words+" > /dev/full; exit $?"); outcome != conformance.NotConformant {
			t.Errorf("%s: got %s\n%s", words, outcome, out)
		}
	}
}

// TestNullOnPurposeIsNoClosedOutput: Python passes /dev/null, open for reading and writing, where nobody wants the output.
func TestNullOnPurposeIsNoClosedOutput(t *testing.T) {
	t.Parallel()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, words := range [][]string{{builtTool, "help"}, {"sh", "-c", `"$0" help; exit $?`, builtTool}} {
		command := exec.Command(words[0], words[1:]...)
		command.Stdout = null
		if err := command.Run(); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// TestTooFewAddressesAreTold: one line, and no state of Go's runtime. With half of these, Go at times ends before main.
func TestTooFewAddressesAreTold(t *testing.T) {
	t.Parallel()
	said, outcome := inShell(t, t.TempDir(), `ulimit -v 1500000; exec "$0" list cases`)
	if outcome != conformance.NotDecided || strings.Count(said, "\n") != 1 || !strings.Contains(said, "(ulimit -v)") {
		t.Errorf("%s, want %s and one line:\n%s", outcome, conformance.NotDecided, said)
	}
	said, outcome = inShell(t, t.TempDir(), `ulimit -v 4194304; exec "$0" list cases`)
	if outcome != conformance.Conformant {
		t.Errorf("with enough of them: %s:\n%.500s", outcome, said)
	}
}

// TestAReaderThatGoesIsNoError: the pipe's other end is closed when the first line was read.
func TestAReaderThatGoesIsNoError(t *testing.T) {
	t.Parallel()
	said, outcome := inShell(t, t.TempDir(), `{ "$0" list cases; echo "exit code $?" >&2; } | head -n 1 > /dev/null; sleep 0.1`)
	if outcome != conformance.Conformant || strings.TrimSpace(said) != "exit code 141" {
		t.Errorf("want nothing but the exit code 141:\n%s", said)
	}
}
