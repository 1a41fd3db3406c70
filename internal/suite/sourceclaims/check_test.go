package sourceclaims

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// check returns what is wrong with a ledger that can be read, one problem a line.
func check(documents []Document) error {
	problems := []error{uniqueTexts(documents)}
	for _, d := range documents {
		problems = append(problems, checkNumbers(d), checkOmissions(d))
		for _, c := range d.Claims {
			problems = append(problems, checkClaim(c))
		}
	}
	return errors.Join(problems...)
}

func TestTheLedgerIsSound(t *testing.T) {
	t.Parallel()
	documents, err := Documents()
	if err != nil {
		t.Fatal(err)
	}
	if err := check(documents); err != nil {
		t.Error(err)
	}
}

// checkNumbers checks that the claims are D1-1, D1-2, … without a gap.
func checkNumbers(d Document) error {
	var problems []error
	for i, c := range d.Claims {
		if want := fmt.Sprintf("%s-%d", d.ID, i+1); c.ID != want {
			problems = append(problems, c.Place.Problemf("the id %s: the next one is %s", c.ID, want))
		}
	}
	return errors.Join(problems...)
}

// checkOmissions checks that a section is either passed over or has claims.
func checkOmissions(d Document) error {
	var problems []error
	for _, o := range d.Omissions {
		for _, c := range d.Claims {
			if c.Section == o.Section {
				problems = append(problems, c.Place.Problemf("%s is in %s, which is listed as without claims", c.ID, o.Section))
			}
		}
	}
	return errors.Join(problems...)
}

// checkClaim checks what a claim can be checked for without its cases.
func checkClaim(c Claim) error {
	problems := []error{checkDetectors(c), checkClauses(c)}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if got, want := readingsFound(c), readingsOf(c.Detectors); !slices.Equal(got, want) {
		return c.Place.Problemf("%s has findings for %v; its detectors have the readings %v", c.ID, got, want)
	}
	for _, f := range c.Findings {
		problems = append(problems, checkFinding(c, f))
	}
	return errors.Join(problems...)
}

func checkDetectors(c Claim) error {
	for _, id := range c.Detectors {
		if _, known := spec.DefinitionOf(id); !known {
			return c.Place.Problemf("%s: unknown detector %q", c.ID, id)
		}
	}
	return nil
}

// checkClauses checks that the clauses exist and belong to the detectors.
func checkClauses(c Claim) error {
	var prefixes []string
	for _, id := range c.Detectors {
		definition, _ := spec.DefinitionOf(id) // checked before
		prefixes = append(prefixes, definition.Prefix)
	}
	for _, id := range c.Clauses {
		prefix, _, _ := strings.Cut(id, "-")
		if _, known := spec.ClauseByID(id); !known {
			return c.Place.Problemf("%s: unknown clause %s", c.ID, id)
		}
		if !slices.Contains(prefixes, prefix) {
			return c.Place.Problemf("%s: clause %s belongs to none of its detectors %v", c.ID, id, c.Detectors)
		}
	}
	return nil
}

func readingsFound(c Claim) []spec.Reading {
	var found []spec.Reading
	for _, f := range c.Findings {
		found = append(found, f.Reading)
	}
	return found
}

// readingsOf returns the readings that any of the detectors has, code before text.
func readingsOf(detectors []spec.DetectorID) []spec.Reading {
	var all []spec.Reading
	for _, id := range detectors {
		definition, _ := spec.DefinitionOf(id) // checked before
		all = append(all, definition.Readings...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// checkFinding checks that a finding has what its status asks for, and nothing else.
func checkFinding(c Claim, f Finding) error {
	where := c.ID + ", " + string(f.Reading)
	switch {
	case f.Status != Ambiguous && len(f.Cases) == 0:
		return c.Place.Problemf("%s: %s needs a case that proves it", where, f.Status)
	case f.Status != Ambiguous && len(c.Clauses) == 0:
		return c.Place.Problemf("%s: %s needs a clause", where, f.Status)
	case (f.Status == Holds) != (f.Reason == ""):
		return c.Place.Problemf("%s: a reason stands where something is refuted or ambiguous, and only there", where)
	case f.Status == Refuted && f.Says == nil:
		return c.Place.Problemf("%s: refuted needs says: what the claim demands of the case", where)
	case f.Status == Ambiguous && f.Says != nil:
		return c.Place.Problemf("%s: what is ambiguous demands nothing of a case", where)
	}
	return checkOther(c, f)
}

// checkOther checks that a claim which is refuted in one reading and holds in another says which case shows the
// difference, and that it is one of the other reading's.
func checkOther(c Claim, f Finding) error {
	var holding []string
	for _, other := range c.Findings {
		if f.Status == Refuted && other.Status == Holds {
			holding = append(holding, other.Cases...)
		}
	}
	switch {
	case len(holding) == 0 && f.OtherReading != "":
		return c.Place.Problemf("%s, %s: no other reading holds, so no case shows another", c.ID, f.Reading)
	case len(holding) > 0 && !slices.Contains(holding, f.OtherReading):
		return c.Place.Problemf("%s, %s: other_reading: want one of the cases of the reading that holds: %v",
			c.ID, f.Reading, holding)
	}
	return nil
}

// uniqueTexts finds claims that were copied.
func uniqueTexts(documents []Document) error {
	first := map[string]Claim{}
	var problems []error
	for _, d := range documents {
		for _, c := range d.Claims {
			if other, twice := first[d.ID+c.Text]; twice {
				problems = append(problems, c.Place.Problemf("%s says what %s says", c.ID, other.ID))
				continue
			}
			first[d.ID+c.Text] = c
		}
	}
	return errors.Join(problems...)
}
