package fuzz_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// yesNo is the rule exact alone, says yes or no, and takes nothing but its threshold, to which it adds late.
func yesNo(late int) spec.Implementation {
	whole := reference.Implementation(spec.Fingerprint)
	offer := spec.Offer{
		Detector: spec.Fingerprint, Readings: whole.Readings, Rules: []spec.VerdictKind{spec.KindExact},
		Members: []string{"loop"}, Settings: []string{"threshold"},
	}
	return spec.Implementation{
		Offer: offer,
		New: func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			s, err := offer.Read(r, config)
			if err != nil {
				return nil, err
			}
			alone := spec.ObjectValue(spec.Member{Name: "threshold", Value: spec.IntValue(s.Number("threshold") + late)})
			for _, other := range []string{"fuzzy_threshold", "test_failures", "bash_failures", "text_turns"} {
				alone = alone.With(other, spec.IntValue(spec.MaxSetting))
			}
			d, err := whole.New(r, alone)
			return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
				return spec.Verdict{Loop: v.Loop, Suggestion: "members that are not declared are nobody's business"}
			}}, err
		},
	}
}

// unsettable takes no configuration at all.
func unsettable() spec.Implementation {
	impl := reference.Implementation(spec.Fingerprint)
	impl.Settings, impl.Features, impl.Functions = []string{}, nil, nil
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := impl.Read(r, config); err != nil {
			return nil, err
		}
		return made(r, spec.Value{})
	}
	return impl
}

// TestGeneratedTracesAskWhatIsDeclared: a port that has less keeps every law and agrees with the reference as far as it
// goes; one that is wrong there disagrees.
func TestGeneratedTracesAskWhatIsDeclared(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		impl   spec.Implementation
		agrees conformance.Status
		raised conformance.Status // of the law that changes thresholds
	}{
		{"yes or no", yesNo(0), conformance.Passed, conformance.Passed},
		{"yes or no, one too late", yesNo(1), conformance.Failed, conformance.Passed},
		{"nothing to set", unsettable(), conformance.Passed, conformance.Skipped},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			results, err := fuzz.Judge(t.Context(), hosted(test.impl), reference.Port(), tracegen.For,
				fuzz.Cases(), fuzz.Budget{Checks: 200, Seeds: []int64{1}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				want := conformance.Passed
				switch {
				case r.Detector != spec.Fingerprint || r.Missing != nil:
					want = conformance.Skipped
				case r.Case == "fingerprint-law-agreement":
					want = test.agrees
				case r.Case == "fingerprint-law-threshold-monotonicity":
					want = test.raised
				}
				if r.Status != want {
					t.Errorf("%s is %s, want %s: %s %v", r.Case, r.Status, want, r.Reason, r.Failure)
				}
			}
		})
	}
}

// TestACaseOfAPortWithFewerRulesAsksForNoOther: what was found of such a port becomes a case that it is asked, and fails.
func TestACaseOfAPortWithFewerRulesAsksForNoOther(t *testing.T) {
	t.Parallel()
	impl := yesNo(1)
	port := hosted(impl)
	h := fuzz.NewFuzzer(port, reference.Port(), tracegen.For, impl.Offer, spec.Text)
	subject := fuzz.Subject{Trace: laws.Trace{Detector: spec.Fingerprint, Reading: spec.Text}}
	for _, event := range []string{`{"type":"test_run","passed":false}`, `{"type":"tool_call","tool":"a"}`} {
		for range 3 { // the first three are a loop of another rule
			subject.Steps = append(subject.Steps, laws.Step{Event: spec.MustParse(event)})
		}
	}
	made, err := h.Case(t.Context(), reference.Port(), h.Checks[0], fuzz.Counterexample{Subject: subject})
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Run(t.Context(), port, []cases.Case{made}, conformance.Options{})
	if err != nil || report.Outcome() != conformance.NotConformant {
		t.Errorf("%s, %v, want not conformant by\n%s", report.Outcome(), err, cases.Write(made))
	}
}

// TestTwoPortsAreComparedInWhatBothHave: neither is held to the rules of the other.
func TestTwoPortsAreComparedInWhatBothHave(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches for a second: make long runs it")
	}
	t.Parallel()
	for name, pair := range map[string]fuzz.Pair{
		"the oracle has less": {Port: reference.Port(), Oracle: hosted(yesNo(0))},
		"the port has less":   {Port: hosted(yesNo(0)), Oracle: reference.Port()},
	} {
		fingerprint, _ := spec.DefinitionOf(spec.Fingerprint)
		campaign := fuzz.Campaign{
			Pairs: []fuzz.Pair{pair}, Laws: fuzz.CasesOf(fingerprint), Source: tracegen.For, Seed: 1, For: 500_000_000,
		}
		found, _, err := campaign.Run(t.Context())
		if err != nil || len(found) > 0 {
			t.Errorf("%s: found %v, %v, want nothing", name, found, err)
		}
	}
}

// hiding declares the rule exact alone, and says exact wherever another rule speaks, where the verdict has that member.
func hiding(members ...string) spec.Implementation {
	impl := reference.Implementation(spec.Fingerprint)
	impl.Rules, impl.Members, impl.Features, impl.Functions = []spec.VerdictKind{spec.KindExact}, members, nil, nil
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		d, err := made(r, config)
		return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
			if v.Loop && v.Kind != spec.KindExact {
				v.Kind, v.Count = spec.KindExact, 99
			}
			return v
		}}, err
	}
	return impl
}

// TestAnUndeclaredRuleIsNoHidingPlace: where the reference says another rule, the declared one that is asked before it
// does not hold, so that a port that says it is wrong.
func TestAnUndeclaredRuleIsNoHidingPlace(t *testing.T) {
	t.Parallel()
	agreement, err := cases.Selection{Cases: []string{"fingerprint-law-agreement"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for name, members := range map[string][]string{"all members": nil, "only yes or no": {"loop"}} {
		results, err := fuzz.Judge(t.Context(), hosted(hiding(members...)), reference.Port(), tracegen.For, agreement,
			fuzz.Budget{Checks: 100, Seeds: []int64{1}})
		if err != nil {
			t.Fatal(err)
		}
		if r := results[0]; r.Status != conformance.Failed || r.Failure.Steps > 4 {
			t.Errorf("%s: %s is %s: %s %+v; want a short trace on which it fails", name, r.Case, r.Status, r.Reason, r.Failure)
		}
	}
}

// TestTheFirstThatFailsIsTheLast: who wants no more than one failure does not wait for the others to be shrunk.
func TestTheFirstThatFailsIsTheLast(t *testing.T) {
	t.Parallel()
	budget := fuzz.Budget{Checks: 100, Seeds: []int64{1}, FailFast: true}
	results, err := fuzz.Judge(t.Context(), hosted(hiding()), reference.Port(), tracegen.For, fuzz.Cases(), budget)
	if err != nil {
		t.Fatal(err)
	}
	count := map[conformance.Status]int{}
	for _, r := range results {
		count[r.Status]++
		if r.Status == conformance.Undecided && !strings.Contains(r.Reason, "stops at the first") {
			t.Errorf("%s is undecided: %s", r.Case, r.Reason)
		}
	}
	if count[conformance.Failed] != 1 || count[conformance.Undecided] == 0 {
		t.Errorf("got %v, want one that failed, and some that were not run", count)
	}
}
