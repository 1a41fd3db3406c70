package cases

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopstone/loopstone/spec"
)

// TestOutputsForRalphAreShort: a port in a slow language compares them in time, by the textbook (PR-58).
func TestOutputsForRalphAreShort(t *testing.T) {
	t.Parallel()
	const most = 4000
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	longest := 0
	for _, c := range all {
		if c.Detector != spec.Ralph {
			continue
		}
		for _, step := range c.Steps {
			for _, event := range step.Observed() {
				text, _ := event.Get("text").Str()
				longest = max(longest, utf8.RuneCountInString(text))
			}
		}
	}
	if longest == 0 || longest > most {
		t.Errorf("the longest output has %d characters, want at most %d", longest, most)
	}
}

// TestLintFindsAnUncitedClause shows that a clause with the level MUST or SHOULD that no case cites is found: it leaves
// out the cases that cite one.
func TestLintFindsAnUncitedClause(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if err := Lint(all); err != nil {
		t.Fatalf("the suite itself:\n%v", err)
	}
	for clause, level := range map[string]string{
		"HI-14": "MUST", "FP-16": "MUST", "PR-3": "MUST", "HI-27": "MUST", "FP-22": "SHOULD",
	} {
		rest := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return slices.Contains(c.Clauses, clause) })
		if err := Lint(rest); err == nil || !strings.Contains(err.Error(), "no case cites "+clause+", which is a "+level) {
			t.Errorf("without the cases of %s, lint says %v", clause, err)
		}
	}
	cited := slices.Clone(all)
	cited[0].Clauses = []string{"SW-21"}
	if err := Lint(cited); err == nil || !strings.Contains(err.Error(), "a case cites SW-21, which is said to have none") {
		t.Errorf("with a case of SW-21, lint says %v", err)
	}
}

// TestLintFindsAClauseOfAnotherFeature: the label of a clause and what its cases need belong together.
func TestLintFindsAClauseOfAnotherFeature(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		clause, problem string
		feature         spec.Feature
	}{
		{"HI-27", "HI-27 names no feature, and each of its cases needs hashes", ""},
		{"HI-13", "HI-13 is about the feature evidence, which history-", spec.Evidence},
	} {
		clauses := slices.Clone(spec.Clauses())
		i := slices.IndexFunc(clauses, func(c spec.Clause) bool { return c.ID == test.clause })
		clauses[i].Feature = test.feature
		if err := LintClauses(all, clauses); err == nil || !strings.Contains(err.Error(), test.problem) {
			t.Errorf("lint says %v, want %s", err, test.problem)
		}
	}
}

// TestLintFindsCopies shows that a title and a reason that stand twice are found.
func TestLintFindsCopies(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	copied := slices.Clone(all)
	copied[1].Title, copied[1].Why = copied[0].Title, copied[0].Why
	err = Lint(copied)
	for _, want := range []string{"has the title of " + copied[0].ID, "gives the reason of " + copied[0].ID} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("lint says %v; want %q", err, want)
		}
	}
}
