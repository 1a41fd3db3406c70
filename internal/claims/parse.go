package claims

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

// Parse reads the claims of one document. The file is named after the document; the name is otherwise only used for
// places.
func Parse(name string, text []byte) (Document, error) {
	node, err := strictyaml.Parse(name, text)
	if err != nil {
		return Document{}, err
	}
	d := Document{Place: node.Place}
	err = node.Read(map[string]strictyaml.Reader{
		"document":       readDocumentID(&d.ID, name),
		"title":          strictyaml.Str(&d.Title),
		"advice":         strictyaml.Strs(&d.Advice),
		"without_claims": eachItem(func(n *strictyaml.Node) error { return readOmission(n, &d.Omissions) }),
		"claims":         eachItem(func(n *strictyaml.Node) error { return readClaim(n, &d.Claims) }),
	}, "document", "title", "advice", "claims")
	if err != nil {
		return d, err
	}
	return d, errors.Join(checkNumbers(d), checkOmissions(d))
}

func readDocumentID(into *string, file string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if want := strings.TrimSuffix(path.Base(file), ".yaml"); n.Text != want || !documentID.MatchString(want) {
			return n.Problemf("the document %q: want one of D1 to D5, and the name of the file", n.Text)
		}
		*into = n.Text
		return nil
	}
}

var (
	documentID = regexp.MustCompile(`^D[1-5]$`)
	slug       = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// eachItem returns the Reader of a list that is not empty; all that is wrong with any item is returned.
func eachItem(read func(*strictyaml.Node) error) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if len(n.Items) == 0 {
			return n.Problemf("want a list that is not empty, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			problems = append(problems, read(item))
		}
		return errors.Join(problems...)
	}
}

func readSlug(into *string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.String || !slug.MatchString(n.Text) {
			return n.Problemf("the section %q: want lower-case words joined by -", n.Text)
		}
		*into = n.Text
		return nil
	}
}

func oneOf[T ~string](into *T, allowed ...T) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.String || !slices.Contains(allowed, T(n.Text)) {
			return n.Problemf("%q: want one of %v", n.Text, allowed)
		}
		*into = T(n.Text)
		return nil
	}
}

func readOmission(n *strictyaml.Node, into *[]Omission) error {
	var o Omission
	err := n.Read(map[string]strictyaml.Reader{
		"section": readSlug(&o.Section),
		"reason":  strictyaml.Str(&o.Reason),
	}, "section", "reason")
	*into = append(*into, o)
	return err
}

func readClaim(n *strictyaml.Node, into *[]Claim) error {
	c := Claim{Place: n.Place}
	var says *Says
	err := n.Read(map[string]strictyaml.Reader{
		"id":        strictyaml.Str(&c.ID),
		"section":   readSlug(&c.Section),
		"kind":      oneOf(&c.Kind, Sentence, Table, Diagram, Listing, Example),
		"claim":     strictyaml.Str(&c.Text),
		"detectors": strictyaml.Strs(&c.Detectors),
		"clauses":   strictyaml.Strs(&c.Clauses),
		"says":      readSays(&says),
		"readings":  readFindings(&c.Findings),
	}, "id", "section", "kind", "claim", "detectors", "readings")
	c.Text = strings.TrimSpace(c.Text)
	for i := range c.Findings {
		if f := &c.Findings[i]; f.Says == nil && f.Status != Ambiguous {
			f.Says = says
		}
	}
	*into = append(*into, c)
	if err != nil {
		return err
	}
	return checkClaim(c)
}

func readFindings(into *[]Finding) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Object {
			return n.Problemf("want a mapping of readings, got %s", n.Kind)
		}
		var problems []error
		for _, p := range n.Pairs {
			f := Finding{Reading: spec.Reading(p.Name)}
			problems = append(problems, readFinding(p.Value, &f))
			*into = append(*into, f)
		}
		slices.SortFunc(*into, func(a, b Finding) int { return strings.Compare(string(a.Reading), string(b.Reading)) })
		return errors.Join(problems...)
	}
}

func readFinding(n *strictyaml.Node, f *Finding) error {
	err := n.Read(map[string]strictyaml.Reader{
		"status":   oneOf(&f.Status, Holds, Refuted, Ambiguous),
		"reason":   strictyaml.Str(&f.Reason),
		"cases":    strictyaml.Strs(&f.Cases),
		"contrast": strictyaml.Str(&f.Contrast),
		"says":     readSays(&f.Says),
	}, "status")
	f.Reason = strings.TrimSpace(f.Reason)
	return err
}

func readSays(into **Says) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		says := Says{}
		err := n.Read(map[string]strictyaml.Reader{
			"step":   strictyaml.Int(1, &says.Step),
			"expect": strictyaml.Mapping(&says.Expect),
			"result": strictyaml.Any(&says.Result),
		})
		if err != nil {
			return err
		}
		if (says.Step > 0) == says.Expect.IsAbsent() || (says.Step > 0) != says.Result.IsAbsent() {
			return n.Problemf("says: want either step and expect, or result")
		}
		*into = &says
		return nil
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
		return c.Place.Problemf("%s, %s: no other reading holds, so there is no contrast", c.ID, f.Reading)
	case len(holding) > 0 && !slices.Contains(holding, f.Contrast):
		return c.Place.Problemf("%s, %s: contrast: want one of the cases of the reading that holds: %v",
			c.ID, f.Reading, holding)
	}
	return nil
}
