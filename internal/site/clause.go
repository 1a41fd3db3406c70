package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/claims"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// clausePage shows one clause: its sentence, why it matters, its cases, the lines of the reference, its claims.
func (s *site) clausePage(c spec.Clause) string {
	var b strings.Builder
	file := strings.TrimSuffix(c.File, ".md")
	b.WriteString(front(c.ID + ": " + shorten(strings.ReplaceAll(c.Text, "`", ""), 70)))
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n", c.ID, prose(c.Text))
	if c.Literal != "" {
		b.WriteString(fenced("", c.Literal) + "\n")
	}
	fmt.Fprintf(&b, "%s, %s, %s", c.Level, c.Mark, quoted(c.Source))
	if len(c.Readings) > 0 {
		fmt.Fprintf(&b, "; binds only the reading %s", list(c.Readings, quoted))
	}
	fmt.Fprintf(&b, ". A clause of [%s](/spec/%s), %s.\n\n", file, file, source("spec/clauses/"+c.File, c.Line))
	b.WriteString(whys(s.casesOf(c.ID)))
	b.WriteString(passages(c.ID))
	b.WriteString(claimLines(c.ID))
	b.WriteString(s.historyOf(c))
	return b.String()
}

// historyOf tells which version has a clause, and what the change log says of it.
func (s *site) historyOf(c spec.Clause) string {
	h := s.history[c.ID]
	var b strings.Builder
	b.WriteString("## History\n\n")
	switch {
	case h.Version == "":
		b.WriteString("No version has it yet; the next one will.\n\n")
	case h.Same:
		fmt.Fprintf(&b, "Version %s has it, word for word.\n\n", h.Version)
	default:
		fmt.Fprintf(&b, "Version %s has it in other words.\n\n", h.Version)
	}
	for _, entry := range h.Entries {
		fmt.Fprintf(&b, "- %s: %s\n", entry.Version, prose(entry.Text))
	}
	return b.String()
}

// whys lists cases with what goes wrong for users of a port that fails them.
func whys(suite []cases.Case) string {
	if len(suite) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Cases, and why they matter\n\n<div class=\"cards\">\n\n| case | title | why |\n|---|---|---|\n")
	for _, c := range suite {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", caseLink(c), cell(c.Title), cell(c.Why))
	}
	return b.String() + "\n</div>\n\n"
}

// passages shows where the reference carries out a clause.
func passages(id string) string {
	found := reference.Passages(id)
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## In the reference\n\n")
	for _, p := range found {
		fmt.Fprintf(&b, "%s\n\n%s\n", source(p.File, p.Line), fenced("go", p.Code))
	}
	return b.String()
}

func claimLines(id string) string {
	found := claims.OfClause(id)
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("## Claims of the documents\n\n")
	for _, c := range found {
		place := fmt.Sprintf("/claims/%s#%s", c.Document(), strings.ToLower(c.ID))
		fmt.Fprintf(&b, "- [%s](%s), %s: %s\n", c.ID, place, c.Status(), prose(c.Text))
	}
	return b.String()
}

// documentPage shows all claims of a document, each with a place of its own.
func (s *site) documentPage(d claims.Document) string {
	var b strings.Builder
	b.WriteString(front("Claims of " + d.ID))
	fmt.Fprintf(&b, "# Claims of %s\n\n%s.\n", d.ID, prose(d.Title))
	for _, c := range d.Claims {
		fmt.Fprintf(&b, "\n## %s\n\n%s (%s of `%s`)\n\n", c.ID, prose(c.Text), c.Kind, c.Section)
		for _, f := range c.Findings {
			fmt.Fprintf(&b, "- `%s` %s. %s %s\n", f.Reading, f.Status, prose(f.Reason), list(f.Cases, s.namedCase))
		}
		if len(c.Clauses) > 0 {
			fmt.Fprintf(&b, "- Clauses: %s\n", list(c.Clauses, clauseLink))
		}
	}
	return b.String()
}

// namedCase links to a case of the suite; one that stands for a law has no page.
func (s *site) namedCase(id string) string {
	if i := slices.IndexFunc(s.suite, func(c cases.Case) bool { return c.ID == id }); i >= 0 {
		return caseLink(s.suite[i])
	}
	return quoted(id)
}

// shorten cuts a text at a rune.
func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
