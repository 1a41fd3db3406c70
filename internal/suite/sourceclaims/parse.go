package sourceclaims

import (
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Parse reads the claims of one document. The file is named after the document; the name is otherwise only used for
// places.
func Parse(name string, text []byte) (Document, error) {
	node, err := strictyaml.Parse(name, text)
	if err != nil {
		return Document{}, err
	}
	var d Document
	err = node.Read(map[string]strictyaml.Reader{
		"document":       readDocumentID(&d.ID, name),
		"title":          strictyaml.Str(&d.Title),
		"advice":         strictyaml.Strs(&d.Advice),
		"without_claims": strictyaml.Each(&d.Omissions, readOmission),
		"claims":         strictyaml.Each(&d.Claims, readClaim),
	}, "document", "title", "advice", "claims")
	return d, err
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

func readOmission(n *strictyaml.Node) (Omission, error) {
	var o Omission
	err := n.Read(map[string]strictyaml.Reader{
		"section": readSlug(&o.Section),
		"reason":  strictyaml.Str(&o.Reason),
	}, "section", "reason")
	return o, err
}

func readClaim(n *strictyaml.Node) (Claim, error) {
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
	return c, err
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
		"status":        oneOf(&f.Status, Holds, Refuted, Ambiguous),
		"reason":        strictyaml.Str(&f.Reason),
		"cases":         strictyaml.Strs(&f.Cases),
		"other_reading": strictyaml.Str(&f.OtherReading),
		"says":          readSays(&f.Says),
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
