package fuzz_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestEveryCaseThatIsMadeCanBeRead: whatever is generated may be a counterexample, and one case that is refused keeps
// all others of its folder from being tested.
func TestEveryCaseThatIsMadeCanBeRead(t *testing.T) {
	t.Parallel()
	for _, definition := range spec.Detectors() {
		for _, reading := range definition.Readings {
			t.Run(string(definition.ID)+" "+string(reading), func(t *testing.T) {
				t.Parallel()
				draw := tracegen.For(definition.Offer(), reading)
				rapid.Check(t, func(t *rapid.T) {
					c := fuzz.Counterexample{Subject: draw(t), Finding: fuzz.Finding{Check: fuzz.AgreementID, Step: -1}}
					made, err := fuzz.CaseOf(t.Context(), reference.Port(), c)
					if err != nil {
						t.Skip(err) // a trace without steps
					}
					text := cases.Write(made)
					if _, err := cases.Parse("found.yaml", text); err != nil {
						t.Fatalf("%v\n%s", err, text)
					}
				})
			})
		}
	}
}
