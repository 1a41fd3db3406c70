package porttest

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
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

// TestDigestOfAPlan: what is known of the built-in suite is never said of other cases.
func TestDigestOfAPlan(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	port, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	profiled := port
	profiled.Detectors = append(slices.Clone(port.Detectors), spec.Offer{
		Detector: "@goose", Readings: []spec.Reading{spec.Code},
	})
	for _, test := range []struct {
		reason   string
		settings conformance.Settings
		port     spec.Description
		all      []cases.Case
	}{
		{"the built-in suite", conformance.Settings{}, port, suite},
		{"laws are no part of the digest", conformance.Settings{}, port, slices.Concat(suite, fuzz.Cases())},
		{"cases of a folder", conformance.Settings{Folder: "f"}, port, suite[:9]},
		{"the protocol and the laws alone", conformance.Settings{LawsAlone: true}, port, suite},
		{"two ports", conformance.Settings{Against: []string{"old"}}, port, suite},
		{"cases of a profile", conformance.Settings{}, profiled, suite},
	} {
		plan := &Plan{Settings: test.settings, All: test.all}
		if err := plan.Choose(t.Context(), test.port); err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		if got, want := plan.Options().Suite.Digest, cases.Digest(plan.All); got != want {
			t.Errorf("%s: digest %s, want %s", test.reason, got, want)
		}
	}
}
