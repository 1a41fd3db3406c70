package conformance

import (
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// What the cases below are: three without settings, of which one is long; one with a setting; one with a feature.
const (
	fiveCalls   = "history-copies-need-not-be-consecutive"
	manyCalls   = "history-default-window-of-twenty"
	withSetting = "history-threshold-of-two"
	withFeature = "history-hash-no-arguments"
)

// failing is a failure with this difference; the path says what is wrong.
func failing(id, path, want, got string, clauses ...string) Result {
	return Result{
		Case: id, File: "x.yaml", Detector: spec.History, Reading: spec.Code, Status: Failed, Clauses: clauses,
		Failure: &Failure{Differences: []Difference{{Path: path, Want: want, Got: got}}},
	}
}

func missing(id string, clauses ...string) Result {
	return failing(id, "loop", "true", "false", clauses...)
}

// passing are tests of the clause that pass, by cases of which the facts are so.
func passing(t *testing.T, clause string, n int, isSo func(facts) bool) []Result {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	var list []Result
	for _, c := range all {
		if len(list) < n && isSo(factsOf(c.ID)) {
			list = append(list, Result{
				Case: c.ID, Detector: spec.History, Reading: spec.Code, Status: Passed, Clauses: []string{clause},
			})
		}
	}
	if len(list) < n {
		t.Fatalf("there are %d such cases, want %d", len(list), n)
	}
	return list
}

// TestWhatMakesAClauseSuspicious has, for each thing that counts, results in which nothing else decides.
func TestWhatMakesAClauseSuspicious(t *testing.T) {
	t.Parallel()
	law := missing("history-law-batching", "HI-6")
	law.Tags, law.File = []string{"law"}, ""
	silent := func(f facts) bool { return !f.feature && f.shows[wrongValue] && !f.shows[missedLoop] }
	noKind := func(f facts) bool { return !f.feature && f.shows[wrongValue] && !f.shows[wrongKind] }
	otherRule := failing(fiveCalls, "kind", `"repeat"`, `"first_word"`, "HI-22", "HI-13")
	severities := make([]Result, manyWrong)
	for i := range severities {
		severities[i] = failing(fiveCalls, "severity", `"notice"`, `"warning"`, "FP-18", "FP-24")
	}
	for _, test := range []struct {
		reason  string
		results []Result
		want    string
	}{
		{"the shorter trace", []Result{missing(manyCalls, "HI-6"), missing(fiveCalls, "HI-13")}, "HI-13"},
		{"the default configuration", []Result{missing(withSetting, "HI-6"), missing(fiveCalls, "HI-13")}, "HI-13"},
		{"a case before a law", []Result{law, missing(fiveCalls, "HI-13")}, "HI-13"},
		{
			"fewer clauses", []Result{missing(fiveCalls, "HI-6", "HI-12"), missing(fiveCalls, "HI-13")}, "HI-13",
		},
		{
			"a test of a feature counts less",
			[]Result{missing(withFeature, "HI-27"), missing(withFeature, "HI-27"), missing(fiveCalls, "HI-13")},
			"HI-13",
		},
		{
			"a test that wants no loop does not acquit a port that misses one",
			append(passing(t, "HI-10", 16, silent), missing(fiveCalls, "HI-10", "HI-13")), "HI-10",
		},
		{
			"a test that names no kind does not acquit a port that says the wrong one",
			append(passing(t, "HI-22", 16, noKind), otherRule), "HI-22",
		},
		{"a member that is wrong wherever it stands", severities, "FP-24"},
		{"a member that is wrong here and there", severities[1:], "FP-18"},
	} {
		if got := (&Report{Results: test.results}).ByClause()[0].Clause; got != test.want {
			t.Errorf("%s: %s comes first, want %s", test.reason, got, test.want)
		}
	}
}
