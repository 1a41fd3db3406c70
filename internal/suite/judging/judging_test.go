package judging

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
)

// TestWhatKeepsLawsFromBeingCheckedHasItsVoice tells an oracle without an answer from a port that gave none in time,
// which is nobody's fault, and from one that broke the protocol.
func TestWhatKeepsLawsFromBeingCheckedHasItsVoice(t *testing.T) {
	t.Parallel()
	description, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	laws := fuzz.Cases()[:2]
	ours := &conformance.SuiteError{Problem: "the oracle has no answer"}
	for _, test := range []struct {
		why  error
		want conformance.Outcome
	}{
		{&stdio.ProcessError{Reason: stdio.TimedOut, Problem: "no answer in time"}, conformance.NotDecided},
		{&stdio.ProcessError{Reason: stdio.BrokeProtocol, Problem: "a line is no JSON"}, conformance.AdapterFault},
		{ours, conformance.SuiteFault},
	} {
		report := &conformance.Report{Results: notJudged(laws, description, test.why)}
		if got := report.Outcome(); got != test.want || report.Results[0].Reason != test.why.Error() {
			t.Errorf("%v: got %s, %q; want %s", test.why, got, report.Results[0].Reason, test.want)
		}
	}
}
