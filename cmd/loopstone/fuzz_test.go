package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
)

// hunt runs loopstone fuzz for half a second, and for longer until the outcome is the one that is wanted. The ports start
// and answer when the machine gets to it: by the usual limits, four interpreters at once came too late at a load of ten.
func hunt(t *testing.T, folder string, port []string, want conformance.Outcome, flags ...string) (out string, outcome conformance.Outcome) {
	t.Helper()
	for within := 500 * time.Millisecond; within < 5*time.Minute; within *= 4 {
		args := append([]string{"fuzz", "--for", within.String(), "--start-timeout", "1h", "--timeout", "1h"}, flags...)
		if out, outcome = run(t, folder, port, args...); outcome == want {
			break
		}
	}
	return out, outcome
}

// TestFuzzWritesCasesThatProveTheFault: a fault that is found makes the run fail, and the case that is written passes on
// the reference and fails on the port.
func TestFuzzWritesCasesThatProveTheFault(t *testing.T) {
	long(t, "it searches")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	out, outcome := hunt(t, folder, port, conformance.NotConformant, "--jobs", "2", "--out", "@/found")
	if outcome != conformance.NotConformant || !says(out, "DIFFERS history (code) agreement: the verdict differs") {
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

// TestFuzzWritesCasesOfProfiles: they can be read again, pass on the profile, and fail on the port.
func TestFuzzWritesCasesOfProfiles(t *testing.T) {
	long(t, "it searches")
	t.Parallel()
	folder, right := t.TempDir(), []string{"--", builtTool, "serve", "--profile", "@roo"}
	script := `"$0" serve --profile @roo | stdbuf -oL sed 's/"loop":true[^}]*/"loop":false/g'`
	wrong := []string{"--", "sh", "-c", script, builtTool}
	out, outcome := hunt(t, folder, wrong, conformance.NotConformant, "--jobs", "1", "--out", "@/found")
	if outcome != conformance.NotConformant || !says(out, "found/@roo-found-") {
		t.Fatalf("got %s, want %s and a case of @roo in\n%s", outcome, conformance.NotConformant, out)
	}
	try(t, folder, []invocation{
		{"the form", nil, []string{"lint", "@/found"}, conformance.Conformant, "nothing to say"},
		{"the profile", right, []string{"test", "--no-properties", "--cases", "@/found"}, conformance.Conformant, "passed"},
		{"the port", wrong, []string{"test", "--no-properties", "--cases", "@/found", "--case", "@roo-found-*"}, conformance.NotConformant, "@roo-found-"},
	})
}

// TestFuzzSaysWhichOfTwoPortsIsRight: as test --against does, in the finding, in the summary and in the exit code; the case
// that is written is right on the reference.
func TestFuzzSaysWhichOfTwoPortsIsRight(t *testing.T) {
	long(t, "four searches over two ports")
	t.Parallel()
	wrong, right, own := portOf(t, "consecutive.py")[1:], referencePort(t)[1:], portOf(t, "stuck.py")[1:]
	for _, test := range []struct {
		reason   string
		old, now []string
		outcome  conformance.Outcome
		want     []string
		isRight  bool
	}{
		{"a repair", wrong, right, conformance.Improved, []string{"FIXED history (code) agreement: ", " reference {", " fixed, 0 broken"}, true},
		{"a regression", right, wrong, conformance.NotConformant, []string{"BROKEN history (code) agreement: ", " reference {", " 0 fixed, "}, true},
		{"no change", wrong, wrong, conformance.Conformant, []string{" 0 findings "}, false},
		{"a detector of its own", own, with(own, "later"), conformance.NotConformant, []string{"DIFFERS stuck (own) agreement: ", ", 1 not specified"}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			words := slices.Concat([]string{"--against"}, test.old, []string{"--"}, test.now)
			out, outcome := hunt(t, folder, words, test.outcome, "--jobs", "2", "--out", "@/found")
			for _, want := range test.want {
				if !says(out, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if outcome != test.outcome || says(out, "want {") {
				t.Errorf("got %s, want %s, and nobody called right who is not, in\n%s", outcome, test.outcome, out)
			}
			if !test.isRight {
				return
			}
			if out, outcome := run(t, folder, referencePort(t), "test", "--no-properties", "--cases", "@/found"); outcome != conformance.Conformant {
				t.Errorf("the written cases are %s on the reference:\n%s", outcome, out)
			}
		})
	}
}

// TestFuzzFindsKnownFailuresNotAgain: a list that names the cases that were found makes the next hunt look for others.
func TestFuzzFindsKnownFailuresNotAgain(t *testing.T) {
	long(t, "it searches twice")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "stuck.py")
	port = append(append(append([]string{"--against"}, port[1:]...), port...), "later")
	out, outcome := hunt(t, folder, port, conformance.NotConformant, "--jobs", "1", "--out", "@/found")
	if !says(out, "- id: stuck-found-") || !says(out, "not written: no case file can be about stuck") {
		t.Fatalf("%s:\n%s", outcome, out)
	}
	if found, err := os.ReadDir(filepath.Join(folder, "found")); err != nil || len(found) > 0 {
		t.Errorf("%v, %v, want no file that test --cases cannot read", found, err)
	}
	write(t, folder, "known.yaml", "known:\n  - case: stuck-found-*\n    reason: it shall be later\n")
	out, outcome = hunt(t, folder, port, conformance.Conformant, "--jobs", "1", "--known", "@/known.yaml")
	if outcome != conformance.Conformant || !says(out, "known failures that were met again: ") || says(out, "again: 0") {
		t.Errorf("got %s, want %s in\n%s", outcome, conformance.Conformant, out)
	}
}

// TestFuzzHoldsSettingsFixed: every session has the configuration, and so has the case that is found; one that no
// detector takes is refused.
func TestFuzzHoldsSettingsFixed(t *testing.T) {
	long(t, "it searches")
	t.Parallel()
	port := portOf(t, "consecutive.py")
	out, outcome := hunt(t, t.TempDir(), port, conformance.NotConformant, "--jobs", "1", "--config", `{"repeat_threshold":4}`)
	if outcome != conformance.NotConformant || strings.Count(out, "config:") != strings.Count(out, "config: {repeat_threshold: 4}") {
		t.Errorf("got %s, want every case with that configuration in\n%s", outcome, out)
	}
	for config, want := range map[string]conformance.Outcome{`{"threshold":4}`: conformance.Usage, "4": conformance.NotDecided} {
		if out, outcome := run(t, t.TempDir(), port, "fuzz", "--for", "1ms", "--config", config); outcome != want {
			t.Errorf("--config %s: got %s, want %s in\n%s", config, outcome, want, out)
		}
	}
}

// TestAnInterruptedSearchKeepsItsFindings: what was found by then is the port's fault, whatever further traces would show.
func TestAnInterruptedSearchKeepsItsFindings(t *testing.T) {
	long(t, "it searches for seconds")
	t.Parallel()
	wrong := portOf(t, "consecutive.py")
	for within := 2 * time.Second; within < 5*time.Minute; within *= 4 { // the machine may be busy
		command := exec.Command(builtTool, slices.Concat([]string{"fuzz", "--for", "1h", "--jobs", "2", "--timeout", "1h"}, wrong)...)
		var said bytes.Buffer
		command.Stdout, command.Stderr = &said, &said
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(within)
		if err := command.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // the exit code is looked at
		code := conformance.Outcome(command.ProcessState.ExitCode())
		found := strings.Contains(said.String(), "DIFFERS history")
		if found && (code != conformance.NotConformant || !strings.Contains(said.String(), "signal received): after ")) ||
			!found && code != conformance.NotDecided {
			t.Fatalf("exit code %d with findings: %t:\n%s", code, found, said.String())
		}
		if found {
			return
		}
	}
	t.Error("nothing is found")
}
