package history_test

import (
	"testing"

	"pgregory.net/rapid"

	rules "github.com/loopstone/loopstone/reference/history"
)

func TestDetectorSaysWhatRulesSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { subject().SaysWhatRulesSay(t, rules.Rules()) })
}
