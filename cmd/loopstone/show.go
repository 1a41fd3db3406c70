package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/claims"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/internal/nearest"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func showCommand(flags *pflag.FlagSet) runner {
	noSource := flags.Bool("no-source", false, "show no lines of the reference, for who ports without having seen it")
	web := flags.Bool("web", false, "open its page of the site, which "+siteEnv+" names, and print the address")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		ids := c.all()
		if len(ids) == 0 {
			return conformance.Usage, usagef("say what: the id of a case, a clause, a claim or a detector")
		}
		all, err := builtInSuite()
		if err != nil {
			return conformance.SuiteFault, err
		}
		if *web {
			return showWeb(ctx, io, all, ids)
		}
		return showText(io, all, ids, *noSource)
	}
}

func showText(io streams, all []cases.Case, ids []string, noSource bool) (conformance.Outcome, error) {
	for i, id := range ids {
		if i > 0 {
			fmt.Fprintln(io.out)
		}
		if name, is := strings.CutPrefix(id, "@"); is {
			if err := showProfile(io.out, name); err != nil {
				return conformance.Usage, usageError{err}
			}
			continue
		}
		if !show(io.out, all, spelled(id), noSource) {
			return conformance.Usage, usagef("nothing has the id %q; %s", id, meantID(id))
		}
	}
	return conformance.Conformant, nil
}

// spelled returns an id as it is spelled, of which capitals and small letters may have been mixed up.
func spelled(id string) string {
	for _, known := range anyID(nil) {
		if strings.EqualFold(known, id) {
			return known
		}
	}
	return id
}

// meantID says which id was meant. Clauses are numbers, all of which are near one another: of these it names the last.
func meantID(id string) string {
	if last, ok := spec.LastClause(id); ok {
		return "the last clause of those is " + last.ID
	}
	if meant, ok := nearest.Name(id, anyID(nil)); ok {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	documents, _ := claims.Documents() // they are built in
	for _, d := range documents {
		if name, _, _ := strings.Cut(id, "#"); strings.EqualFold(name, d.ID) {
			return fmt.Sprintf("%s is a document, %q: loopstone list claims has what it says", d.ID, d.Title)
		}
	}
	return "loopstone list cases, list clauses and list claims have the ids"
}

// show prints whatever has the id, and reports whether anything has.
func show(w io.Writer, all []cases.Case, id string, noSource bool) bool {
	if clause, ok := spec.ClauseByID(id); ok {
		showClause(w, all, clause, noSource)
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

func showClause(w io.Writer, all []cases.Case, c spec.Clause, noSource bool) {
	fmt.Fprintf(w, "%s %s, %s, %s", c.ID, c.Level, c.Mark, c.Source)
	if len(c.Readings) > 0 {
		fmt.Fprintf(w, ", %s reading", plain(c.Readings, "/"))
	}
	fmt.Fprintf(w, "\n  %s\n", c.Text)
	if c.Literal != "" {
		fmt.Fprintf(w, "%s\n", indent(c.Literal))
	}
	fmt.Fprintf(w, "  spec/clauses/%s:%d\n", c.File, c.Line)
	if !noSource {
		showPassages(w, c)
	}
	for _, each := range all {
		if slices.Contains(each.Clauses, c.ID) {
			fmt.Fprintf(w, "  %s  %s\n", each.ID, each.Title)
		}
	}
}

// showPassages prints the lines of the reference that carry the clause's id.
func showPassages(w io.Writer, c spec.Clause) {
	for _, p := range reference.Passages(c.ID) {
		if strings.HasSuffix(p.File, "/detector.go") {
			fmt.Fprintf(w, "  %s:%d does the same event by event\n", p.File, p.Line)
			continue
		}
		fmt.Fprintf(w, "  %s:%d\n%s\n", p.File, p.Line, indent(p.Code))
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
	if c.IsLaw() {
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
	needs := conformance.NeedsOf(c)
	field("needs", plain(c.Needs, " "))
	field("rules", plain(needs.Rules, " "))
	field("settings", plain(needs.Settings, " "))
	field("members", plain(needs.Members, " "))
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

// showClaim prints the claim of that id, and reports whether there is one.
func showClaim(w io.Writer, id string) bool {
	c, ok := claims.ByID(id)
	if !ok {
		return false
	}
	fmt.Fprintf(w, "%s %s of %s\n  %s\n  spec/claims/%s:%d\n", c.ID, c.Kind, c.Source(), c.Text, c.Place.File, c.Place.Line)
	fmt.Fprintf(w, "  %-9s %s\n", "detectors", plain(c.Detectors, " "))
	if len(c.Clauses) > 0 {
		fmt.Fprintf(w, "  %-9s %s\n", "clauses", strings.Join(c.Clauses, " "))
	}
	for _, f := range c.Findings {
		showFinding(w, f)
	}
	return true
}

func showFinding(w io.Writer, f claims.Finding) {
	fmt.Fprintf(w, "  %-9s %s", f.Reading, f.Status)
	if f.Reason != "" {
		fmt.Fprintf(w, ": %s", f.Reason)
	}
	fmt.Fprintln(w)
	if f.Says != nil {
		fmt.Fprintf(w, "    if the claim is true, %s\n", demandOf(f))
	}
	for _, id := range f.Cases {
		fmt.Fprintf(w, "    %s  %s\n", id, titleOf(id))
	}
	if f.Contrast != "" {
		fmt.Fprintf(w, "    the same trace in the other reading: %s\n", f.Contrast)
	}
}

// demandOf says what the first case of a finding expects where the claim holds.
func demandOf(f claims.Finding) string {
	if f.Says.Step == 0 {
		return fmt.Sprintf("%s returns %s", f.Cases[0], f.Says.Result)
	}
	return fmt.Sprintf("step %d of %s expects %s", f.Says.Step, f.Cases[0], f.Says.Expect)
}

func titleOf(id string) string {
	all, err := cases.All()
	if err != nil {
		return ""
	}
	for _, c := range all {
		if c.ID == id {
			return c.Title
		}
	}
	return ""
}

// showLaw prints a law with the proof of its exceptions, and reports whether there is one of that id.
func showLaw(w io.Writer, id string) bool {
	law, ok := laws.LawByID(id)
	if !ok {
		return false
	}
	fmt.Fprintf(w, "%s: %s\n  why  %s\n", law.ID, law.Sentence, law.Why)
	for _, e := range law.Exceptions {
		fmt.Fprintf(w, "  does not hold for %s (%s): %s\n    %s\n", e.Detector, e.Reading, e.Why,
			fuzz.Subject{Trace: e.Counterexample}.Value())
	}
	return true
}
