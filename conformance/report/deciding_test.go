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

// TestTheListIsUpdatedWhereNothingElseIsWrong: no command excuses a new failure.
func TestTheListIsUpdatedWhereNothingElseIsWrong(t *testing.T) {
	t.Parallel()
	const update = "loopstone test --known 'a b.yaml' --write-known 'a b.yaml' -- port"
	options := Options{Known: "a b.yaml", Again: "loopstone test%s -- port"}
	stale := &conformance.Report{Problems: []string{"it passes now"}}
	failed := &conformance.Report{Problems: stale.Problems, Results: []conformance.Result{{Status: conformance.Failed}}}
	for _, test := range []struct {
		reason, want string
		r            *conformance.Report
		options      Options
	}{
		{"an entry is out of date", update, stale, options},
		{"a test fails, too", "", failed, options},
		{"all is well", "", &conformance.Report{}, options},
		{"there is no list", "", stale, Options{Again: options.Again}},
		{"nobody knows the command", "", stale, Options{Known: options.Known}},
	} {
		if got := toUpdate(test.r, test.options); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
