package cover

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Check returns what is wrong with the suite's citations, one problem a line: a case that cites a clause and does not
// come to it, and a clause with the level MUST that no case both cites and comes to. The clauses of the protocol that
// are about lines are tested by exchanges, which are taken at their word.
func Check(suite []cases.Case, clauses []spec.Clause, observed Observed) error {
	covered := map[string]bool{}
	var problems []error
	for _, c := range suite {
		exercised := comesTo(c, observed[c.ID])
		for _, id := range c.Clauses {
			if c.Detector == cases.Protocol || exercised[id] {
				covered[id] = true
				continue
			}
			problems = append(problems, unexercised(c, id))
		}
	}
	for _, clause := range clauses {
		if clause.Level == spec.Must && !covered[clause.ID] {
			problems = append(problems, fmt.Errorf("clauses/%s:%d:1: no case exercises %s, which is a MUST",
				clause.File, clause.Line, clause.ID))
		}
	}
	return errors.Join(problems...)
}

func unexercised(c cases.Case, id string) error {
	hint := "the reference did not apply it"
	if names := deedsOf(id); len(names) > 0 {
		hint += ", and it is no case that " + strings.Join(names, " or ")
	}
	return fmt.Errorf("%s: %s cites %s, but %s", c.Place, c.ID, id, hint)
}
