package strength

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/mutation"
	"github.com/loopstone/loopstone/spec"
)

// Fate is what became of a mutant.
type Fate string

// The fates of mutants.
const (
	Killed     Fate = "killed"
	Survived   Fate = "survived"
	Equivalent Fate = "equivalent"
	OutOfScope Fate = "out of scope"
)

// Verdict is the fate of every mutant, and what is wrong with that.
type Verdict struct {
	Outcomes []Outcome
	Fates    map[int]Fate // by the mutant's number
	Problems []error      // survivors, and exemptions that are not true

	suite map[string]cases.Case   // by id
	size  map[spec.DetectorID]int // how many cases each detector has
}

// Err returns the problems, joined, one a line; nil where the suite is as strong as it must be.
func (v *Verdict) Err() error { return errors.Join(v.Problems...) }

// Assess says what became of each mutant. A survivor that no exemption covers is a problem; so is an exemption that
// matches no mutant, a mutant that is listed as equivalent and killed all the same, and one that is killed only by cases
// of clauses that it does not break. The suite is the one that judged; without one, nothing is asked of its clauses.
func Assess(outcomes []Outcome, exempt *Exemptions, suite []cases.Case) *Verdict {
	v := &Verdict{
		Outcomes: attributed(outcomes, exempt.Breaks), Fates: map[int]Fate{},
		suite: map[string]cases.Case{}, size: map[spec.DetectorID]int{},
	}
	for _, c := range suite {
		v.suite[c.ID] = c
		v.size[c.Detector]++
	}
	for _, o := range v.Outcomes {
		fate := fateOf(o, exempt)
		v.Fates[o.Mutant.ID] = fate
		if fate == Survived {
			v.Problems = append(v.Problems, fmt.Errorf("%s: survived (mutant %d)", o.Mutant, o.Mutant.ID))
		}
		if len(suite) > 0 && v.isWeak(o) {
			v.Problems = append(v.Problems, fmt.Errorf("%s: it breaks %s, but is killed only by cases of other clauses, such as %s (mutant %d)",
				o.Mutant, strings.Join(o.Mutant.Clauses, ", "), o.Killers[0], o.Mutant.ID))
		}
	}
	for _, e := range exempt.Equivalent {
		v.checkEquivalent(e)
	}
	for _, e := range slices.Concat(exempt.Breaks, exempt.Chance) {
		v.checkMatches(e)
	}
	for _, e := range exempt.Scope {
		v.checkScope(e)
	}
	return v
}

// attributed returns the outcomes with the clauses that the list says, where the code at a mutant's place names others.
func attributed(outcomes []Outcome, list []Exemption) []Outcome {
	outcomes = slices.Clone(outcomes)
	for i := range outcomes {
		for _, e := range list {
			if e.covers(outcomes[i].Mutant) {
				outcomes[i].Mutant.Clauses = e.Clauses
			}
		}
	}
	return outcomes
}

func fateOf(o Outcome, exempt *Exemptions) Fate {
	switch {
	case isCovered(exempt.Chance, o.Mutant):
		return OutOfScope
	case o.Killed():
		return Killed
	case isCovered(exempt.Scope, o.Mutant):
		return OutOfScope
	case isCovered(exempt.Equivalent, o.Mutant):
		return Equivalent
	default:
		return Survived
	}
}

func isCovered(list []Exemption, m mutation.Mutant) bool {
	for _, e := range list {
		if e.covers(m) {
			return true
		}
	}
	return false
}

// checkEquivalent checks that each change that is said to make no difference is there and makes none.
func (v *Verdict) checkEquivalent(e Exemption) {
	v.checkMatches(e)
	for _, o := range v.Outcomes {
		if e.covers(o.Mutant) && o.Killed() {
			v.Problems = append(v.Problems, e.problemf("%s is no equivalent: %s", o.Mutant, o.death()))
		}
	}
}

// checkScope checks that an exemption excuses something: of code that is not a matter of cases, they may kill a part all
// the same, but not all, and no mutant that is named.
func (v *Verdict) checkScope(e Exemption) {
	v.checkMatches(e)
	excused := 0
	for _, o := range v.Outcomes {
		switch {
		case !e.covers(o.Mutant):
		case v.Fates[o.Mutant.ID] == OutOfScope:
			excused++
		case len(e.Changes) > 0:
			v.Problems = append(v.Problems, e.problemf("%s is within the scope: %s", o.Mutant, o.death()))
		}
	}
	if excused == 0 && len(e.Changes) == 0 {
		v.Problems = append(v.Problems, e.problemf("%s %s: the cases kill all of it", e.File, e.Function))
	}
}

// checkMatches checks that each change of an exemption is that of a mutant.
func (v *Verdict) checkMatches(e Exemption) {
	found := map[string]bool{}
	matches := false
	for _, o := range v.Outcomes {
		if e.covers(o.Mutant) {
			matches, found[o.Mutant.Key().Change] = true, true
		}
	}
	if !matches && len(e.Changes) == 0 {
		v.Problems = append(v.Problems, e.problemf("%s %s: no such mutants", e.File, e.Function))
	}
	for _, change := range e.Changes {
		if !found[change] {
			v.Problems = append(v.Problems, e.problemf("%s: %s: no such mutant: %s", e.File, e.Function, change))
		}
	}
}

// death says in a few words how a mutant was noticed.
func (o Outcome) death() string {
	if o.NoStart != "" {
		return "it panics at its start"
	}
	return o.Killers[0] + " kills it"
}

// citing returns those of a mutant's killers that cite one of its clauses.
func (v *Verdict) citing(o Outcome) []string {
	var ids []string
	for _, id := range o.Killers {
		if slices.ContainsFunc(v.suite[id].Clauses, func(clause string) bool { return slices.Contains(o.Mutant.Clauses, clause) }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// isWeak reports whether a mutant is killed by none of the cases that cite one of its clauses, only by others.
func (v *Verdict) isWeak(o Outcome) bool {
	return v.Fates[o.Mutant.ID] == Killed && len(o.Killers) > 0 && len(o.Mutant.Clauses) > 0 && len(v.citing(o)) == 0
}
