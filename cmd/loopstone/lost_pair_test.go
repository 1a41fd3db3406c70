package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestAPortLostOnceDecidesNoComparison: with --against, too, a death or a missing answer that no case repeats leaves the run
// undecided. The report says which of both ports it was, and keeps all other results; so does fuzz.
func TestAPortLostOnceDecidesNoComparison(t *testing.T) {
	long(t, "five runs that lose a port")
	t.Parallel()
	folder := t.TempDir()
	script := write(t, folder, "port.py", lostPort)
	port := func(how, memory string) []string {
		return []string{
			"env", "PYTHONPATH=" + kit(t), "PYTHONDONTWRITEBYTECODE=1", "python3", "-S", script, how,
			filepath.Join(folder, memory),
		}
	}
	for _, test := range []struct {
		reason   string
		old, now string // how each is lost
		says     string
	}{
		{"the old port dies", "die", "not", "of the old port: the adapter exited at session/"},
		{"the new port dies", "not", "die", "the adapter exited at session/"},
		{"the old port hangs", "sleep", "not", "of the old port: the adapter timed out at session/"},
		{"the new port hangs", "not", "sleep", "the adapter timed out at session/"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			memory := test.old + test.now
			words := slices.Concat(
				[]string{"--against"}, port(test.old, memory+"1"), []string{"--"}, port(test.now, memory+"2"))
			out, outcome := tool(t, folder, append([]string{
				"test", "--timeout", "2s", "--case", "history-c*,history-s*,history-t*,history-law*", "--checks", "10",
			}, words...)...)
			if outcome != conformance.NotDecided || !says(out, test.says) || says(out, "oracle") ||
				says(out, "of the old port") != (test.old != "not") ||
				!says(out, "a port died or hung 1 time, and no case shows why") {
				t.Errorf("got %s, want undecided with %q in\n%s", outcome, test.says, out)
			}
		})
	}
	t.Run("fuzz", func(t *testing.T) {
		t.Parallel()
		out, outcome := tool(t, folder, append([]string{
			"fuzz", "--for", "5s", "--jobs", "1", "--timeout", "1h", "--start-timeout", "1h", "--",
		}, port("die", "fuzzed")...)...)
		if outcome != conformance.NotDecided || !says(out, "LOST, and no trace alone shows why: the adapter exited") {
			t.Errorf("got %s, want undecided and the loss in\n%s", outcome, out)
		}
	})
}
