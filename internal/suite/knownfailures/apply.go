package knownfailures

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Apply excuses the failures of the report that the entries foretell: they become [conformance.Known] and carry the
// entry's reason. Each entry that does not hold adds to the report's problems, one line each that says what to do about
// it. The suite is the whole one, from which the run's cases may be a selection; an entry that is about none of its
// cases is a problem. Of now only the day counts, in UTC: a list expires at the same moment everywhere.
func (l *List) Apply(report *conformance.Report, suite []cases.Case, now time.Time) {
	l.apply(report, application{list: l, suite: suite}, now)
}

// ApplyWithoutGenerated is [List.Apply] to a run that plays the traces of the cases only. How often a law is broken on
// generated traces, such a run cannot know: an entry excuses the law however it fails, and holds where it passes.
func (l *List) ApplyWithoutGenerated(report *conformance.Report, suite []cases.Case, now time.Time) {
	l.apply(report, application{list: l, suite: suite, withoutGenerated: true}, now)
}

// ApplyToEnded is [List.Apply] to a run that was ended before all tests had run. An entry about one that has not run
// may be right.
func (l *List) ApplyToEnded(report *conformance.Report, suite []cases.Case, now time.Time) {
	l.apply(report, application{list: l, suite: suite, ended: true}, now)
}

func (l *List) apply(report *conformance.Report, to application, now time.Time) {
	for i := range l.Entries {
		a := to
		a.Entry = &l.Entries[i]
		for k := range report.Results {
			if r := &report.Results[k]; a.matches(r.Case, r.Reading) {
				a.results = append(a.results, r)
			}
		}
		report.Problems = append(report.Problems, a.apply(dayOf(now), report.Strict)...)
	}
}

// application is one entry applied to the results that it matches.
type application struct {
	*Entry
	list     *List
	results  []*conformance.Result
	suite    []cases.Case
	problems []string

	withoutGenerated bool // laws were checked on the traces of the cases only
	ended            bool // some tests have not run, because the run was ended
}

// apply excuses the results, or returns why it does not.
func (a *application) apply(today string, strict bool) []string {
	if a.Expires != "" && today > a.Expires { // dates of this form sort in their order
		a.add("expired on %s; look at the failure again, then set a later day or delete the entry", a.Expires)
	}
	a.checkPattern()
	a.checkOwners()
	a.checkResults()
	if strict && len(a.results) > 0 && strings.HasPrefix(a.Reason, conformance.NotLookedAt) {
		a.add("%q is no reason in a strict run; look at the failure, and say why the port fails there", a.Reason)
	}
	if a.problems == nil {
		for _, r := range lists.Filter(a.results, func(r *conformance.Result) bool { return r.Status.IsFailure() }) {
			r.Status, r.Excuse = conformance.Known, a.excuse()
		}
	}
	return a.problems
}

func (a *application) add(format string, args ...any) {
	p := strictyaml.Problem{Place: a.Place, Message: fmt.Sprintf(format, args...)}
	a.problems = append(a.problems, p.Error())
}

// checkPattern finds an entry that is about nothing at all, or about too much. It looks at the whole suite, so that a
// run over a part of it neither lets a pattern pass nor refuses one that is about the rest.
func (a *application) checkPattern() {
	matched := lists.Filter(a.suite, func(c cases.Case) bool { return a.matches(c.ID, a.Reading) })
	about := lists.Filter(matched, func(c cases.Case) bool {
		return a.Reading == "" || slices.Contains(c.Readings, a.Reading)
	})
	switch {
	case len(about) > maxCases:
		a.add("%q matches %d cases, and one entry excuses at most %d; write several, each with its own reason",
			a.Case, len(about), maxCases)
	case len(about) > 0:
	case len(matched) > 0:
		a.add("%q matches cases, but none that has the reading %s; correct the reading or delete the entry", a.Case,
			a.Reading)
	default:
		a.add("%q matches no case; correct the pattern or delete the entry", a.Case)
	}
}

// checkOwners finds a result that another entry matches too: nobody could tell which of the two reasons is the true
// one.
func (a *application) checkOwners() {
	for _, r := range a.results {
		for i := range a.list.Entries {
			if other := &a.list.Entries[i]; other != a.Entry && other.matches(r.Case, r.Reading) {
				a.add("the entry at %s matches the same case; narrow one of the two: %s", other.Place, r.Name())
				return
			}
		}
	}
}

// checkResults demands that every case fails, and in the way that the entry says.
func (a *application) checkResults() {
	for _, alike := range lists.Grouped(a.results, a.problemOf) {
		if problem := a.problemOf(alike[0]); problem != "" {
			a.add("%s: %s", problem, enumerate(alike))
		}
	}
}

// problemOf says why the entry is not right about a result, and what to do about that; it is empty where it is right.
func (a *application) problemOf(r *conformance.Result) string {
	isOther := a.withoutGenerated && cases.Case{Tags: r.Tags}.IsLaw() // on other traces than the entry is about
	switch {
	case isOther && (r.Status.IsFailure() || r.Status == conformance.Passed || r.Status == conformance.Skipped):
		return ""
	case r.Status == conformance.Passed:
		return "it passes now; delete the entry, or narrow it"
	case r.Status == conformance.Skipped:
		return "it was skipped, so that nothing shows whether the entry is right; " +
			"declare what the port can do, or delete the entry"
	case a.ended && r.Status == conformance.Undecided:
		return ""
	case !r.Status.IsFailure():
		return "it could not be run, and only failures are excused; make the port answer"
	case a.Differs == nil:
		return "the entry does not say all that differs; have the file written again, with its reasons: " +
			"loopstone test --known FILE --write-known FILE"
	case !a.describes(r.Failure):
		return "it fails otherwise than the entry says; look at the failure again, then correct the entry"
	default:
		return ""
	}
}
