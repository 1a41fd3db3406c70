package main

import (
	"errors"
	"fmt"
	"slices"
)

// fate is what became of a mutant.
type fate string

const (
	killed     fate = "killed"
	survived   fate = "survived"
	equivalent fate = "equivalent"
	outOfScope fate = "out of scope"
)

// verdict is the fate of every mutant.
type verdict struct {
	outcomes []outcome
	fates    map[int]fate // by the mutant's number
}

// assess says what became of each mutant. A survivor that no exemption covers is a problem; so is an exemption that
// matches no mutant, and one of a mutant that is killed all the same. The error has each problem, one a line.
func assess(outcomes []outcome, exempt []exemption) (verdict, error) {
	v := verdict{outcomes, map[int]fate{}}
	var problems []error
	for _, o := range outcomes {
		at := slices.IndexFunc(exempt, func(e exemption) bool { return e.covers(o.Mutant) })
		switch {
		case o.isKilled():
			v.fates[o.ID] = killed
		case at >= 0:
			v.fates[o.ID] = exempt[at].fate
		default:
			v.fates[o.ID] = survived
			problems = append(problems, fmt.Errorf("%s: survived", o.Mutant))
		}
	}
	for _, e := range exempt {
		problems = append(problems, e.check(outcomes)...)
	}
	return v, errors.Join(problems...)
}

// death says in a few words how a mutant was noticed.
func (o outcome) death() string {
	if len(o.Killers) == 0 {
		return o.Ended
	}
	return o.Killers[0] + " kills it"
}

// row counts the mutants of one package by their fates.
type row struct {
	name   string
	counts map[fate]int
}

// all returns how many mutants there are in the row.
func (r row) all() int {
	return r.counts[killed] + r.counts[equivalent] + r.counts[outOfScope] + r.counts[survived]
}

// rows counts the mutants of each package, in the order in which they turn up, and of all.
func (v verdict) rows() []row {
	var rows []row
	total := row{"all", map[fate]int{}}
	for _, o := range v.outcomes {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == o.Name() })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row{o.Name(), map[fate]int{}})
		}
		rows[i].counts[v.fates[o.ID]]++
		total.counts[v.fates[o.ID]]++
	}
	return append(rows, total)
}
