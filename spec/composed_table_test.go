package spec_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// TestTableOfComposed holds the table of CO-3 against the definition from which the readers of configurations are made.
func TestTableOfComposed(t *testing.T) {
	const file, head = "clauses/composed.md", "```\nmember "
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), head)
	_, after, ends := strings.Cut(rest, "\n```\n")
	if !begins || !ends {
		t.Fatalf("%s has no table that begins with %q", file, head)
	}
	d, _ := spec.DefinitionOf(spec.Composed)
	golden.Check(t, file, before+"```\n"+tableOf(d.Settings)+"```\n"+after)
}

func tableOf(settings []spec.Parameter) string {
	var b strings.Builder
	tableRow(&b, "member", "default", "type or words")
	tableRows(&b, "", settings)
	return b.String()
}

func tableRows(b *strings.Builder, indent string, settings []spec.Parameter) {
	for _, p := range settings {
		tableRow(b, indent+p.Name, usualIn(p), typeOf(p))
		tableRows(b, indent+"  ", p.Members)
	}
}

func tableRow(b *strings.Builder, member, usual, words string) {
	fmt.Fprintf(b, "%-20s %-22s %s\n", member, usual, words)
}

// usualIn returns the default of a member, in words if its value says little.
func usualIn(p spec.Parameter) string {
	switch {
	case p.Name == "name":
		return "its number, from 1"
	case p.Name == "prefix":
		return "the whole text"
	case p.Name == "seconds":
		return "no limit"
	case p.Default.IsAbsent():
		return "{}"
	case p.Kind == spec.String:
		return strings.Trim(p.Default.String(), `"`)
	default:
		return p.Default.String()
	}
}

func typeOf(p spec.Parameter) string {
	switch {
	case p.Kind == spec.Array && p.OneOf != nil:
		return "array of " + strings.Join(p.OneOf, ", ")
	case p.Kind == spec.Array:
		return fmt.Sprintf("array of %ss", p.Of)
	case p.OneOf != nil:
		return strings.Join(p.OneOf, ", ")
	case p.Kind == spec.Number:
		return fmt.Sprintf("integer from %d", p.Least)
	case p.Of == spec.Number:
		return fmt.Sprintf("object of integers from %d, by the name of a tool", p.Least)
	default:
		return p.Kind.String()
	}
}
