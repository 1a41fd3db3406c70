package guards_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/guards"
	rules "github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

var byRules, byTwin = detectortest.Twins(spec.Guards, rules.New, guards.New)

func TestVerdictsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySettings(t)
		rules, d := s.open(t, byRules), s.open(t, byTwin)
		first := 0
		for range rapid.IntRange(1, 3).Draw(t, "resets") {
			trace := events(t, first)
			if diff := cmp.Diff(detectortest.Observe(rules, trace), detectortest.Observe(d, trace)); diff != "" {
				t.Fatalf("%s (-rules +detector):\n%s", s.config(), diff)
			}
			rules.Reset()
			d.Reset()
			first += len(trace)
		}
	})
}

// An agent that fails for long is told how long, and the latest failures only.
func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	const n = 2*spec.MaxEvidence + 9
	var trace []spec.Event
	for i := range n {
		output := string(rune('a' + i%2)) // no loop of signatures
		trace = append(trace, spec.Event{Type: spec.Iteration, Index: i, Text: output, Failed: true})
	}
	for name, impl := range map[string]spec.Implementation{"rules": byRules, "detector": byTwin} {
		last := observed(t, impl, trace)[n-1]
		if last.Count != n || len(last.Evidence) != spec.MaxEvidence || last.Evidence[0] != n-spec.MaxEvidence {
			t.Errorf("%s: count %d, evidence %v", name, last.Count, last.Evidence)
		}
	}
}

func TestConfigurationFaultsNameTheTopLevelMember(t *testing.T) {
	t.Parallel()
	for config, field := range map[string]string{
		`{"max_iterations":0}`:                                   "max_iterations",
		`{"max_runtime_s":60.5}`:                                 "max_runtime_s",
		`{"max_consecutive_errors":true}`:                        "max_consecutive_errors",
		`{"maxIterations":3}`:                                    "maxIterations",
		`{"signature":null}`:                                     "signature",
		`{"signature":{"reading":"prose"}}`:                      "signature",
		`{"signature":{"reading":null}}`:                         "signature",
		`{"signature":{"threshold":0}}`:                          "signature",
		`{"signature":{"window":"5"}}`:                           "signature",
		`{"signature":{"size":5}}`:                               "signature",
		`{"signature":{"reading":"code"},"max_iterations":null}`: "max_iterations",
	} {
		for name, impl := range map[string]spec.Implementation{"rules": byRules, "detector": byTwin} {
			_, err := impl.New(spec.Text, spec.MustParse(config))
			if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidConfig || fault.Field != field {
				t.Errorf("%s, %s: got %v, want invalid_config %s", name, config, err, field)
			}
		}
	}
}

// observed returns the verdicts on a trace under the defaults.
func observed(t *testing.T, impl spec.Implementation, trace []spec.Event) []spec.Verdict {
	d, err := impl.New(spec.Text, spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	return detectortest.Observe(d, trace)
}
