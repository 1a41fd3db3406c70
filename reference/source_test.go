package reference_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestEveryClauseHasItsLine states that a reader who asks for a clause of a detector is shown code: a line that nobody
// marks would be missing in loopstone show and on the site. A note demands nothing, so no line carries it out.
func TestEveryClauseHasItsLine(t *testing.T) {
	t.Parallel()
	prefixes := map[string]bool{}
	for _, d := range spec.Detectors() {
		prefixes[d.Prefix] = true
	}
	for _, c := range spec.Clauses() {
		prefix, _, _ := strings.Cut(c.ID, "-")
		if prefixes[prefix] && c.Level != spec.Note && len(reference.Passages(c.ID)) == 0 {
			t.Errorf("no line of the reference carries %s: %s", c.ID, c.Text)
		}
	}
}

// TestClausesAreMarkedOneWay: at the end of a line of code, // HI-22; in a sentence in brackets, (HI-22).
func TestClausesAreMarkedOneWay(t *testing.T) {
	t.Parallel()
	another := regexp.MustCompile(`\[[A-Z]{2}-[0-9]+`)
	for _, c := range spec.Clauses() {
		for _, p := range reference.Passages(c.ID) {
			if mark := another.FindString(p.Code); mark != "" {
				t.Errorf("%s:%d: %s] is not how clauses are marked", p.File, p.Line, mark)
			}
		}
	}
}

func TestPassagesBeginWithTheRulesAndShowWholeBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		clause, file, first, last string
		reason                    string
	}{
		{"HI-21", "reference/history/rules.go", "// firstWord returns", "}", "a declaration comes with what is said of it"},
		{"HI-22", "reference/history/rules.go", "switch {", "}", "a switch comes with its cases"},
		{"HI-13", "reference/history/rules.go", "case len(repeats)", "\treturn", "a case comes with what it does"},
		{"HI-29", "reference/history/rules.go", "return remembered", "return remembered", "a statement is a line"},
	}
	for _, tt := range tests {
		found := reference.Passages(tt.clause)
		if len(found) == 0 {
			t.Errorf("%s: no passage of %s", tt.reason, tt.clause)
			continue
		}
		lines := strings.Split(strings.TrimSuffix(found[0].Code, "\n"), "\n")
		last := lines[len(lines)-1]
		if found[0].File != tt.file || !strings.HasPrefix(lines[0], tt.first) || !strings.HasPrefix(last, tt.last) {
			t.Errorf("%s: %s:%d\n%s", tt.reason, found[0].File, found[0].Line, found[0].Code)
		}
		if !slices.IsSortedFunc(found, func(a, b reference.Passage) int { return isOther(a) - isOther(b) }) {
			t.Errorf("%s: another file stands before the rules", tt.clause)
		}
	}
}

// isOther returns 1 for a passage that is not of the rules, else 0.
func isOther(p reference.Passage) int {
	if strings.Contains(p.File, "/rules") {
		return 0
	}
	return 1
}
