package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// showContents prints what there is to read, in the order in which somebody who writes a port reads it.
func showContents(s sheet) {
	row := func(id string, title string) { s.text(fmt.Sprintf("  %-24s ", id), title) }
	s.title("loopstone show ID prints one of these:")
	s.heading("The specification")
	row(string(cases.Protocol), "how all clauses are read, and how a port and the runner communicate: read it first")
	for _, d := range spec.Detectors() {
		row(string(d.ID), d.Title)
	}
	s.heading("Profiles: the detectors of known agents, as configurations of composed and stream")
	profiles, _ := profile.All() // they are built in
	for _, p := range profiles {
		row("@"+p.Name, p.Title)
	}
	s.heading("The source documents")
	documents, _ := sourceclaims.Documents() // they are built in
	for _, d := range documents {
		row(d.ID, d.Title)
	}
	s.heading("Their parts")
	row("HI-13", "a clause: loopstone list clauses")
	row("history-order-matters", "a case: loopstone list cases")
	row("D2-9", "a claim of a document: loopstone list claims")
	row("history-law-forgetting", "a law: loopstone list laws")
}

// showDetector prints what a detector is, and the page of its clauses.
func showDetector(s sheet, d spec.Definition) {
	page, _ := spec.PageOf(string(d.ID)) // each detector has one
	s.title(string(d.ID) + ": " + d.Title)
	fmt.Fprintln(s)
	itself := func(document string) bool { return document == string(d.ID) } // PR-47: a page of ours is no document
	documents := strings.Join(slices.DeleteFunc(slices.Clone(d.Documents), itself), ", ")
	s.text("  documents  ", cmp.Or(documents, "none"))
	s.text("  readings   ", wording.Join(d.Readings, ", "))
	s.text("  features   ", wording.Join(d.Features, ", "))
	s.text("  observes   ", wording.Join(d.Observes, ", "))
	s.text("  kinds      ", wording.Join(d.Kinds(), ", "))
	s.text("  protocol   ", "loopstone show protocol has the clauses that hold for every detector")
	for _, id := range page.OtherPages() {
		s.text("  also       ", fmt.Sprintf("loopstone show %s has clauses that the clauses below name", id))
	}
	showPage(s, page)
}

// showProtocol prints the page of the clauses that hold for every detector.
func showProtocol(s sheet) {
	page, _ := spec.PageOf(string(cases.Protocol)) // it is built in
	s.title(page.Title)
	showPage(s, page)
}

func showPage(s sheet, page spec.Page) {
	last := spec.Heading
	for _, b := range page.Blocks {
		if b.Kind != spec.Heading && (b.Kind != spec.Item || last != spec.Item) {
			fmt.Fprintln(s)
		}
		switch b.Kind {
		case spec.Heading:
			s.heading(b.Text)
		case spec.Paragraph:
			s.text("", b.Text)
		case spec.Item:
			s.text("- ", b.Text)
		case spec.Literal:
			s.literal("    ", b.Text)
		case spec.ClauseAt:
			c, _ := spec.ClauseByID(b.Text) // the page has it
			showSentence(s, c)
		}
		last = b.Kind
	}
}

// showSentence prints a clause with its label.
func showSentence(s sheet, c spec.Clause) {
	s.entry(c.ID+" ", labelOf(c))
	s.text("  ", c.Text)
}

// labelOf says how binding a clause is, for whom, and where it comes from, in the order of the clauses' files.
func labelOf(c spec.Clause) string {
	label := []string{string(c.Level), string(c.Mark)}
	for _, r := range c.Readings {
		label = append(label, string(r)+" reading")
	}
	if c.Feature != "" {
		label = append(label, "feature "+string(c.Feature))
	}
	return "(" + strings.Join(append(label, c.Source), ", ") + ")"
}

// showClause prints a clause so that it can be understood by itself: with the terms and the clauses that it names, and
// the case that decides it before all others.
func showClause(s sheet, all []cases.Case, c spec.Clause, noSource bool) {
	showSentence(s, c)
	if c.Literal != "" {
		fmt.Fprintln(s)
		s.literal("    ", c.Literal)
	}
	if terms := spec.TermsOf(c); len(terms) > 0 {
		s.heading("Terms")
		for _, t := range terms {
			s.text("  ", t.Text)
		}
	}
	if named := c.Names(); len(named) > 0 {
		s.heading("Clauses that it names")
		for _, n := range named {
			showSentence(s, n)
		}
	}
	showCases(s, all, c)
	if of := sourceclaims.OfClause(c.ID); len(of) > 0 {
		s.heading("Claims of the documents")
		for _, claim := range of {
			s.text(fmt.Sprintf("  %-6s ", claim.ID), fmt.Sprintf("%s (%s)", claim.Text, claim.Summary()))
		}
	}
	if passages := reference.Passages(c.ID); len(passages) > 0 && !noSource {
		s.heading("In the reference")
		for _, p := range passages {
			fmt.Fprintf(s, "  %s:%d\n", p.File, p.Line)
			s.literal("    ", p.Code)
		}
	}
	s.heading("File")
	fmt.Fprintf(s, "  spec/clauses/%s:%d\n", c.File, c.Line)
}

// showCases prints the cases of a clause, and whole the one that decides it.
func showCases(s sheet, all []cases.Case, c spec.Clause) {
	of := cases.OfClause(all, c.ID)
	if len(of) == 0 {
		return
	}
	s.heading("The case that decides it")
	first := of[0]
	fmt.Fprintf(s, "  %s\n", first.ID)
	s.text("    ", first.Title+".")
	s.text("    ", first.Why)
	s.text("    ", "loopstone show "+first.ID+" prints its events.")
	if len(of) == 1 {
		return
	}
	s.heading("Further cases")
	for _, each := range of[1:] {
		fmt.Fprintf(s, "  %s\n", each.ID)
		s.text("    ", each.Title)
	}
}
