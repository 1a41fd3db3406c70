package fuzz_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// twin is a fast history that says a loop a call too early.
func twin() spec.Port {
	impl := changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
			if v.Count == 2 {
				v.Loop, v.Kind = true, spec.KindRepeat
			}
			return v
		}}
	})
	return spec.NewHost(spec.Description{Name: "twin", Version: "1", Language: "go"}, impl)
}

// TestTheRulesHaveTheLastWord: a port that says what the rules say is not accused because the fast detector is wrong;
// one that says something else is, whatever the fast detector says.
func TestTheRulesHaveTheLastWord(t *testing.T) {
	t.Parallel()
	laws, err := cases.Selection{Detectors: []string{"history"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason       string
		port, oracle spec.Port
		want         conformance.Outcome
	}{
		{"the port is right, and the fast detector wrong", historyAlone(), twin(), conformance.SuiteFault},
		{"the port is wrong, and the fast detector right", twin(), reference.Port(), conformance.NotConformant},
	} {
		budget := fuzz.Budget{Checks: 50, Seeds: []int64{1}, Rules: reference.Rules()}
		results, err := fuzz.Judge(t.Context(), test.port, test.oracle, generate.For, laws, budget)
		if err != nil {
			t.Fatal(err)
		}
		if got := (&conformance.Report{Results: results}).Outcome(); got != test.want {
			t.Errorf("%s: the outcome is %s, want %s", test.reason, got, test.want)
		}
		isAgreement := func(r conformance.Result) bool { return r.IsAgreement() }
		agreement := results[slices.IndexFunc(results, isAgreement)]
		if test.want == conformance.SuiteFault && !strings.Contains(agreement.Reason, "the rules say what the port says") {
			t.Errorf("%s: %s", test.reason, agreement.Reason)
		}
	}
	campaign := fuzz.Campaign{
		Pairs: []fuzz.Pair{{Port: historyAlone(), Oracle: twin()}}, Rules: reference.Rules(), Source: generate.For,
		Seed: 1, For: 500_000_000,
	}
	found, _, err := campaign.Run(t.Context())
	if _, ours := errors.AsType[*conformance.SuiteError](err); !ours || len(found) > 0 {
		t.Errorf("a campaign: found %v, %v; want a fault of the suite", found, err)
	}
}

func historyAlone() spec.Port {
	return spec.NewHost(spec.Description{Name: "right", Version: "1", Language: "go"}, reference.Implementation(spec.History))
}
