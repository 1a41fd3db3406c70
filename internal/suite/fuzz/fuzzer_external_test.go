package fuzz_test

import (
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// unforgetting is a detector that a reset does not make forget.
type unforgetting struct{ spec.Detector }

func (unforgetting) Reset() {}

// TestALawThatTheReferenceBreaksAccusesNobody: the law is wrong then, or the reference is, and both are ours.
func TestALawThatTheReferenceBreaksAccusesNobody(t *testing.T) {
	t.Parallel()
	lawless := changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		return unforgetting{d}
	})
	laws, err := cases.Selection{Cases: []string{"history-law-reset-is-fresh"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason    string
		reference spec.Port
		want      conformance.Outcome
	}{
		{"the port alone breaks it", reference.Port(), conformance.NotConformant},
		{"the reference breaks it too", hosted(lawless), conformance.SuiteFault},
	} {
		budget := fuzz.Budget{Checks: 50, Seeds: []int64{1}, Reference: test.reference}
		results, err := fuzz.Judge(t.Context(), hosted(lawless), reference.Port(), tracegen.For, laws, budget)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&conformance.Report{Results: results}).Outcome(); got != test.want {
			t.Errorf("%s: the outcome is %s, want %s: %s", test.reason, got, test.want, results[0].Reason)
		}
	}
}
