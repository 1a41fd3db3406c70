package guards_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
)

// An agent that fails for long is told how long, and the latest failures only.
func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	const n = 2*spec.MaxEvidence + 9
	var trace []spec.Event
	for i := range n {
		output := string(rune('a' + i%2)) // no loop of signatures
		trace = append(trace, spec.Event{Type: spec.Iteration, Index: i, Text: output, Failed: true})
	}
	last := detectortest.Observe(detectortest.Open(t, spec.Guards, guards.New, spec.Text, spec.Value{}), trace)[n-1]
	if last.Count != n || len(last.Evidence) != spec.MaxEvidence || last.Evidence[0] != n-spec.MaxEvidence {
		t.Errorf("count %d, evidence %v", last.Count, last.Evidence)
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
		_, err := spec.Define(spec.Guards, guards.New, nil).New(spec.Text, spec.MustParse(config))
		if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidConfig || fault.Field != field {
			t.Errorf("%s: got %v, want invalid_config %s", config, err, field)
		}
	}
}
