package laws

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

func TestEveryRuleHasItsEvidence(t *testing.T) {
	t.Parallel()
	rules := 0
	for _, d := range spec.Detectors() {
		for _, kind := range d.Kinds() {
			rules++
			if evidenceOf[kind].of == nil {
				t.Errorf("the table evidenceOf does not say what the evidence of %s must be", kind)
			}
		}
	}
	if len(evidenceOf) != rules {
		t.Errorf("the table has %d rules, the detectors have %d", len(evidenceOf), rules)
	}
}
