package fuzz_test

import (
	"context"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// lenient is a port that reads configurations as a tolerant library does.
type lenient struct {
	spec.Port
	read func(spec.Value) spec.Value // of a value and of those within it
}

func (p lenient) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	return p.Port.Open(ctx, d, r, p.everywhere(config))
}

func (p lenient) everywhere(v spec.Value) spec.Value {
	v = p.read(v)
	for _, m := range v.Members() {
		if read := p.everywhere(m.Value); read.IsAbsent() {
			v = v.Without(m.Name)
		} else {
			v = v.With(m.Name, read)
		}
	}
	if v.Kind() == spec.Array {
		items := v.Items()
		read := make([]spec.Value, len(items))
		for i, item := range items {
			read[i] = p.everywhere(item)
		}
		return spec.ArrayValue(read...)
	}
	return v
}

// TestALenientConfigurationIsFound: whatever the detector, and without luck: next to nothing is generated.
func TestALenientConfigurationIsFound(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	null := func(v spec.Value) spec.Value {
		if v.Kind() == spec.Null {
			return spec.Value{}
		}
		return v
	}
	text := func(v spec.Value) spec.Value {
		if v.Text() == "3" {
			return spec.IntValue(3)
		}
		return v
	}
	for name, read := range map[string]func(spec.Value) spec.Value{"null is absent": null, "a text is a number": text} {
		for _, d := range spec.Detectors() {
			if d.ID != d.ID.Row() {
				continue
			}
			budget := fuzz.Budget{Checks: 1, Seeds: []int64{1}, Suite: all}
			results, err := fuzz.Judge(t.Context(), lenient{reference.Port(), read}, reference.Port(), tracegen.For,
				[]cases.Case{laws.AgreementOf(d)}, budget)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.Status != conformance.Failed || r.Failure.Problem != "the refusal differs" || len(r.Failure.Trace) > 0 {
					t.Errorf("%s in %s (%s): got %s: %+v", name, r.Detector, r.Reading, r.Status, r.Failure)
				}
			}
		}
	}
}
