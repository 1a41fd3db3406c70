package detectortest

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// CasesHold states that the plain rules of a detector pass every case of the suite that they are fit for.
func CasesHold(t *testing.T, rules spec.Implementation) {
	t.Helper()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	suite = slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool { return c.Detector != rules.Detector })
	host := spec.NewHost(spec.Description{Name: "rules", Language: "go"}, rules)
	report, err := conformance.Run(t.Context(), host, suite, conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, r := range report.Results {
		switch r.Status {
		case conformance.Passed:
			passed++
		case conformance.Skipped: // needs a feature that rules do not have
		case conformance.Failed:
			t.Errorf("%s, reading %s: step %d: %s", r.Case, r.Reading, r.Failure.Step, r.Failure.Problem)
		default:
			t.Errorf("%s, reading %s: %s: %s", r.Case, r.Reading, r.Status, r.Reason)
		}
	}
	if passed == 0 {
		t.Error("no case was passed")
	}
}
