package main

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestARunIsBounded: a run ends where its flags say so, and tells how much it left open.
func TestARunIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		words  []string
		want   conformance.Outcome
		says   string
	}{
		{"no time at all", []string{"--for", "1ms"}, conformance.NotDecided, "--for 1ms is over"},
		{"more time than it takes", []string{"--for", "1h", "--case", passingCase}, conformance.Conformant, "1 of 1 test passed"},
		{"not enough", []string{"--for", "500ms", "--checks", "50000"}, conformance.NotDecided, "--for 500ms is over"},
		{"less than no time", []string{"--for", "-1s"}, conformance.Usage, "want a duration above 0"},
		{"a statement of what was not asked", []string{"--for", "1h", "--statement", "s.json"}, conformance.Usage, "leave out one of"},
		{"traces without end", []string{"--checks", "1000000000"}, conformance.Usage, "want at most 100000"},
	} {
		out, outcome := tool(t, t.TempDir(), slices.Concat([]string{"test"}, test.words, referencePort(t))...)
		if outcome != test.want || !says(out, test.says) {
			t.Errorf("%s: got %s, want %s with %q in\n%s", test.reason, outcome, test.want, test.says, out)
		}
	}
}
