package main

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestARunIsBounded: a run ends where its flags say so, and tells how much it left open.
func TestARunIsBounded(t *testing.T) {
	long(t, "it waits for the bounds")
	t.Parallel()
	port := referencePort(t)
	try(t, t.TempDir(), []invocation{
		{"no time at all", port, []string{"test", "--for", "1ms"}, conformance.NotDecided, "--for 1ms is over"},
		{"more time than it takes", port, []string{"test", "--for", "1h", "--case", passingCase}, conformance.Conformant, "1 of 1 test passed"},
		{"not enough", port, []string{"test", "--for", "500ms", "--checks", "50000"}, conformance.NotDecided, "--for 500ms is over"},
	})
}
