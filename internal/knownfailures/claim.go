package knownfailures

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
)

// claim is what one entry says of the results that it matches. Each of its methods is one gate: it returns what is
// wrong, what to do about it and with which cases, or nothing.
type claim struct {
	*Entry
	results []conformance.Result
}

func (c claim) expired(today string) string {
	if c.Expires == "" || today <= c.Expires { // dates of this form sort in their order
		return ""
	}
	return fmt.Sprintf("expired on %s; look at the failure again, then set a later day or delete the entry", c.Expires)
}

// unmatched finds an entry that is about nothing at all. One that is about cases of the suite which were not selected
// may well be right.
func (c claim) unmatched(suite []cases.Case) string {
	isAboutIt := func(known cases.Case) bool { return c.isAbout(known) }
	hasPattern := func(known cases.Case) bool { return (&Entry{Case: c.Case}).isAbout(known) }
	switch {
	case len(c.results) > 0 || slices.ContainsFunc(suite, isAboutIt):
		return ""
	case slices.ContainsFunc(suite, hasPattern):
		return fmt.Sprintf("%q matches cases, but none that has the reading %s; correct the reading or delete the entry",
			c.Case, c.Reading)
	default:
		return fmt.Sprintf("%q matches no case; correct the pattern or delete the entry", c.Case)
	}
}

// isAbout reports whether the entry matches the case in any of its readings; those of the protocol have none.
func (e *Entry) isAbout(known cases.Case) bool {
	if len(known.Readings) == 0 {
		return e.matches(known.ID, "")
	}
	for _, reading := range known.Readings {
		if e.matches(known.ID, reading) {
			return true
		}
	}
	return false
}

// tooBroad counts over the whole suite, so that a run over a part of it does not let a pattern pass.
func (c claim) tooBroad(suite []cases.Case) string {
	ids := map[string]bool{}
	for _, r := range c.results {
		ids[r.Case] = true
	}
	for _, known := range suite {
		if c.isAbout(known) {
			ids[known.ID] = true
		}
	}
	if len(ids) <= MaxCases {
		return ""
	}
	return fmt.Sprintf("%q matches %d cases, and one entry excuses at most %d; write several, each with its own reason",
		c.Case, len(ids), MaxCases)
}

func (c claim) stale() string {
	passing := c.with(conformance.Passed)
	if passing == nil {
		return ""
	}
	advice := "delete the entry"
	if len(passing) < len(c.results) {
		advice = "narrow the entry to the others"
	}
	return fmt.Sprintf("%s; %s: %s", share(passing, c.results, "passes now", "pass now"), advice,
		enumerate(passing, nameOf))
}

func (c claim) changed() string {
	var others []conformance.Result
	for _, r := range c.results {
		if failed(r) && !c.describes(r.Failure) {
			others = append(others, r)
		}
	}
	if others == nil {
		return ""
	}
	what := share(others, c.results, "fails", "fail")
	return fmt.Sprintf("%s otherwise than %s; look at the failure again, then correct the entry: %s", what,
		where(c.Step, c.Member), enumerate(others, nameAndPlace))
}

func (c claim) unanswered() string {
	silent := c.with(silences...)
	if silent == nil {
		return ""
	}
	what := share(silent, c.results, "could not be run", "could not be run")
	return fmt.Sprintf("%s, and a ledger excuses failures only; make the port answer: %s", what,
		enumerate(silent, nameAndReason))
}

// skipped finds cases that the port was not asked: there, nobody has seen that the entry is right.
func (c claim) skipped() string {
	silent := c.with(conformance.Skipped)
	if silent == nil {
		return ""
	}
	what := share(silent, c.results, "was skipped", "were skipped")
	if len(silent) == len(c.results) {
		return fmt.Sprintf("%s, so that nothing shows whether the entry is still right; "+
			"declare what the port can do or delete the entry: %s", what, enumerate(silent, nameAndReason))
	}
	return fmt.Sprintf("%s, and a ledger excuses failures only; narrow the entry to what was run: %s", what,
		enumerate(silent, nameAndReason))
}

// with returns the results that have one of the statuses.
func (c claim) with(statuses ...conformance.Status) []conformance.Result {
	var list []conformance.Result
	for _, r := range c.results {
		if slices.Contains(statuses, r.Status) {
			list = append(list, r)
		}
	}
	return list
}
