package main

import (
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
			if out, outcome := inShell(t, folder, `"$0" `+words+" > /dev/full; exit $?"); outcome != conformance.NotDecided {
				t.Errorf("%s > /dev/full: got %s\n%s", words, outcome, out)
			}
			if out, outcome := inShell(t, folder, `"$0" `+words+" > /dev/null; exit $?"); outcome != conformance.Conformant {
				t.Errorf("%s > /dev/null: got %s\n%s", words, outcome, out)
			}
		})
	}
}
