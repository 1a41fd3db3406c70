package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/claims"
)

// allClaims lists every claim of the ledger.
func allClaims(w *tabwriter.Writer, selection conformance.Selection) error {
	if !selection.IsAll() {
		return errors.New("claims are listed all, or the refuted ones with --refuted; the other flags select cases and clauses")
	}
	return listClaims(w, false)
}

// refutedClaims lists the claims that are refuted in at least one reading.
func refutedClaims(w *tabwriter.Writer, selection conformance.Selection) error {
	if !selection.IsAll() {
		return errors.New("claims are selected with --refuted alone; the other flags select cases and clauses")
	}
	return listClaims(w, true)
}

// listClaims prints one row for each claim: its id, what is so of it, where it stands and what it says.
func listClaims(w *tabwriter.Writer, refutedOnly bool) error {
	all, err := claims.All()
	if err != nil {
		return err
	}
	for _, c := range all {
		if refutedOnly && c.Status() != claims.Refuted {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, c.Summary(), c.Source(), c.Text)
	}
	return nil
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
