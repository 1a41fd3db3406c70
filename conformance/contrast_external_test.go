package conformance_test

import (
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// stubborn gives the same verdict after every event.
type stubborn struct{ verdict spec.Verdict }

func (stubborn) Reset() {}

func (d stubborn) Observe(spec.Event) spec.Verdict { return d.verdict }

// always returns a port of a detector that gives one verdict, whatever it is told.
func always(offer spec.Offer, verdict spec.Verdict) spec.Port {
	return spec.NewHost(spec.Description{Name: "stubborn", Version: "1", Language: "go"}, spec.Implementation{
		Offer: offer,
		New:   func(spec.Reading, spec.Value) (spec.Detector, error) { return stubborn{verdict}, nil },
	})
}

const pairOfContrasts = `detector: history
cases:
  - id: history-silent
    title: Other arguments are another call
    clauses: [HI-1]
    source: silent
    why: w
    config: {repeat_threshold: 2}
    steps:
      - tool_call: {tool: t, args: {a: 1}}
      - tool_call: {tool: t, args: {a: 2}}
        expect: {loop: false}
    contrast: {change: 2, like: 1, expect: {loop: true, kind: repeat, count: 2}}
`

// TestAPairCountsOnce: a silent case and its contrast are one test, which fails if the port is wrong in either.
func TestAPairCountsOnce(t *testing.T) {
	t.Parallel()
	suite, err := cases.Parse("x.yaml", []byte(pairOfContrasts))
	if err != nil {
		t.Fatal(err)
	}
	all := reference.Implementation(spec.History).Offer
	all.Features = nil
	noRule := all
	noRule.Rules = []spec.VerdictKind{}
	for _, test := range []struct {
		name     string
		port     spec.Port
		status   conformance.Status
		contrast string // in what the failed half differs from the case
		reason   string
	}{
		{"silent", always(all, spec.Verdict{}), conformance.Failed, "step 2 like step 1", "the contrast is a loop"},
		{
			"loud", always(all, spec.Verdict{Loop: true, Kind: spec.KindRepeat, Count: 2}), conformance.Failed, "",
			"the case is none",
		},
		{"right", host(reference.Implementation(spec.History)), conformance.Passed, "", "both halves hold"},
		{
			"no rule", always(noRule, spec.Verdict{}), conformance.Skipped, "",
			"the silence of a rule that is not there proves nothing",
		},
	} {
		report, err := conformance.Run(t.Context(), test.port, suite, conformance.Options{})
		if err != nil || len(report.Results) != 1 {
			t.Fatalf("%s: %v, %v", test.name, report, err)
		}
		result := report.Results[0]
		if result.Status != test.status {
			t.Errorf("%s: %s, want %s: %s", test.name, result.Status, test.status, test.reason)
		}
		if result.Failure != nil && result.Failure.Contrast != test.contrast {
			t.Errorf("%s: the failure is in the contrast %q, want %q", test.name, result.Failure.Contrast, test.contrast)
		}
	}
}

// TestTheSilentPassNoPair: a port that reports nothing passes a silent case only if that has no contrast.
func TestTheSilentPassNoPair(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	passed, pairs := map[string]bool{}, 0
	for _, d := range spec.Detectors() {
		port := always(spec.Offer{Detector: d.ID, Readings: d.Readings}, spec.Verdict{})
		report, err := conformance.Run(t.Context(), port, casesOf(t, d.ID), conformance.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range report.Results {
			passed[result.Case] = passed[result.Case] || result.Status == conformance.Passed
		}
	}
	for _, c := range all {
		if c.Contrast != nil {
			pairs++
		}
		if c.IsSilent() && len(c.Needs) == 0 && passed[c.ID] != (c.Contrast == nil) {
			t.Errorf("%s: passed by silence: %t, contrast: %v", c.ID, passed[c.ID], c.Contrast)
		}
	}
	if pairs < 100 {
		t.Errorf("%d pairs", pairs)
	}
}
