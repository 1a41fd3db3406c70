package mutation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
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
		v.Fates[o.ID] = fate
		if fate == Survived {
			v.Problems = append(v.Problems, fmt.Errorf("%s: survived (mutant %d)", o.Mutant, o.ID))
		}
	}
	for _, e := range slices.Concat(exempt.Equivalent, exempt.Scope, exempt.Chance) {
		v.Problems = append(v.Problems, e.check(outcomes)...)
	}
	for _, e := range exempt.Equivalent {
		v.checkEquivalent(e)
	}
	for _, e := range exempt.Scope {
		v.checkScope(e)
	}
	return v
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

func isCovered(list []Exemption, m plant.Mutant) bool {
	return slices.ContainsFunc(list, func(e Exemption) bool { return e.covers(m) })
}

// checkEquivalent checks that each change that is said to make no difference makes none.
func (v *Verdict) checkEquivalent(e Exemption) {
	for _, o := range v.Outcomes {
		if e.covers(o.Mutant) && o.Killed() {
			v.Problems = append(v.Problems, e.problemf("%s is no equivalent: %s", o.Mutant, o.death()))
		}
	}
}

// checkScope checks that an exemption excuses something: of code that is not a matter of cases, they may kill a part
// all the same, but not all, and no mutant that is named.
func (v *Verdict) checkScope(e Exemption) {
	excused, covered := 0, 0
	for _, o := range v.Outcomes {
		if !e.covers(o.Mutant) {
			continue
		}
		covered++
		if v.Fates[o.ID] == OutOfScope {
			excused++
		} else if len(e.Changes) > 0 {
			v.Problems = append(v.Problems, e.problemf("%s is within the scope: %s", o.Mutant, o.death()))
		}
	}
	if excused == 0 && covered > 0 && len(e.Changes) == 0 {
		v.Problems = append(v.Problems, e.problemf("%s: the cases kill all of it", e.In))
	}
}

// death says in a few words how a mutant was noticed.
func (o Outcome) death() string {
	if len(o.Killers) == 0 {
		return o.Ended
	}
	return o.Killers[0] + " kills it"
}

// Row counts the mutants of one package by their fates.
type Row struct {
	Name   string
	Counts map[Fate]int
}

// All returns how many mutants there are in the row.
func (r Row) All() int {
	return r.Counts[Killed] + r.Counts[Equivalent] + r.Counts[OutOfScope] + r.Counts[Survived]
}

// Rows counts the mutants of each package, in the order in which they turn up, and of all.
func (v *Verdict) Rows() []Row {
	var rows []Row
	all := Row{"all", map[Fate]int{}}
	for _, o := range v.Outcomes {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == o.Name() })
		if i < 0 {
			i = len(rows)
			rows = append(rows, Row{o.Name(), map[Fate]int{}})
		}
		rows[i].Counts[v.Fates[o.ID]]++
		all.Counts[v.Fates[o.ID]]++
	}
	return append(rows, all)
}
