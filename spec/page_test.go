package spec

import (
	"slices"
	"strings"
	"testing"
)

// TestAPageHasEachClauseOfItsFile, in their order, and all words of the file but labels and sources.
func TestAPageHasEachClauseOfItsFile(t *testing.T) {
	t.Parallel()
	names := []string{commonPage}
	for _, d := range Detectors() {
		names = append(names, string(d.ID))
	}
	for _, name := range names {
		page, ok := PageOf(name)
		if !ok || page.Title == "" {
			t.Fatalf("%s has no page with a title", name)
		}
		var got, want []string
		for _, b := range page.Blocks {
			if b.Kind == ClauseAt {
				got = append(got, b.Text)
			}
			if b.Kind == Literal && !strings.HasSuffix(b.Text, "\n") {
				t.Errorf("%s: a literal block is empty: %q", name, b.Text)
			}
		}
		for _, c := range Clauses() {
			if c.File == name+".md" {
				want = append(want, c.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the clauses are %v, want %v", name, got, want)
		}
	}
	if _, ok := PageOf("no-detector"); ok {
		t.Error("a detector that there is not has a page")
	}
}

func TestPageIsReadBlockByBlock(t *testing.T) {
	t.Parallel()
	page := readPage(`# Title

A paragraph
of two lines.

Source: D1#section

Terms:

- *step*: one
  thing. Its *mark* is known.
- *to hold*: to be true.

## Heading

**XX-1** (MUST) The clause
goes on.
Source: as text of the clause.

` + "```\n- literal\n\n  # kept\n```\n")
	want := []Block{
		{Paragraph, "A paragraph of two lines."},
		{Paragraph, "Terms:"},
		{Item, "*step*: one thing. Its *mark* is known."},
		{Item, "*to hold*: to be true."},
		{Heading, "Heading"},
		{ClauseAt, "XX-1"},
		{Literal, "- literal\n\n  # kept\n"},
	}
	if page.Title != "Title" || !slices.Equal(page.Blocks, want) {
		t.Errorf("got %q, want %q", page.Blocks, want)
	}
	terms := page.Terms()
	if len(terms) != 2 || !slices.Equal(terms[0].Names, []string{"step", "mark"}) {
		t.Fatalf("the terms are %q", terms)
	}
	for text, uses := range map[string][2]bool{
		"Two steps are equal.":     {true, false},
		"The mark of it.":          {true, false},
		"A rule holds.":            {false, true},
		"Stepwise, he beholds.":    {false, false},
		"`step` and `hold` only.":  {false, false},
		"Marked steps which hold.": {true, true},
	} {
		if got := [2]bool{terms[0].UsedIn(text), terms[1].UsedIn(text)}; got != uses {
			t.Errorf("%q uses %v, want %v", text, got, uses)
		}
	}
}

func TestTheOwnPageDefinesATerm(t *testing.T) {
	t.Parallel()
	c, _ := ClauseByID("HI-13")
	windows := 0
	for _, term := range TermsOf(c) {
		if term.Names[0] == "window" {
			windows++
			if !strings.Contains(term.Text, "history_size") {
				t.Errorf("the window is that of another page: %s", term.Text)
			}
		}
	}
	if windows != 1 {
		t.Errorf("the window is defined %d times", windows)
	}
}

// TestOtherPagesAreThoseOfNamedClauses shows that a page says which further pages its port needs: guards judges with
// the detector signature, swarm with the texts of fingerprint, history with nothing but its own.
func TestOtherPagesAreThoseOfNamedClauses(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"guards": {"signature"}, "swarm": {"fingerprint"}, "history": nil,
	} {
		page, _ := PageOf(name)
		got := page.OtherPages()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s names clauses of %v, want %v", name, got, want)
		}
	}
}
