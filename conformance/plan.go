package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// task is one case in one reading, and what came of it.
type task struct {
	c       cases.Case
	halves  []cases.Half // as the port is asked them
	reading spec.Reading
	result  Result
}

// part is the detector and the reading of some of the cases.
type part struct {
	detector spec.DetectorID
	reading  spec.Reading
}

func (t *task) part() part { return part{t.c.Detector, t.reading} }

// plan makes a task of every case in every reading that it holds for.
func plan(suite []cases.Case, port spec.Description) []*task {
	var tasks []*task
	for _, c := range suite {
		if c.IsOfProtocol() {
			continue
		}
		for _, reading := range c.Readings {
			tasks = append(tasks, newTask(c, reading, port))
		}
	}
	return tasks
}

// newTask returns a task to be carried out, or one that is answered already where the port does not declare what the
// case needs: skipped, with the reason.
func newTask(c cases.Case, reading spec.Reading, port spec.Description) *task {
	t := &task{c: c, halves: c.Halves(), reading: reading, result: newResult(c, reading)}
	offer, ok := port.Offer(c.Detector)
	switch {
	case !ok:
		t.result.Reason = fmt.Sprintf("the port does not offer the detector %s", c.Detector)
	case !slices.Contains(offer.Readings, reading):
		t.result.Reason = fmt.Sprintf("the port does not offer %s in the reading %s", c.Detector, reading)
	case t.fits(offer):
		return t
	}
	t.result.Status = Skipped
	return t
}

// NewResult returns the result of a case in a reading before it is run: skipped already where the port cannot be asked,
// else without a status.
func NewResult(c cases.Case, reading spec.Reading, port spec.Description) Result {
	return newTask(c, reading, port).result
}

func newResult(c cases.Case, reading spec.Reading) Result {
	r := Result{
		Case: c.ID, Detector: c.Detector, Reading: reading, Title: c.Title, Clauses: clausesIn(c, reading), Tags: c.Tags,
		File: c.Place.File, Line: c.Place.Line, Why: c.Why,
	}
	if !c.Config.IsAbsent() {
		r.Config = c.Config.String()
	}
	return r
}

// clausesIn returns the clauses of a case that hold in a reading.
func clausesIn(c cases.Case, reading spec.Reading) []string {
	return lists.Filter(c.Clauses, func(id string) bool {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses; one that a test made up holds everywhere
		return clause.Binds(reading)
	})
}

// fits makes the task one for a port that declares the offer. It notes in the result what the port does not declare of
// what the case needs, and reports whether it declares all.
func (t *task) fits(offer spec.Offer) bool {
	needs := declared.Needs{Features: t.c.Needs}
	if offer.IsPart() { // else it has all of these
		needs = declared.NeedsOf(t.halves)
	}
	for i, half := range t.halves {
		t.halves[i].Case = declared.Case(half.Case, offer)
	}
	r := &t.result
	r.Missing = lists.Filter(needs.Features, func(f spec.Feature) bool { return !slices.Contains(offer.Features, f) })
	r.MissingRules = lists.Filter(needs.Rules, func(k spec.VerdictKind) bool { return !offer.HasRule(k) })
	r.MissingSettings = lists.Filter(needs.Settings, func(name string) bool { return !offer.HasSetting(name) })
	if declared.ComparesNothing(t.halves[0].Case) {
		r.MissingMembers = lists.Filter(needs.Members, func(name string) bool { return !offer.HasMember(name) })
	}
	missing := r.missing()
	if len(missing) > 0 {
		r.Reason = fmt.Sprintf("the port does not declare %s for %s", strings.Join(missing, ", "), t.c.Detector)
	}
	return len(missing) == 0
}

// missing names all that the port does not declare, and the case needs.
func (r *Result) missing() []string {
	return slices.Concat(lists.Strings(r.Missing), lists.Strings(r.MissingRules), r.MissingSettings, r.MissingMembers)
}
