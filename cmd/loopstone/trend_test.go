package main

import (
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTwoDaysAreCompared: the reports of two runs show what broke and, the other way round, what was fixed.
func TestTwoDaysAreCompared(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good, bad := filepath.Join(folder, "good.jsonl"), filepath.Join(folder, "bad.jsonl")
	port := portOf(t, "yes_no.py")
	for path, command := range map[string][]string{good: port, bad: append(port[:len(port):len(port)], "broken")} {
		if out, outcome := run(t, folder, command, "test", "--detector", "fingerprint", "--report",
			"jsonl="+path); outcome > 1 {
			t.Fatalf("%s:\n%s", outcome, out)
		}
	}
	try(t, folder, []invocation{
		{"a fault", nil, []string{"merge", "--trend", good, bad}, conformance.NotConformant, "FP-23 fingerprint-exact-"},
		{"its end", nil, []string{"merge", "--trend", bad, good}, conformance.Conformant, "fixed: "},
		{"the same run", nil, []string{"merge", "--trend", good, good}, conformance.Conformant, "100 % 100 %"},
	})
}
