package fuzz

import (
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// TestAFaultIsNotShrunkToTwo shrinks a refused configuration whose other member must stay: it stays good, for of two
// faults a port may name either.
func TestAFaultIsNotShrunkToTwo(t *testing.T) {
	t.Parallel()
	subject := Subject{Trace: laws.Trace{
		Detector: spec.Fingerprint, Reading: spec.Text, Config: spec.MustParse(`{"threshold":-7,"fuzzy_threshold":12}`),
	}}
	got := shrink(subject, func() bool { return false }, func(s Subject) bool {
		threshold, _ := s.Config.Get("threshold").Int()
		return threshold < 1 && !s.Config.Get("threshold").IsAbsent() && !s.Config.Get("fuzzy_threshold").IsAbsent()
	})
	if want := spec.MustParse(`{"fuzzy_threshold":1,"threshold":0}`); !got.Config.Equal(want) {
		t.Errorf("got %s, want %s", got.Config, want)
	}
}
