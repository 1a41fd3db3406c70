package profile

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/faulty"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/lists"
)

// partsOf lists parts of events that the detectors compare, each with the cases that its values need. Rules of composed
// and stream have tests of their own.
var partsOf = map[spec.DetectorID][]faulty.Part{
	spec.Fingerprint: {faulty.Arguments},
	spec.History:     {faulty.Arguments},
	spec.Crow:        {faulty.Arguments},
	spec.Swarm:       {faulty.Arguments},
}

// harmless names the clause by which a port that makes a mistake of this name in this part is right.
var harmless = map[string]string{
	"history arguments: no order of members": "HI-7",
	"crow arguments: no order of members":    "CR-2",
}

// TestDetectorsCompareAsTheyShall plants each way to get equality wrong in these parts in a port of each detector, in
// each reading: the cases notice each.
func TestDetectorsCompareAsTheyShall(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for id, parts := range partsOf {
		row, _ := spec.DefinitionOf(id)
		for _, reading := range row.Readings {
			asked := lists.Filter(suite, func(c cases.Case) bool {
				return c.Detector == id && slices.Contains(c.Readings, reading) && len(c.Steps) > 0
			})
			for _, part := range parts {
				t.Run(fmt.Sprintf("%s %s %s", id, reading, part), func(t *testing.T) {
					t.Parallel()
					noticesIn(t, row, reading, part, asked)
				})
			}
		}
	}
}

// noticesIn reports each way to get equality wrong in a part that no case notices, and each exception that there is no
// need for.
func noticesIn(t *testing.T, row spec.Definition, reading spec.Reading, part faulty.Part, asked []cases.Case) {
	t.Helper()
	offer := row.Offer()
	offer.Readings = []spec.Reading{reading}
	for _, e := range faulty.Equalities() {
		if e.Part != part {
			continue
		}
		clause := harmless[fmt.Sprintf("%s %s: %s", row.ID, part, e.Name)]
		changed := lists.Filter(asked, func(c cases.Case) bool { return confuses(e, c) })
		noticed := len(changed) > 0 &&
			outcomeOf(t, e.Of(reference.Port(offer)), changed) == conformance.NotConformant
		switch {
		case !noticed && clause == "":
			t.Errorf("%s: none of %d cases notices it", e.Name, len(changed))
		case noticed && clause != "":
			t.Errorf("%s: a case notices it, against %s", e.Name, clause)
		}
	}
}

// confuses reports whether a port that makes a mistake compares other values in a case than it is sent.
func confuses(e faulty.Equality, c cases.Case) bool {
	return slices.ContainsFunc(c.Steps, func(s cases.Step) bool {
		if s.Times > 1 {
			s.Times = 1
		}
		return s.Action == cases.Observe && slices.ContainsFunc(s.Observed(), func(event spec.Value) bool {
			return e.Changed(event).String() != event.String()
		})
	})
}
