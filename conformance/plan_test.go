package conformance

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// crowOnly offers crow in one reading with one feature.
var crowOnly = spec.Description{Detectors: []spec.Offer{
	{Detector: "crow", Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.State}},
}}

// TestPlan shows that each case is planned once for each reading, and skipped for the first reason that there is.
func TestPlan(t *testing.T) {
	suite := []cases.Case{
		{ID: "protocol-a", Detector: cases.Protocol, Readings: []spec.Reading{spec.Code}},
		{ID: "crow-a", Detector: "crow", Readings: []spec.Reading{spec.Code, spec.Text}, Needs: []spec.Feature{spec.State}, Config: spec.ObjectValue()},
		{ID: "crow-b", Detector: "crow", Readings: []spec.Reading{spec.Code}, Needs: []spec.Feature{spec.Hashes, spec.State, spec.AI}},
		{ID: "history-a", Detector: "history", Readings: []spec.Reading{spec.Code}, Needs: []spec.Feature{spec.AI}},
	}
	var got []string
	for _, task := range plan(suite, crowOnly) {
		r := task.result
		got = append(got, fmt.Sprintf("%s%s %s %s %v %s|%s %s",
			r.Case, r.Config, r.Reading, r.Status, r.Missing, r.Reason, task.c.ID, task.reading))
	}
	want := []string{
		"crow-a{} code  [] |crow-a code",
		"crow-a{} text skipped [] the port does not offer crow in the reading text|crow-a text",
		"crow-b code skipped [hashes ai] the port does not declare hashes, ai for crow|crow-b code",
		"history-a code skipped [] the port does not offer the detector history|history-a code",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the plan differs (-want +got):\n%s", diff)
	}
}
