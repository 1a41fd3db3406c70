package fuzz_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// alone returns the settings of a port that has no other rule: those that bear on it, without the name of a swarm.
func alone(d spec.Definition, rule spec.VerdictKind) (names []string) {
	for _, p := range d.Settings {
		if p.BearsOn(rule) && p.Needs != spec.Shared {
			names = append(names, p.Name)
		}
	}
	return names
}

// TestEachRuleAloneIsJudgedRight: a port that declares one rule, and the settings of that rule, passes all that it is
// asked: cases, laws and generated traces. Where the rule speaks an event too late, the first clause that is named is
// the one that says when the rule holds.
func TestEachRuleAloneIsJudgedRight(t *testing.T) {
	if testing.Short() {
		t.Skip("each rule is a port: make long runs it")
	}
	t.Parallel()
	for _, definition := range spec.Detectors() {
		for _, rule := range definition.Rules {
			t.Run(fmt.Sprintf("%s/%s", definition.ID, rule.Kind), func(t *testing.T) {
				t.Parallel()
				sound := judgedAlone(t, ruleAlone(t, definition.ID, rule.Kind, false), fuzz.Cases())
				if n := sound.Count(conformance.Passed); n < 10 {
					t.Errorf("only %d tests passed", n)
				}
				for _, r := range sound.Results {
					if definition.ID == spec.Crow && r.Case == "crow-law-threshold-monotonicity" {
						continue // no setting turns the other rules off: where one speaks, this port sees nothing
					}
					if r.Status != conformance.Passed && r.Status != conformance.Skipped {
						t.Errorf("%s (%s) is %s: %s %+v", r.Case, r.Reading, r.Status, r.Reason, r.Failure)
					}
				}
				late := judgedAlone(t, ruleAlone(t, definition.ID, rule.Kind, true), nil).ByClause()
				if len(late) == 0 || !slices.Contains(rule.Clauses, late[0].Clause) {
					t.Errorf("one that is late breaks %s first, want one of %s", clausesOf(late), rule.Clauses)
				}
			})
		}
	}
}

func clausesOf(groups []conformance.ClauseFailures) (clauses []string) {
	for _, g := range groups {
		clauses = append(clauses, g.Clause)
	}
	return clauses
}

// judgedAlone returns what cases say of a port of one detector, and laws on generated traces.
func judgedAlone(t *testing.T, impl spec.Implementation, laws []cases.Case) *conformance.Report {
	t.Helper()
	port := spec.NewHost(spec.Description{Name: "alone", Version: "1", Language: "go"}, impl)
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	isOther := func(c cases.Case) bool { return c.Detector != impl.Detector }
	suite := slices.DeleteFunc(slices.Clone(all), isOther) // all is shared
	laws = slices.DeleteFunc(slices.Clone(laws), isOther)
	options := conformance.Options{Suite: conformance.SuiteInfo{Selected: len(suite)}}
	report, err := conformance.Run(t.Context(), port, suite, options)
	if err != nil {
		t.Fatal(err)
	}
	budget := fuzz.Budget{Checks: 50, Seeds: []int64{1}, Suite: suite}
	generated, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For, laws, budget)
	if err != nil {
		t.Fatal(err)
	}
	report.Results = append(report.Results, generated...)
	return report
}

// ruleAlone returns the reference with one rule, which speaks an event too late where it is wanted so.
func ruleAlone(t *testing.T, id spec.DetectorID, kind spec.VerdictKind, late bool) spec.Implementation {
	t.Helper()
	all := reference.Implementations()
	impl := all[slices.IndexFunc(all, func(i spec.Implementation) bool { return i.Detector == id })]
	impl.Rules, impl.Settings = []spec.VerdictKind{kind}, alone(impl.Definition(), kind)
	definition := impl.Definition()
	impl.Features = slices.DeleteFunc(slices.Clone(impl.Features), func(f spec.Feature) bool {
		return !slices.ContainsFunc(definition.Settings, func(p spec.Parameter) bool {
			return p.Needs == f && slices.Contains(impl.Settings, p.Name)
		})
	})
	impl.Functions = nil
	whole := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := whole(r, config); err != nil {
			return nil, err
		}
		for _, asked := range definition.Asked(config) {
			if asked != kind {
				return nil, spec.BadConfig("rules", "it knows no rule but %s", kind)
			}
		}
		d, err := whole(r, withoutOthers(definition, kind, config))
		spoke := false
		alone := &tweaked{
			Detector: d,
			after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
				speaks := v.Loop && v.Kind == kind
				if v.Loop && (!speaks || late && !spoke) {
					v = spec.Verdict{}
				}
				spoke = speaks
				return v
			},
			reset: func() { spoke = false },
		}
		if checker, ok := d.(spec.EventChecker); ok {
			return checking{alone, checker}, err
		}
		return alone, err
	}
	return impl
}

// checking is a detector that refuses what another one refuses.
type checking struct {
	spec.Detector
	spec.EventChecker
}

// withoutOthers returns a configuration under which, as far as there are settings for it, no other rule speaks.
func withoutOthers(definition spec.Definition, kind spec.VerdictKind, config spec.Value) spec.Value {
	if definition.Asks != nil {
		return config
	}
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	mine := alone(definition, kind)
	for _, p := range definition.Settings {
		switch {
		case slices.Contains(mine, p.Name):
		case (p.Use == spec.Threshold || p.Use == spec.Percent) && !p.Usual(spec.Text).IsAbsent():
			config = config.With(p.Name, spec.IntValue(spec.MaxSetting))
		case p.Name == "signature":
			config = config.With(p.Name, spec.ObjectValue(spec.Member{Name: "threshold", Value: spec.IntValue(spec.MaxSetting)}))
		}
	}
	return config
}
