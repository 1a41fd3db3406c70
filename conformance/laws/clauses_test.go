package laws_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// TestEveryLawHasAClauseInEveryReading: a report names the clause of the reading that was judged.
func TestEveryLawHasAClauseInEveryReading(t *testing.T) {
	t.Parallel()
	for _, law := range laws.Laws() {
		for _, d := range spec.Detectors() {
			for _, reading := range d.Readings {
				if !law.IsFor(d.ID) || !law.HoldsFor(d.ID, reading) {
					continue
				}
				holds := func(id string) bool {
					c, known := spec.ClauseByID(id)
					return known && (len(c.Readings) == 0 || slices.Contains(c.Readings, reading))
				}
				if !slices.ContainsFunc(law.ClausesFor(d.ID), holds) {
					t.Errorf("%s of %s (%s): none of %q is about this reading", law.ID, d.ID, reading, law.ClausesFor(d.ID))
				}
			}
		}
	}
}
