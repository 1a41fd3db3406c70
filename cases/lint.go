package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Lint checks what makes a list of cases a suite: each clause with the level MUST is cited by a case, and by one that
// is run in a reading that the clause binds; no case is run only in readings that a clause it cites does not bind; no
// title and no reason is used twice. All problems are returned, joined, one a line.
func Lint(all []Case) error {
	return errors.Join(lintCover(all), lintCitations(all), lintTexts(all))
}

func lintCover(all []Case) error {
	cited := map[string]bool{}
	for _, c := range all {
		for _, id := range c.Clauses {
			cited[id] = true
		}
	}
	var problems []error
	for _, clause := range spec.Clauses() {
		if clause.Level == spec.Must && !cited[clause.ID] {
			problems = append(problems, fmt.Errorf("clauses/%s:%d:1: no case cites %s, which is a MUST",
				clause.File, clause.Line, clause.ID))
		}
	}
	return errors.Join(problems...)
}

func lintCitations(all []Case) error {
	var problems []error
	for _, c := range all {
		for _, id := range c.Clauses {
			clause, ok := spec.ClauseByID(id)
			if ok && len(c.Readings) > 0 && !slices.ContainsFunc(c.Readings, clause.Binds) {
				problems = append(problems, problemAt(c.Place, "%s cites %s, which binds none of its readings", c.ID, id))
			}
		}
	}
	return errors.Join(problems...)
}

// lintTexts finds titles and reasons that were copied.
func lintTexts(all []Case) error {
	titles, whys := map[string]string{}, map[string]string{}
	var problems []error
	for _, c := range all {
		if other, twice := titles[c.Title]; twice {
			problems = append(problems, problemAt(c.Place, "%s has the title of %s", c.ID, other))
		}
		if other, twice := whys[c.Why]; twice {
			problems = append(problems, problemAt(c.Place, "%s gives the reason of %s", c.ID, other))
		}
		titles[c.Title], whys[c.Why] = c.ID, c.ID
	}
	return errors.Join(problems...)
}
