package knownfailures

import (
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// day returns the start of a day given as 2006-01-02.
func day(t *testing.T, date string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ended returns the result of a case in a reading; its detector is the first word of its id.
func ended(status conformance.Status, id string, reading spec.Reading) conformance.Result {
	detector, _, _ := strings.Cut(id, "-")
	return conformance.Result{Case: id, Detector: spec.DetectorID(detector), Reading: reading, Status: status}
}

// wrong returns a result that failed at a step of three, in the members of these paths.
func wrong(id string, reading spec.Reading, step int, paths ...string) conformance.Result {
	r := ended(conformance.Failed, id, reading)
	r.Failure = &conformance.Failure{Step: step, Steps: 3, Problem: "the verdict differs"}
	for _, p := range paths {
		r.Failure.Differences = append(r.Failure.Differences, conformance.Difference{Path: p, Want: "3", Got: "2"})
	}
	return r
}

// unrun returns a result without an answer, and why there is none.
func unrun(status conformance.Status, id string, reading spec.Reading, reason string) conformance.Result {
	r := ended(status, id, reading)
	r.Reason = reason
	return r
}

// suiteOf returns a suite that has the cases of the results, each in the readings that they name.
func suiteOf(results []conformance.Result) []cases.Case {
	var suite []cases.Case
	index := map[string]int{}
	for _, r := range results {
		i, ok := index[r.Case]
		if !ok {
			i = len(suite)
			index[r.Case] = i
			suite = append(suite, cases.Case{ID: r.Case, Detector: r.Detector})
		}
		suite[i].Readings = append(suite[i].Readings, r.Reading)
	}
	return suite
}
