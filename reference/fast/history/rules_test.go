package history_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/history"
	rules "github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

var byRules, byTwin = detectortest.Twins(spec.History, rules.New, history.New)

func TestDetectorSaysWhatRulesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { subject().SaysWhatRulesSay(t, byRules) })
}
