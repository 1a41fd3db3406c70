package history_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/detectortest"
	"github.com/loopstone/loopstone/reference/history"
)

func TestRulesPassTheSuite(t *testing.T) {
	t.Parallel()
	detectortest.CasesHold(t, history.Rules())
}

func TestDetectorSaysWhatRulesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { subject().SaysWhatRulesSay(t, history.Rules()) })
}
