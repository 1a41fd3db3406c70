package strength

import (
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/conformance/strength/mutation"
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
}

// Err returns the problems, joined, one a line; nil where the suite is as strong as it must be.
func (v *Verdict) Err() error { return errors.Join(v.Problems...) }

// Assess says what became of each mutant. A survivor that no exemption covers is a problem; so is an exemption that
// matches no mutant, and a mutant that is listed as equivalent and killed all the same.
func Assess(outcomes []Outcome, exempt *Exemptions) *Verdict {
	v := &Verdict{Outcomes: outcomes, Fates: map[int]Fate{}}
	for _, o := range outcomes {
		fate := fateOf(o, exempt)
		v.Fates[o.Mutant.ID] = fate
		if fate == Survived {
			v.Problems = append(v.Problems, fmt.Errorf("%s: survived (mutant %d)", o.Mutant, o.Mutant.ID))
		}
	}
	for _, e := range exempt.Equivalent {
		v.checkEquivalent(e)
	}
	for _, e := range exempt.Scope {
		v.checkMatches(e)
	}
	return v
}

func fateOf(o Outcome, exempt *Exemptions) Fate {
	switch {
	case isCovered(exempt.Scope, o.Mutant):
		return OutOfScope
	case o.Killed():
		return Killed
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
			v.Problems = append(v.Problems, e.problemf("%s is no equivalent: %s kills it", o.Mutant, killer(o)))
		}
	}
}

func killer(o Outcome) string {
	if len(o.Killers) == 0 {
		return o.Crashed
	}
	return o.Killers[0]
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
