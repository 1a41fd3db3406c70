package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

func TestJUnitParsesAndCountsForAnyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		content, err := junit(r, Options{Again: "loopstone test%s"})
		if err != nil {
			t.Fatal(err)
		}
		var run junitRun
		if err := xml.Unmarshal(content, &run); err != nil {
			t.Fatalf("%v in\n%s", err, content)
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

func TestJUnitNeverLooksGreenWhereTheRunIsNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		if rapid.Bool().Draw(t, "no problems") {
			r.Problems = nil
		}
		content, err := junit(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var run junitRun
		if err := xml.Unmarshal(content, &run); err != nil {
			t.Fatal(err)
		}
		if green := run.Failures+run.Errors == 0; green != (r.Outcome() == conformance.Conformant) {
			t.Fatalf("failures %d, errors %d, but the run is %s", run.Failures, run.Errors, r.Outcome())
		}
	})
}

func TestJUnitHasNoCDATA(t *testing.T) {
	content := string(rendered(t, "junit", sample(), sampleOptions()))
	if strings.Contains(content, "<![CDATA[") {
		t.Error("the file has CDATA, in which control characters are not escaped")
	}
	decoder := xml.NewDecoder(strings.NewReader(content))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
