package strength

import (
	"cmp"
	"slices"
	"strings"
)

// Row counts the mutants of one group by their fates.
type Row struct {
	Name   string
	Counts map[Fate]int
	Cases  map[string]int // how many mutants each case killed
}

// All returns how many mutants there are in the row.
func (r Row) All() int {
	sum := 0
	for _, n := range r.Counts {
		sum += n
	}
	return sum
}

// Best returns the cases that killed most, at most n of them; among equals in the order of their names.
func (r Row) Best(n int) []string {
	names := make([]string, 0, len(r.Cases))
	for name := range r.Cases {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(r.Cases[b]-r.Cases[a], strings.Compare(a, b))
	})
	return names[:min(n, len(names))]
}

// ByPackage counts the mutants of each package.
func (v *Verdict) ByPackage() []Row {
	return v.rows(func(o Outcome) string { return o.Mutant.Package[strings.LastIndex(o.Mutant.Package, "/")+1:] })
}

// NoClause is the name of the row of mutants at places that name no clause.
const NoClause = "–"

// ByClause counts the mutants of one package by the clause that they break, in the order of the clauses.
func (v *Verdict) ByClause(name string) []Row {
	part := &Verdict{Fates: v.Fates, suite: v.suite, size: v.size}
	for _, o := range v.Outcomes {
		if strings.HasSuffix(o.Mutant.Package, "/"+name) {
			part.Outcomes = append(part.Outcomes, o)
		}
	}
	rows := part.rows(func(o Outcome) string { return cmp.Or(strings.Join(o.Mutant.Clauses, " "), NoClause) })
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// rows groups the mutants, in the order in which the groups turn up.
func (v *Verdict) rows(group func(Outcome) string) []Row {
	var rows []Row
	for _, o := range v.Outcomes {
		name := group(o)
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
		if i < 0 {
			i = len(rows)
			rows = append(rows, Row{Name: name, Counts: map[Fate]int{}, Cases: map[string]int{}})
		}
		v.count(&rows[i], o)
	}
	return rows
}

func (v *Verdict) count(r *Row, o Outcome) {
	fate := v.Fates[o.Mutant.ID]
	r.Counts[fate]++
	if fate != Killed {
		return
	}
	for _, c := range o.Killers {
		r.Cases[c]++
	}
}
