package report

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func TestAnUndecidedStrictRunSaysWhatWouldDecideIt(t *testing.T) {
	t.Parallel()
	passed := conformance.Result{Case: "crow-a", Detector: spec.Crow, Reading: spec.Code, Status: conformance.Passed}
	skip := func(d spec.DetectorID, r spec.Reading, missing ...spec.Feature) conformance.Result {
		return conformance.Result{Case: string(d) + "-b", Detector: d, Reading: r, Status: conformance.Skipped, Missing: missing}
	}
	tests := []struct {
		reason, want string
		change       func(r *conformance.Report)
	}{
		{"nothing is missing", "", func(*conformance.Report) {}},
		{"a feature may be missing", " --allow evidence,hashes", func(r *conformance.Report) {
			r.Allowed, r.Results = []spec.Feature{"hashes"}, append(r.Results, skip(spec.Crow, spec.Code, "evidence"))
		}},
		{"another detector is none of the port's", " --detector crow", func(r *conformance.Report) {
			r.Results = append(r.Results, skip(spec.Swarm, spec.Text))
		}},
		{"a reading that the port has not", " --reading code", func(r *conformance.Report) {
			r.Results = append(r.Results, skip(spec.Crow, spec.Text))
		}},
		{"who leaves out laws decides nothing", "", func(r *conformance.Report) {
			r.Suite.UncheckedLaws, r.Results = 1, append(r.Results, skip(spec.Swarm, spec.Text))
		}},
		{"a run that is not strict allows all", "", func(r *conformance.Report) {
			r.Strict, r.Results = false, append(r.Results, skip(spec.Swarm, spec.Text))
		}},
	}
	for _, tt := range tests {
		definition, _ := spec.DefinitionOf(spec.Crow)
		offer := definition.Offer()
		offer.Readings = []spec.Reading{spec.Code}
		r := &conformance.Report{Strict: true, Results: []conformance.Result{passed}, Port: conformance.PortInfo{Detectors: []spec.Offer{offer}}}
		if tt.change(r); deciding(r) != tt.want {
			t.Errorf("%s: got %q, want %q", tt.reason, deciding(r), tt.want)
		}
	}
}
