package cases

import (
	"slices"
	"strings"
	"testing"
)

// TestLintFindsAnUncitedClause shows that a clause with the level MUST that no case cites is found: it leaves out the
// cases that cite one.
func TestLintFindsAnUncitedClause(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if err := Lint(all); err != nil {
		t.Fatalf("the suite itself:\n%v", err)
	}
	for _, clause := range []string{"HI-12", "FP-16", "PR-3"} {
		rest := slices.DeleteFunc(slices.Clone(all), func(c Case) bool { return slices.Contains(c.Clauses, clause) })
		if err := Lint(rest); err == nil || !strings.Contains(err.Error(), "no case cites "+clause+", which is a MUST") {
			t.Errorf("without the cases of %s, lint says %v", clause, err)
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
