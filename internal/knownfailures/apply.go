package knownfailures

import (
	"fmt"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/strictyaml"
)

// Apply excuses the failures of the report that the ledger's entries foretell: they become [conformance.Known] and
// carry the entry's reason. Each entry that does not hold adds to the report's problems, one line each that says what to
// do about it. The suite is the whole one, from which the run's cases may be a selection; an entry that is about none
// of its cases is a problem. Of today only the date counts, in its own time zone.
func (l *Ledger) Apply(report *conformance.Report, suite []cases.Case, today time.Time) {
	run := l.match(report.Results, suite)
	run.today = today.Format(time.DateOnly)
	for i := range l.Entries {
		problems := run.check(i)
		for _, message := range problems {
			p := strictyaml.Problem{Place: l.Entries[i].Place, Message: message}
			report.Problems = append(report.Problems, p.Error())
		}
		if problems == nil {
			run.excuse(i)
		}
	}
}

// application is one ledger applied to the results of one run.
type application struct {
	entries []Entry
	results []conformance.Result
	suite   []cases.Case
	today   string

	matched [][]int // for each entry, the indices of the results that it matches
	owners  [][]int // for each result, the indices of the entries that match it
}

// match finds out which entries match which results.
func (l *Ledger) match(results []conformance.Result, suite []cases.Case) *application {
	a := &application{entries: l.Entries, results: results, suite: suite}
	a.matched = make([][]int, len(l.Entries))
	a.owners = make([][]int, len(results))
	for i := range l.Entries {
		for k, r := range results {
			if l.Entries[i].matches(r.Case, r.Reading) {
				a.matched[i] = append(a.matched[i], k)
				a.owners[k] = append(a.owners[k], i)
			}
		}
	}
	return a
}

// check returns why the entry does not hold, one message for each reason; none where it holds, or where it is about
// cases that were not selected.
func (a *application) check(entry int) []string {
	c := claim{Entry: &a.entries[entry], results: a.resultsOf(entry)}
	var problems []string
	for _, message := range []string{
		c.expired(a.today),
		c.unmatched(a.suite),
		c.tooBroad(a.suite),
		a.double(entry),
		c.stale(),
		c.changed(),
		c.unanswered(),
		c.skipped(),
	} {
		if message != "" {
			problems = append(problems, message)
		}
	}
	return problems
}

// double finds results that another entry matches too: nobody could tell which of the two reasons is the true one.
func (a *application) double(entry int) string {
	for _, k := range a.matched[entry] {
		for _, other := range a.owners[k] {
			if other != entry {
				return fmt.Sprintf("the entry at %s matches the same case; narrow one of the two: %s",
					a.entries[other].Place, nameOf(a.results[k]))
			}
		}
	}
	return ""
}

func (a *application) resultsOf(entry int) []conformance.Result {
	list := make([]conformance.Result, len(a.matched[entry]))
	for i, k := range a.matched[entry] {
		list[i] = a.results[k]
	}
	return list
}

// excuse marks what the entry matches as known.
func (a *application) excuse(entry int) {
	for _, k := range a.matched[entry] {
		a.results[k].Status = conformance.Known
		a.results[k].Excuse = a.entries[entry].excuse()
	}
}
