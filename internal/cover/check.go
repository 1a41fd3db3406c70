package cover

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/spec"
)

// Check returns what is wrong with the suite's citations, one problem a line: a case that cites a clause and does not
// come to it, and a clause with the level MUST that no case covers. A case covers a clause that it both cites and comes
// to, if it kills at least one mutant of that clause where any case does: what would pass with all of the clause's
// faults in place does not test it. The clauses of the protocol that are about lines are tested by exchanges, which are
// taken at their word.
func Check(suite []cases.Case, clauses []spec.Clause, observed Observed, measured *kills.List) error {
	cited, covered := map[string]bool{}, map[string]bool{}
	var problems []error
	for _, c := range suite {
		exercised := comesTo(c, observed[c.ID])
		for _, id := range c.Clauses {
			if c.Detector != cases.Protocol && !exercised[id] {
				problems = append(problems, unexercised(c, id))
				continue
			}
			cited[id] = true
			if measured.Clauses[id] == 0 || slices.Contains(measured.Cases[c.ID].Clauses, id) {
				covered[id] = true
			}
		}
	}
	for _, clause := range clauses {
		if clause.Level == spec.Must && !covered[clause.ID] {
			problems = append(problems, uncovered(clause, cited[clause.ID], measured.Clauses[clause.ID]))
		}
	}
	return errors.Join(problems...)
}

func uncovered(c spec.Clause, cited bool, mutants int) error {
	problem := "no case exercises " + c.ID
	if cited {
		problem = fmt.Sprintf("no case that exercises %s kills one of its %d mutants", c.ID, mutants)
	}
	return fmt.Errorf("clauses/%s:%d:1: %s, which is a MUST", c.File, c.Line, problem)
}

func unexercised(c cases.Case, id string) error {
	hint := "the reference did not apply it"
	if names := deedsOf(id); len(names) > 0 {
		hint += ", and it is no case that " + strings.Join(names, " or ")
	}
	return fmt.Errorf("%s: %s cites %s, but %s", c.Place, c.ID, id, hint)
}
