package claims

import (
	"errors"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// checkClaim checks what a claim can be checked for without its cases.
func checkClaim(c Claim) error {
	problems := []error{checkDetectors(c), checkClauses(c)}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if got, want := readingsFound(c), readingsOf(c.Detectors); !slices.Equal(got, want) {
		return problemAt(c.Place, "%s has findings for %v; its detectors have the readings %v", c.ID, got, want)
	}
	for _, f := range c.Findings {
		problems = append(problems, checkFinding(c, f))
	}
	return errors.Join(problems...)
}

func checkDetectors(c Claim) error {
	for _, id := range c.Detectors {
		if _, known := spec.DefinitionOf(id); !known {
			return problemAt(c.Place, "%s: unknown detector %q", c.ID, id)
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
			return problemAt(c.Place, "%s: unknown clause %s", c.ID, id)
		}
		if !slices.Contains(prefixes, prefix) {
			return problemAt(c.Place, "%s: clause %s belongs to none of its detectors %v", c.ID, id, c.Detectors)
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
		return problemAt(c.Place, "%s: %s needs a case that proves it", where, f.Status)
	case f.Status != Ambiguous && len(c.Clauses) == 0:
		return problemAt(c.Place, "%s: %s needs a clause", where, f.Status)
	case (f.Status == Holds) != (f.Reason == ""):
		return problemAt(c.Place, "%s: a reason stands where something is refuted or ambiguous, and only there", where)
	case f.Status == Refuted && f.Says == nil:
		return problemAt(c.Place, "%s: refuted needs says: what the claim demands of the case", where)
	case f.Status == Ambiguous && f.Says != nil:
		return problemAt(c.Place, "%s: what is ambiguous demands nothing of a case", where)
	}
	return checkContrast(c, f)
}

// checkContrast checks that a claim which is refuted in one reading and holds in another says which case shows the
// difference, and that it is one of the other reading's.
func checkContrast(c Claim, f Finding) error {
	var holding []string
	for _, other := range c.Findings {
		if f.Status == Refuted && other.Status == Holds {
			holding = append(holding, other.Cases...)
		}
	}
	switch {
	case len(holding) == 0 && f.Contrast != "":
		return problemAt(c.Place, "%s, %s: no other reading holds, so there is no contrast", c.ID, f.Reading)
	case len(holding) > 0 && !slices.Contains(holding, f.Contrast):
		return problemAt(c.Place, "%s, %s: contrast: want one of the cases of the reading that holds: %v",
			c.ID, f.Reading, holding)
	}
	return nil
}
