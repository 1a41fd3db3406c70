package composed_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/reference/composed"
	"pgregory.net/rapid"
)

// TestPatternsAreRegularExpressions: an asterisk is what .* is, line breaks included.
func TestPatternsAreRegularExpressions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab*]{1,6}`).Draw(t, "pattern")
		name := rapid.StringMatching(`[ab*\n]{0,8}`).Draw(t, "name")
		whole := regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + `$`)
		if got, want := composed.ToolPattern(pattern).Matches(name), whole.MatchString(name); got != want {
			t.Errorf("%q matches %q: %t, want %t", pattern, name, got, want)
		}
	})
}
