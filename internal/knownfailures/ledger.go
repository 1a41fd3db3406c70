// Package ledger keeps the list of failures that a port's authors know of, so that a run gates on everything else.
//
// A ledger is a YAML file in the dialect of package strictyaml:
//
//	known:
//	  - case: history-window-*
//	    reading: code
//	    step: 3
//	    member: count
//	    reason: the window forgets one call too early
//	    url: https://example.com/issues/7
//	    expires: "2027-01-31"
//
// It cannot hide what nobody looked at. An entry holds in a run where
//
//   - it matches at least one case of the suite, and at most [MaxCases],
//   - every case of the run that it matches failed, at the step and in the member that it names,
//   - no other entry matches any of these, and
//   - it has not expired.
//
// An entry that holds excuses those failures. One that does not excuses none of them and is a problem of the report,
// so that a ledger that does not tell the truth fails the run. In a run over a selection of the suite, an entry about
// other cases holds and excuses nothing.
package knownfailures

import (
	"fmt"
	"path"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

// MaxCases is how many cases one entry may excuse. A wider pattern says that a port lacks a whole ability, and then
// the port must not declare it.
const MaxCases = 20

// AnyStep stands in an entry that does not say at which step the case fails.
const AnyStep = -1

// Ledger is a port's list of known failures.
type Ledger struct {
	Entries []Entry
}

// Entry is one known failure, or several alike.
type Entry struct {
	Case    string       // a pattern of [path.Match] over the ids of cases
	Reading spec.Reading // empty: every reading that the case is run in
	Step    int          // from 1, 0 for what is outside the steps, or AnyStep
	Member  string       // path of a member that differs, or of one that holds it; empty: any
	Reason  string
	URL     string // where the failure is discussed; empty: nowhere
	Expires string // the last day on which the entry holds, as 2006-01-02; empty: it never expires
	Place   strictyaml.Place
}

// matches reports whether the entry is about that case in that reading.
func (e *Entry) matches(id string, reading spec.Reading) bool {
	ok, err := path.Match(e.Case, id)
	return err == nil && ok && (e.Reading == "" || e.Reading == reading)
}

// describes reports whether the failure is the one that the entry says.
func (e *Entry) describes(f *conformance.Failure) bool {
	if f == nil {
		return e.Step == AnyStep && e.Member == ""
	}
	return (e.Step == AnyStep || e.Step == f.Step) && (e.Member == "" || e.isIn(f.Differences))
}

func (e *Entry) isIn(differences []conformance.Difference) bool {
	for _, d := range differences {
		if d.Path == e.Member || strings.HasPrefix(d.Path, e.Member+".") || strings.HasPrefix(d.Path, e.Member+"[") {
			return true
		}
	}
	return false
}

// excuse returns what a report says of a failure that the entry excuses.
func (e *Entry) excuse() string {
	if e.URL == "" {
		return e.Reason
	}
	return fmt.Sprintf("%s (%s)", e.Reason, e.URL)
}

// failed reports whether the port was wrong, excused or not.
func failed(r conformance.Result) bool {
	return r.Status == conformance.Failed || r.Status == conformance.Known
}
