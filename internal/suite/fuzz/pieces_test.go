package fuzz_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// deafAfter is a stream detector that, once it was told so many characters, reports no loop at a piece that is so short.
func deafAfter(characters, short int) spec.Implementation {
	return changed(reference.Implementation(spec.Stream), func(d spec.Detector, _ spec.Value) spec.Detector {
		told := 0
		return &tweaked{Detector: d, after: func(e spec.Event, v spec.Verdict) spec.Verdict {
			if e.Type != spec.Delta {
				return v
			}
			if told += len(e.Text); told >= characters && len(e.Text) <= short {
				return spec.Verdict{}
			}
			return v
		}}
	})
}

// TestFindingsInStreamsHaveFewPieces: a person reads a text in a few long pieces, and not in hundreds of one character,
// even if the law that is broken cuts it so.
func TestFindingsInStreamsHaveFewPieces(t *testing.T) {
	t.Parallel()
	const mostPieces = 5
	for _, test := range []struct {
		reason string
		check  string
		impl   spec.Implementation
	}{
		{"a text of 300 characters shows the fault", fuzz.AgreementID, deafAfter(300, 1<<20)},
		{"a piece of one character after a hundred shows the fault", fuzz.AgreementID, deafAfter(100, 1)},
		{"the law cuts the text into pieces of one character", "stream-cuts", deafAfter(100, 1)},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			h := fuzz.NewFuzzer(hosted(test.impl), reference.Port(), tracegen.For, test.impl.Offer, spec.Code)
			h.Checks = slices.DeleteFunc(h.Checks, func(c fuzz.Check) bool { return c.ID != test.check })
			var found []fuzz.Counterexample
			for seed := uint64(1); len(found) == 0 && seed <= 20; seed++ {
				var err error
				if found, err = h.Look(t.Context(), 500, seed); err != nil {
					t.Fatal(err)
				}
			}
			if len(found) == 0 {
				t.Fatal("nothing is found")
			}
			made, err := h.Case(t.Context(), reference.Port(), h.Checks[0], found[0])
			if err != nil {
				t.Fatal(err)
			}
			written := 0
			for _, step := range made.Steps {
				written += len(step.Events)
			}
			if pieces := len(found[0].Subject.Steps); pieces > mostPieces || written > mostPieces {
				t.Errorf("%d pieces, and %d of the case; want at most %d", pieces, written, mostPieces)
			}
		})
	}
}
