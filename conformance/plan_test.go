package conformance

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// crowOnly offers crow in one reading with one feature.
var crowOnly = spec.Description{Detectors: []spec.Offer{
	{Detector: "crow", Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.State}},
}}

// TestPlan shows that each case is planned once for each reading, and skipped for the first reason that there is.
func TestPlan(t *testing.T) {
	suite := []cases.Case{
		{ID: "protocol-a", Detector: cases.Protocol, Readings: []spec.Reading{spec.Code}},
		{ID: "crow-a", Detector: "crow", Readings: []spec.Reading{spec.Code, spec.Text}, Needs: []spec.Feature{spec.State}},
		{ID: "crow-b", Detector: "crow", Readings: []spec.Reading{spec.Code}, Needs: []spec.Feature{spec.Hashes, spec.State, spec.AI}},
		{ID: "history-a", Detector: "history", Readings: []spec.Reading{spec.Code}, Needs: []spec.Feature{spec.AI}},
	}
	var got []string
	for _, task := range plan(suite, crowOnly) {
		r := task.result
		got = append(got, fmt.Sprintf("%s %s %s %v %s|%s %s", r.Case, r.Reading, r.Status, r.Missing, r.Reason, task.c.ID, task.reading))
	}
	want := []string{
		"crow-a code  [] |crow-a code",
		"crow-a text skipped [] the port does not offer crow in the reading text|crow-a text",
		"crow-b code skipped [hashes ai] the port does not declare hashes, ai for crow|crow-b code",
		"history-a code skipped [] the port does not offer the detector history|history-a code",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the plan differs (-want +got):\n%s", diff)
	}
}

// TestPlannedResultNamesItsCase shows that a reader of a report finds the case.
func TestPlannedResultNamesItsCase(t *testing.T) {
	c := cases.Case{
		ID: "crow-a", Title: "title", Detector: "crow", Clauses: []string{"CR-1"}, Tags: []string{"edge"}, Why: "why",
		Config: spec.ObjectValue(spec.Member{Name: "window", Value: spec.IntValue(3)}),
		Needs:  []spec.Feature{spec.AI}, Place: strictyaml.Place{File: "crow/a.yaml", Line: 7},
	}
	want := Result{
		Case: "crow-a", Title: "title", Detector: "crow", Clauses: []string{"CR-1"}, Tags: []string{"edge"}, Why: "why",
		Config: `{"window":3}`, Reading: spec.Code, File: "crow/a.yaml", Line: 7,
		Status: Skipped, Missing: []spec.Feature{spec.AI}, Reason: "the port does not declare ai for crow",
	}
	if diff := cmp.Diff(want, NewResult(c, spec.Code, crowOnly)); diff != "" {
		t.Errorf("the result differs (-want +got):\n%s", diff)
	}
	c.Needs = nil
	if r := NewResult(c, spec.Code, crowOnly); r.Status != "" || r.Reason != "" {
		t.Errorf("a case that can be run: got %q, %q", r.Status, r.Reason)
	}
}
