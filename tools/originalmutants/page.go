package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tally counts the mutants of an original.
type tally struct {
	name                                      string
	planted, differ, cases, run, own, ownable int
	tried, exported                           int // of those that the default run kills
}

func (r record) tally() tally {
	t := tally{name: r.name}
	for _, v := range r.Verdicts {
		if !v.Starts {
			continue
		}
		t.planted++
		if !v.isDistinguishable() {
			continue
		}
		t.differ++
		t.cases += one(v.Cases)
		t.run += one(v.Run)
		t.tried += one(v.Tried)
		t.exported += one(v.Exported)
		if r.HasTests {
			t.ownable++
			t.own += one(v.Own)
		}
	}
	return t
}

// isDistinguishable reports whether something shows that a mutant is not the original.
func (v verdict) isDistinguishable() bool { return v.Differs || v.Run }

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (t *tally) add(o tally) {
	t.planted, t.differ, t.cases, t.run = t.planted+o.planted, t.differ+o.differ, t.cases+o.cases, t.run+o.run
	t.own, t.ownable = t.own+o.own, t.ownable+o.ownable
	t.tried, t.exported = t.tried+o.tried, t.exported+o.exported
}

func sum(records []record) tally {
	all := tally{name: "**all**"}
	for _, r := range records {
		all.add(r.tally())
	}
	return all
}

// What the gate demands: mutants, and of those that differ the shares, in percent, that the default run kills and that
// the cases kill; and of those that the default run kills the share that the exported tests kill.
const (
	leastPlanted  = 300
	leastKilled   = 97
	leastByCases  = 90
	leastExported = 95
)

// assess returns what the gate demands and the records do not keep, one problem each.
func assess(records []record) error {
	var problems []error
	switch t := sum(records); {
	case t.planted < leastPlanted:
		problems = append(problems, fmt.Errorf("%d mutants, want %d", t.planted, leastPlanted))
	case 100*t.run < leastKilled*t.differ:
		problems = append(problems, fmt.Errorf("the default run kills %d of %d, want %d %%", t.run, t.differ, leastKilled))
	case 100*t.cases < leastByCases*t.differ:
		problems = append(problems, fmt.Errorf("the cases kill %d of %d, want %d %%", t.cases, t.differ, leastByCases))
	case 100*t.exported < leastExported*t.tried:
		problems = append(problems,
			fmt.Errorf("the exported tests kill %d of %d, want %d %%", t.exported, t.tried, leastExported))
	}
	for _, r := range records {
		problems = append(problems, r.reasons()...)
	}
	return errors.Join(problems...)
}

// reasons returns the survivors without a reason, and the reasons without a survivor.
func (r record) reasons() (problems []error) {
	var alive []string
	for _, v := range r.Verdicts {
		if !v.Starts || !v.isDistinguishable() || v.Run {
			continue
		}
		alive = append(alive, v.String())
		if r.reason(v) == "" {
			problems = append(problems, fmt.Errorf("%s: %s: the default run does not kill it", r.name, v))
		}
	}
	for _, s := range r.survivors {
		if !slices.Contains(alive, s.mutant) {
			problems = append(problems, fmt.Errorf("%s: %s: a reason, but it does not survive", r.name, s.mutant))
		}
	}
	return problems
}

func (r record) reason(v verdict) string {
	i := slices.IndexFunc(r.survivors, func(s survivor) bool { return s.mutant == v.String() })
	if i < 0 {
		return ""
	}
	return r.survivors[i].reason
}

const (
	pageBegin = "<!-- Written by make originals, from here -->\n"
	pageEnd   = "<!-- to here -->\n"
)

// written returns a page in which the part between the two comments is that of the records.
func written(page string, records []record, day time.Time) (string, error) {
	before, rest, begins := strings.Cut(page, pageBegin)
	_, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		return "", errors.New("the page has no place for the table")
	}
	return before + pageBegin + "\n" + part(records, day) + "\n" + pageEnd + after, nil
}

// part writes the records as Markdown.
func part(records []record, day time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "On %s:\n\n", day.Format("2 January 2006"))
	b.WriteString("| original | mutants | differ | killed by the default run | by cases alone " +
		"| by the exported tests, of those | by the project's tests |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range records {
		t := r.tally()
		t.name = fmt.Sprintf("%s@%.9s", r.repository, r.commit)
		t.write(&b)
	}
	sum(records).write(&b)
	b.WriteString("\n| original | traces played | kept out |\n|---|--:|--:|\n")
	for _, r := range records {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", r.name, r.Traces, r.Others)
	}
	var survivors strings.Builder
	for _, r := range records {
		for _, v := range r.Verdicts {
			if v.Starts && v.Differs && !v.Run {
				fmt.Fprintf(&survivors, "| %s | `%s` | %s |\n",
					r.name, strings.ReplaceAll(v.String(), "|", "\\|"), r.reason(v))
			}
		}
	}
	if survivors.Len() > 0 {
		b.WriteString("\nWhat the default run does not kill:\n\n| original | line, and change | reason |\n|---|---|---|\n")
		b.WriteString(survivors.String())
	}
	return b.String()
}

func (t tally) write(b *strings.Builder) {
	own, exported := "not run", "not run"
	if t.ownable > 0 {
		own = share(t.own, t.ownable)
	}
	if t.tried > 0 {
		exported = share(t.exported, t.tried)
	}
	fmt.Fprintf(b, "| %s | %d | %d | %s | %s | %s | %s |\n",
		t.name, t.planted, t.differ, share(t.run, t.differ), share(t.cases, t.differ), exported, own)
}

func share(part, of int) string {
	if of == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.1f %%)", part, 100*float64(part)/float64(of))
}
