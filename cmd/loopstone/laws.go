package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/laws"
)

// listLaws prints the laws that are checked on generated traces and on the traces of the cases.
func listLaws(w *tabwriter.Writer, selection conformance.Selection) error {
	if !selection.IsAll() {
		return fmt.Errorf("laws are listed all; the flags select cases and clauses")
	}
	for _, law := range laws.Laws() {
		fmt.Fprintf(w, "%s\t%d exceptions\t%s\n", law.ID, len(law.Exceptions), law.Sentence)
	}
	return nil
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
