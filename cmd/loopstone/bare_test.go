package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheAdapterInPseudoCodeIsWhole: what init --bare writes, followed line by line in three languages, passes the adapter
// check. The ports read what they declare, and which events there are, out of the page.
func TestTheAdapterInPseudoCodeIsWhole(t *testing.T) {
	long(t, "three languages, two runs each")
	t.Parallel()
	for _, port := range []struct{ file, command string }{
		{"port.pl", "perl port.pl"},
		{"port.mjs", "node port.mjs"},
		{"port.tcl", "tclsh port.tcl"},
	} {
		t.Run(port.file, func(t *testing.T) {
			t.Parallel()
			command := strings.Fields(port.command)
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not on this machine: %v", command[0], err)
			}
			folder := filepath.Join(t.TempDir(), "my_port")
			succeed(t, append([]string{"init", "--bare", folder, "--"}, command...)...)
			write(t, folder, port.file, read(t, filepath.Join("testdata", "bare", port.file)))
			out, outcome := tool(t, folder, "check-adapter")
			if outcome != conformance.Conformant || !strings.Contains(out, "conformant: ") {
				t.Errorf("%s:\n%s", outcome, out)
			}
			adapter := read(t, filepath.Join(folder, "adapter.txt"))
			write(t, folder, "adapter.txt", strings.Replace(adapter, "tool_call    tool: ", "tool_call    tool?: ", 1))
			const broken = "protocol-events-checked-whole"
			if out, outcome := tool(t, folder, "test", "--case", broken); outcome != conformance.AdapterFault || !says(out, "ADAPTER "+broken) {
				t.Errorf("with a page that does not demand a tool it is %s:\n%s", outcome, out)
			}
		})
	}
}

// TestFaultsInAnAdapterAreFound: an adapter made from the pseudo-code, with one fault, does not pass the adapter check.
func TestFaultsInAnAdapterAreFound(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	sound := read(t, filepath.Join("testdata", "bare", "port.mjs"))
	for i, test := range []struct{ reason, sound, fault string }{
		{"it answers notifications", `if (has(request, "id")) answer(`, "answer("},
		{"it exits before it is asked to", `request.method === "shutdown"`, `request.method === "session/close"`},
		{"it opens a session twice", "sessions.has(name) || ", ""},
		{"it keeps closed sessions", "sessions.delete(name);", ""},
		{"it reads NaN as JSON", ".decode(bytes))", `.decode(bytes).replace("NaN", "0"))`},
		{"it skips white space that is not JSON's", "b === 13", "b === 13 || b === 11"},
		{"it checks no events", "if (field) return", "if (false) return"},
		{"it refuses without a kind", `message: "refused", data }`, `message: "refused", data: {} }`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && i > 0 { // 47 processes each
				t.Skip("make long plants the other faults; the tests of conformance have an adapter for each")
			}
			if strings.Count(sound, test.sound) != 1 {
				t.Fatalf("%q does not stand once in the adapter:\n%s", test.sound, sound)
			}
			command := []string{"--", "node", "port.mjs"}
			folder := filepath.Join(t.TempDir(), "my_port")
			succeed(t, append([]string{"init", "--bare", folder}, command...)...)
			write(t, folder, "port.mjs", strings.Replace(sound, test.sound, test.fault, 1))
			if out, outcome := tool(t, folder, "check-adapter"); outcome != conformance.AdapterFault {
				t.Errorf("got %s, want %s:\n%s", outcome, conformance.AdapterFault, out)
			}
		})
	}
}

// TestInitBareWritesWhatItReads: words that readers of YAML take for something else are quoted, and bytes that are no
// text are refused.
func TestInitBareWritesWhatItReads(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "port")
	succeed(t, "init", "--bare", folder, "--", "perl", "x.pl", "yes", "no", "true", "null", "1", "~", "012")
	if out, outcome := inShell(t, folder, `"$0" test --list`); outcome != conformance.AdapterFault ||
		strings.Contains(out, "YAML") {
		t.Errorf("the settings that init wrote: %s\n%s", outcome, out)
	}
	if out, outcome := inShell(t, folder, `"$0" init --bare again -- perl "$(printf '\377')"; exit $?`); outcome != conformance.Usage ||
		!strings.Contains(out, "is not UTF-8") {
		t.Errorf("a word that is not UTF-8: %s\n%s", outcome, out)
	}
}
