package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/spec"
)

func runShow(_ context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("show", flag.ContinueOnError)
	ids, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if len(ids) == 0 {
		return conformance.Usage, usagef("say what: the id of a case, a clause, a claim or a detector")
	}
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	for i, id := range ids {
		if i > 0 {
			fmt.Fprintln(io.out)
		}
		if !show(io.out, all, id) {
			return conformance.Usage, usagef("nothing has the id %q; see loopstone list", id)
		}
	}
	return conformance.Conformant, nil
}

// show prints whatever has the id, and reports whether anything has.
func show(w io.Writer, all []cases.Case, id string) bool {
	if clause, ok := spec.ClauseByID(id); ok {
		showClause(w, all, clause)
		return true
	}
	if definition, ok := spec.DefinitionOf(spec.DetectorID(id)); ok {
		showDetector(w, definition)
		return true
	}
	for _, c := range slices.Concat(all, fuzz.Cases()) {
		if c.ID == id {
			showCase(w, c)
			return true
		}
	}
	return showClaim(w, id) || showLaw(w, id)
}

func showClause(w io.Writer, all []cases.Case, c spec.Clause) {
	fmt.Fprintf(w, "%s %s, %s, %s", c.ID, c.Level, c.Mark, c.Source)
	if len(c.Readings) > 0 {
		fmt.Fprintf(w, ", %s reading", plain(c.Readings, "/"))
	}
	fmt.Fprintf(w, "\n  %s\n  spec/clauses/%s:%d\n", c.Text, c.File, c.Line)
	for _, each := range all {
		if slices.Contains(each.Clauses, c.ID) {
			fmt.Fprintf(w, "  %s  %s\n", each.ID, each.Title)
		}
	}
}

func showDetector(w io.Writer, p spec.Definition) {
	fmt.Fprintf(w, "%s: %s\n  documents  %s\n  readings   %s\n  features   %s\n", p.ID, p.Title,
		strings.Join(p.Documents, " "), plain(p.Readings, " "), plain(p.Features, " "))
	for _, c := range spec.Clauses() {
		if strings.HasPrefix(c.ID, p.Prefix+"-") {
			fmt.Fprintf(w, "  %-6s %s\n", c.ID, c.Text)
		}
	}
}

func showCase(w io.Writer, c cases.Case) {
	place := fmt.Sprintf("cases/%s:%d", c.Place.File, c.Place.Line)
	if fuzz.IsLaw(c) {
		place = "on generated traces and on those of the cases; loopstone list laws"
	}
	fmt.Fprintf(w, "%s  %s\n  %s\n", c.ID, c.Title, place)
	for _, id := range c.Clauses {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses
		fmt.Fprintf(w, "  %-9s%s: %s\n", "clause", id, clause.Text)
	}
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-9s%s\n", name, text)
		}
	}
	field("source", c.Source)
	field("readings", plain(c.Readings, " "))
	field("needs", plain(c.Needs, " "))
	field("tags", strings.Join(c.Tags, " "))
	field("why", c.Why)
	demand := c.Demand()
	for _, name := range []string{"config", "refuse", "call", "result", "fault"} {
		if v := demand.Get(name); !v.IsAbsent() {
			field(name, v.String())
		}
	}
	for _, name := range []string{"steps", "exchange"} {
		for i, step := range demand.Get(name).Items() {
			field(fmt.Sprintf("%s %d", strings.TrimSuffix(name, "s"), i+1), step.String())
		}
	}
}
