package knownfailures

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/strictyaml"
)

// Apply excuses the failures of the report that the entries foretell: they become [conformance.Known] and carry the
// entry's reason. Each entry that does not hold adds to the report's problems, one line each that says what to do about
// it. The suite is the whole one, from which the run's cases may be a selection; an entry that is about none of its
// cases is a problem. Of today only the date counts, in its own time zone.
func (l *List) Apply(report *conformance.Report, suite []cases.Case, today time.Time) {
	owners := map[int][]*Entry{} // of each result, by its index
	for i := range l.Entries {
		for _, k := range l.Entries[i].among(report.Results) {
			owners[k] = append(owners[k], &l.Entries[i])
		}
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		matched := e.among(report.Results)
		a := application{Entry: e, suite: suite}
		for _, k := range matched {
			a.results = append(a.results, report.Results[k])
		}
		a.checkDate(today.Format(time.DateOnly))
		a.checkPattern()
		a.checkOwners(matched, owners)
		a.checkResults()
		if report.Strict && len(a.results) > 0 && strings.HasPrefix(e.Reason, conformance.NotLookedAt) {
			a.add("%q is no reason in a strict run; look at the failure, and say why the port fails there", e.Reason)
		}
		report.Problems = append(report.Problems, a.problems...)
		if a.problems == nil {
			e.excuseAll(report.Results, matched)
		}
	}
}

// among returns the indices of the results that the entry matches.
func (e *Entry) among(results []conformance.Result) []int {
	var matched []int
	for k, r := range results {
		if e.matches(r.Case, r.Reading) {
			matched = append(matched, k)
		}
	}
	return matched
}

func (e *Entry) excuseAll(results []conformance.Result, matched []int) {
	for _, k := range matched {
		results[k].Status, results[k].Excuse = conformance.Known, e.excuse()
	}
}

// application is one entry applied to the results that it matches.
type application struct {
	*Entry
	results  []conformance.Result
	suite    []cases.Case
	problems []string
}

func (a *application) add(format string, args ...any) {
	p := strictyaml.Problem{Place: a.Place, Message: fmt.Sprintf(format, args...)}
	a.problems = append(a.problems, p.Error())
}

func (a *application) checkDate(today string) {
	if a.Expires != "" && today > a.Expires { // dates of this form sort in their order
		a.add("expired on %s; look at the failure again, then set a later day or delete the entry", a.Expires)
	}
}

// checkPattern finds an entry that is about nothing at all, or about too much. It looks at the whole suite, so that a
// run over a part of it neither lets a pattern pass nor refuses one that is about the rest.
func (a *application) checkPattern() {
	ids, anyReading := map[string]bool{}, false
	for _, r := range a.results {
		ids[r.Case] = true
	}
	for _, c := range a.suite {
		anyReading = anyReading || (&Entry{Case: a.Case}).matches(c.ID, "")
		isAbout := a.matches(c.ID, "") && len(c.Readings) == 0 // as those of the protocol
		for _, reading := range c.Readings {
			isAbout = isAbout || a.matches(c.ID, reading)
		}
		if isAbout {
			ids[c.ID] = true
		}
	}
	switch {
	case len(ids) > MaxCases:
		a.add("%q matches %d cases, and one entry excuses at most %d; write several, each with its own reason", a.Case, len(ids), MaxCases)
	case len(ids) > 0:
	case anyReading:
		a.add("%q matches cases, but none that has the reading %s; correct the reading or delete the entry", a.Case, a.Reading)
	default:
		a.add("%q matches no case; correct the pattern or delete the entry", a.Case)
	}
}

// checkOwners finds a result that another entry matches too: nobody could tell which of the two reasons is the true one.
func (a *application) checkOwners(matched []int, owners map[int][]*Entry) {
	for i, k := range matched {
		for _, other := range owners[k] {
			if other != a.Entry {
				a.add("the entry at %s matches the same case; narrow one of the two: %s", other.Place, nameOf(a.results[i]))
				return
			}
		}
	}
}

// silences are the statuses of cases that could not be run: nobody knows whether the port is right.
var silences = []conformance.Status{conformance.Broken, conformance.Faulty, conformance.Undecided}

// checkResults demands that every case fails, and in the way that the entry says.
func (a *application) checkResults() {
	wrong := "it fails otherwise than the entry says; look at the failure again, then correct the entry"
	if a.Differs == nil {
		wrong = "the entry does not say all that differs; have the file written again, with its reasons: " +
			"loopstone test --known FILE --write-known FILE"
	}
	a.tell("it passes now; delete the entry, or narrow it", nameOf, func(r conformance.Result) bool {
		return r.Status == conformance.Passed
	})
	a.tell(wrong, nameAndFailure, func(r conformance.Result) bool { return failed(r) && !a.describes(r.Failure) })
	a.tell("it could not be run, and only failures are excused; make the port answer", nameAndReason, func(r conformance.Result) bool {
		return slices.Contains(silences, r.Status)
	})
	a.tell("it was skipped, so that nothing shows whether the entry is right; declare what the port can do, or delete the entry",
		nameAndReason, func(r conformance.Result) bool { return r.Status == conformance.Skipped })
}

// tell adds a problem where there are such results, and names them.
func (a *application) tell(what string, name func(conformance.Result) string, is func(conformance.Result) bool) {
	var list []conformance.Result
	for _, r := range a.results {
		if is(r) {
			list = append(list, r)
		}
	}
	if list != nil {
		a.add("%s: %s", what, enumerate(list, name))
	}
}
