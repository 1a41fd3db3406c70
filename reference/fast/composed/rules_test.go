package composed_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

var byRules, byTwin = detectortest.Twins(spec.Composed, rules.New, composed.New)

func TestDetectorSaysWhatRulesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { subject().SaysWhatRulesSay(t, byRules) })
}

func TestBatchesMayBeSplitAnywhereAndSessionsInterleaved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().BatchesMayBeSplit)
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().ResetIsAFreshSession)
}

func TestRestoredGoesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().RestoredGoesOn)
}
