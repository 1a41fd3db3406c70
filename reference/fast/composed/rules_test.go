package composed_test

import (
	"testing"

	"pgregory.net/rapid"

	rules "github.com/loopstone/loopstone/reference/composed"
)

func TestDetectorSaysWhatRulesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { subject().SaysWhatRulesSay(t, rules.Rules()) })
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
