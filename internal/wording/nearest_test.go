package wording_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/wording"
)

func TestHint(t *testing.T) {
	t.Parallel()
	detectors := []string{"fingerprint", "signature", "history", "crow", "swarm", "ralph", "guards"}
	for _, test := range []struct {
		reason, typed string
		names         []string
		want          string
	}{
		{"two neighbours swapped", "histroy", detectors, `did you mean "history"?`},
		{"a character too many", "crrow", detectors, `did you mean "crow"?`},
		{"a character missing", "sigature", detectors, `did you mean "signature"?`},
		{"a character replaced, and another case", "Fingerprimt", detectors, `did you mean "fingerprint"?`},
		{"a plural", "snapshots", []string{"state", "snapshot"}, `did you mean "snapshot"?`},
		{"a short name bears one edit only", "cow", []string{"ab", "crow", "cows"}, `did you mean "crow"?`},
		{"a detector with its reading", "crow/code", detectors, `did you mean "crow"?`},
		{"a detector with its reading, as score takes it", "history:text", detectors, `did you mean "history"?`},
		{"nothing alike", "python", []string{"text", "code"}, "there are text, code"},
		{"nothing typed", "", []string{"text", "code"}, "there are text, code"},
		{"nothing there", "text", nil, "there are none"},
	} {
		if got := wording.Hint(test.typed, test.names); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestOneEditIsAlwaysForgiven swaps, drops or doubles a character of a name that stands among others.
func TestOneEditIsAlwaysForgiven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := []rune(rapid.StringMatching("[a-m大小é]{4,12}").Draw(t, "name"))
		i := rapid.IntRange(0, len(name)-2).Draw(t, "at")
		typed := append([]rune{}, name...)
		switch rapid.IntRange(0, 2).Draw(t, "edit") {
		case 0:
			typed[i], typed[i+1] = typed[i+1], typed[i]
		case 1:
			typed = append(typed[:i], typed[i+1:]...)
		case 2:
			typed = append(typed[:i+1], name[i:]...)
		}
		others := []string{"nnnnnnnnnnnnnn", "", string(name), "zz"}
		if got, ok := wording.Nearest(string(typed), others); !ok || got != string(name) {
			t.Fatalf("%q: got %q, %t", string(typed), got, ok)
		}
	})
}
