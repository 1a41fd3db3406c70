package report

import (
	"encoding/xml"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

// TestJUnitParsesAndCountsForAnyReport: and it never looks green where the run is not.
func TestJUnitParsesAndCountsForAnyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		if rapid.Bool().Draw(t, "no problems") {
			r.Problems = nil
		}
		content, err := junit(r, Options{Again: "loopstone test%s"})
		if err != nil {
			t.Fatal(err)
		}
		var run junitRun
		if err := xml.Unmarshal(content, &run); err != nil {
			t.Fatalf("%v in\n%s", err, content)
		}
		if green := run.Failures+run.Errors == 0; green != (r.Outcome() == conformance.Conformant) {
			t.Fatalf("failures %d, errors %d, but the run is %s", run.Failures, run.Errors, r.Outcome())
		}
		checkJUnit(t, r, run)
	})
}

// checkJUnit checks the numbers of a parsed file against the report.
func checkJUnit(t rapid.TB, r *conformance.Report, run junitRun) {
	kinds := len(notChecked(r))
	want := junitCounts{
		Tests:    len(r.Results) - r.Count(conformance.Skipped) + kinds + len(runProblems(r)),
		Failures: r.Count(conformance.Failed),
		Errors:   r.Count(conformance.Broken) + r.Count(conformance.Faulty) + r.Count(conformance.Undecided) + len(runProblems(r)),
		Skipped:  kinds + r.Count(conformance.Known),
	}
	if run.junitCounts != want {
		t.Fatalf("the run counts %+v, want %+v", run.junitCounts, want)
	}
	var sum, found junitCounts
	for _, suite := range run.Suites {
		sum.add(suite.junitCounts)
		suite.junitCounts = junitCounts{}
		suite.count()
		found.add(suite.junitCounts)
	}
	if sum != want || found != want {
		t.Fatalf("the suites count %+v and hold %+v, want %+v", sum, found, want)
	}
}
