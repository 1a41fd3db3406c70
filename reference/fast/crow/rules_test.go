package crow_test

import (
	"context"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/reference/fast/crow"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

var byRules, byTwin = detectortest.Twins(spec.Crow, rules.New, crow.New)

func TestDetectorGivesTheVerdictsOfTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSettings(t)
		detector, rules := open(t, s), openPort(t, byRules, s)
		for range rapid.IntRange(1, 3).Draw(t, "traces") {
			trace := drawTrace(t)
			check(t, "detector", observe(t, detector, trace), observe(t, rules, trace))
			reset(t, detector)
			reset(t, rules)
		}
	})
}

func reset(t *rapid.T, s spec.Session) {
	if err := s.Reset(context.Background()); err != nil {
		t.Fatalf("reset: %v", err)
	}
}

// check fails where two lists of verdicts differ.
func check(t *rapid.T, what string, got, want []spec.Value) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d verdicts, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !got[i].Equal(want[i]) {
			t.Fatalf("%s: verdict %d is %s, want %s", what, i, got[i], want[i])
		}
	}
}
