package spec_test

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// TestAFaultIsOneVisibleLine: a port chooses its words, and a message that repeats them stays a line.
func TestAFaultIsOneVisibleLine(t *testing.T) {
	t.Parallel()
	fault := &spec.Fault{Kind: spec.InvalidConfig, Field: "a\x1b[31m", Message: "no\n::error::x"}
	if got, want := fault.Error(), `invalid_config a\x1b[31m: no\n::error::x`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
