package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestWhatNobodyCanReadIsNoSuccess: a command whose output is lost says so, and ends with 2.
func TestWhatNobodyCanReadIsNoSuccess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "run.jsonl", `{"type":"message","role":"user","content":"hello"}`+"\n")
	if out, outcome := inShell(t, folder, `"$0" test --case `+passingCase+` --statement stated.jsonl`); outcome != conformance.Conformant {
		t.Fatal(out)
	}
	for _, words := range []string{
		"help", "test --help", "--version", "show HI-6", "list cases", "completion bash", "replay run.jsonl",
		"verify stated.jsonl", "test --case " + passingCase,
		"bench --time 1ms --count 1 --run guards",
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
