package spec_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryRowHasItsReference(t *testing.T) {
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
