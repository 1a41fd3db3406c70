package rulecases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// partsOf lists the parts of events that each detector compares. Those of a profile have tests of their own.
var partsOf = map[spec.DetectorID][]faultyadapter.Part{
	spec.Fingerprint: {faultyadapter.Tools, faultyadapter.Texts, faultyadapter.Arguments, faultyadapter.IDs},
	spec.Signature:   {faultyadapter.Outputs},
	spec.History:     {faultyadapter.Tools, faultyadapter.Texts, faultyadapter.Arguments},
	spec.Crow: {
		faultyadapter.Tools, faultyadapter.Texts, faultyadapter.Arguments, faultyadapter.IDs, faultyadapter.Answers, faultyadapter.Failures, faultyadapter.Messages,
		faultyadapter.Plans,
	},
	spec.Swarm:  {faultyadapter.Tools, faultyadapter.Texts, faultyadapter.Arguments, faultyadapter.Workers},
	spec.Ralph:  {faultyadapter.Outputs},
	spec.Guards: {faultyadapter.Outputs},
	spec.Composed: {
		faultyadapter.Tools, faultyadapter.Texts, faultyadapter.Arguments, faultyadapter.IDs, faultyadapter.Answers, faultyadapter.Failures, faultyadapter.Thoughts,
	},
	spec.Stream: {faultyadapter.Pieces},
}

// uncompared names the clause by which a detector does not compare a part in a reading.
var uncompared = map[string]string{
	"crow code ids":      "CR-2",
	"crow code answers":  "CR-23",
	"crow text messages": "CR-41",
	"crow text plans":    "CR-41",
}

// harmless names the clause by which a port that makes a mistake of this name in this part is right; of the last one,
// why no case is to notice it.
var harmless = map[string]string{
	"history arguments: no order of members":     "HI-7",
	"crow arguments: no order of members":        "CR-2",
	"crow plans: no order of members":            "CR-26",
	"fingerprint arguments: no order of members": "FP-6",
	"swarm arguments: no order of members":       "SW-3",
	"ralph outputs: the first 10,000 characters": "a slow port takes too long for the LCS of such texts",
}

// TestDetectorsCompareAsTheyShall plants each way to get equality wrong in these parts in a port of each detector, in
// each reading: the cases notice each.
func TestDetectorsCompareAsTheyShall(t *testing.T) {
	if testing.Short() {
		t.Skip("each way in each detector: make long runs it")
	}
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for id, parts := range partsOf {
		row, _ := spec.DefinitionOf(id)
		for _, reading := range row.Readings {
			asked := lists.Filter(suite, func(c cases.Case) bool {
				return c.Detector == id && slices.Contains(c.Readings, reading) && len(c.Steps) > 0 &&
					!slices.Contains(c.Needs, spec.Shared)
			})
			for i := range asked {
				asked[i].Readings = []spec.Reading{reading}
			}
			if !passes(t, reference.Port(), asked) {
				t.Fatalf("%s %s: the reference fails", id, reading)
			}
			about, others := lists.Partition(asked, func(c cases.Case) bool { return strings.Contains(c.ID, "-alike-") })
			for _, part := range parts {
				name := fmt.Sprintf("%s %s %s", id, reading, part)
				if uncompared[name] != "" {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					noticesIn(t, id, part, slices.Concat(about, others))
				})
			}
		}
	}
}

// noticesIn reports each way to get equality wrong in a part that no case notices, and each exception that there is no
// need for.
func noticesIn(t *testing.T, id spec.DetectorID, part faultyadapter.Part, asked []cases.Case) {
	t.Helper()
	for _, e := range faultyadapter.Equalities() {
		if e.Part != part {
			continue
		}
		clause := harmless[fmt.Sprintf("%s %s: %s", id, part, e.Name)]
		changed := lists.Filter(asked, func(c cases.Case) bool { return confuses(e, c) })
		noticed := len(changed) > 0 &&
			outcomeOf(t, e.Merging(reference.Port()), changed) == conformance.NotConformant
		switch {
		case !noticed && clause == "":
			t.Errorf("%s: none of %d cases notices it", e.Name, len(changed))
		case noticed && clause != "":
			t.Errorf("%s: a case notices it, against %s", e.Name, clause)
		}
	}
}

// confuses reports whether a port that makes a mistake compares other values in a case than it is sent.
func confuses(e faultyadapter.Equality, c cases.Case) bool {
	return slices.ContainsFunc(c.Steps, func(s cases.Step) bool {
		if s.Times > 1 {
			s.Times = 1
		}
		return s.Action == cases.Observe && slices.ContainsFunc(s.Observed(), func(event spec.Value) bool {
			return e.Changed(event).String() != event.String()
		})
	})
}
