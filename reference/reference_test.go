package reference_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestTheReferencePassesTheSuite runs the cases of every detector: the tests of a detector's own package know no case,
// and an edit of one leaves them as they are.
func TestTheReferencePassesTheSuite(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range reference.Implementations() {
		t.Run(string(d.Detector), func(t *testing.T) {
			t.Parallel()
			own := slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool { return c.Detector != d.Detector })
			passes(t, reference.Port(), own)
		})
	}
}

// passes demands that the port passes each case that it has the features for, and that there is one.
func passes(t *testing.T, port spec.Port, suite []cases.Case) {
	t.Helper()
	report, err := conformance.Run(t.Context(), port, suite, conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		switch r.Status {
		case conformance.Passed, conformance.Skipped: // a shared swarm takes a store
		case conformance.Failed:
			t.Errorf("%s, reading %s: step %d: %s", r.Case, r.Reading, r.Failure.Step, r.Failure.Problem)
		default:
			t.Errorf("%s, reading %s: %s: %s", r.Case, r.Reading, r.Status, r.Reason)
		}
	}
	if report.Count(conformance.Passed) == 0 {
		t.Error("no case was passed")
	}
}

func TestEveryRowHasItsReference(t *testing.T) {
	t.Parallel()
	implemented := map[spec.DetectorID]spec.Implementation{}
	for _, impl := range reference.Implementations() {
		implemented[impl.Detector] = impl
	}
	for _, d := range spec.Detectors() {
		impl, known := implemented[d.ID]
		if !known {
			t.Errorf("reference/reference.go has no %s", d.ID)
			continue
		}
		// A shared swarm takes a store, which no detector of one process has.
		features := slices.DeleteFunc(d.Features, func(f spec.Feature) bool { return f == spec.Shared })
		want := spec.Offer{Detector: d.ID, Readings: d.Readings, Features: features}
		if diff := cmp.Diff(want, impl.Offer); diff != "" {
			t.Errorf("%s offers something else than its row (-want +got)\n%s", d.ID, diff)
		}
		functions := slices.Sorted(maps.Keys(impl.Functions))
		if diff := cmp.Diff(slices.Sorted(maps.Keys(d.Functions)), functions); diff != "" {
			t.Errorf("the functions of %s (-want +got)\n%s", d.ID, diff)
		}
	}
	if len(implemented) != len(spec.Detectors()) {
		t.Errorf("%d detectors are implemented, and %d are specified", len(implemented), len(spec.Detectors()))
	}
}
