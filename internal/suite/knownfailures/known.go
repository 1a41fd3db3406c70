// Package knownfailures keeps the list of failures that a port's authors know of, so that a run gates on everything
// else. Package conformance/known offers it to go test.
//
// The list is a YAML file in the dialect of package strictyaml:
//
//	known:
//	  - case: history-window-forgets
//	    reading: code
//	    step: 21
//	    differs:
//	      - "loop: want true, got false"
//	      - "kind: want \"repeat\", got nothing"
//	    reason: the window forgets one call too early
//	    url: https://example.com/issues/7
//	    expires: "2027-01-31"
//
// It cannot hide what nobody looked at. An entry holds in a run where
//
//   - it matches at least one case of the suite, and at most [maxCases],
//   - every case of the run that it matches failed, at the step that it names, and differs exactly as it says,
//   - no other entry matches any of these,
//   - it has not expired, and
//   - in a strict run, its reason is not [conformance.NotLookedAt].
//
// An entry that holds excuses those failures. One that does not excuses none of them and is a problem of the report,
// so that a list that does not tell the truth fails the run. In a run over a selection of the suite, an entry about
// other cases holds and excuses nothing.
package knownfailures

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// maxCases is how many cases one entry may excuse. A wider pattern says that a port lacks a whole ability, and then
// the port must not declare it.
const maxCases = 20

// noStep stands for the step of a case that has no steps.
const noStep = -1

// List is a port's list of known failures.
type List struct {
	Entries []Entry
}

// Entry is one known failure, or several alike.
type Entry struct {
	Case    string       // a pattern of [path.Match] over the ids of cases
	Reading spec.Reading // empty: every reading that the case is run in
	Step    int          // from 1, 0 for what is outside the steps, below 0 where the case has none
	Differs []string     // the failure's [conformance.Failure.Lines]; an entry without it excuses nothing
	Reason  string
	URL     string // where the failure is discussed; empty: nowhere
	Expires string // the last day, in UTC, on which the entry holds, as 2006-01-02; empty: it never expires
	Place   strictyaml.Place
}

// matches reports whether the entry is about that case in that reading.
func (e *Entry) matches(id string, reading spec.Reading) bool {
	ok, err := path.Match(e.Case, id)
	return err == nil && ok && (e.Reading == "" || e.Reading == reading)
}

// Names reports whether an entry that has not expired is about that case in that reading. Of now
// only the day counts, in UTC.
func (l *List) Names(id string, reading spec.Reading, now time.Time) bool {
	return slices.ContainsFunc(l.Entries, func(e Entry) bool {
		return e.matches(id, reading) && (e.Expires == "" || dayOf(now) <= e.Expires)
	})
}

func dayOf(now time.Time) string { return now.UTC().Format(time.DateOnly) }

// describes reports whether the failure is exactly the one that the entry says.
func (e *Entry) describes(f *conformance.Failure) bool {
	return f != nil && e.Step == stepOf(f) && slices.Equal(e.Differs, f.Lines())
}

// excuse returns what a report says of a failure that the entry excuses.
func (e *Entry) excuse() string {
	if e.URL == "" {
		return e.Reason
	}
	return fmt.Sprintf("%s (%s)", e.Reason, e.URL)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// stepOf returns the step of a failure, noStep for a case that has no steps.
func stepOf(f *conformance.Failure) int {
	if f.Steps == 0 {
		return noStep
	}
	return f.Step
}

// maxNamed bounds how many results one line names.
const maxNamed = 10

// enumerate names results, the first of them where they are many.
func enumerate(list []*conformance.Result) string {
	return wording.Some(lists.Map(list, named), maxNamed, "; ")
}

// named returns the result's name and how it ended, unless it passed.
func named(r *conformance.Result) string {
	if r.Status == conformance.Passed {
		return r.Name()
	}
	return r.Name() + ": " + r.End()
}
