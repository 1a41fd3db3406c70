package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/claims"
	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/internal/nearest"
	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/internal/texts"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// lists holds what can be listed, each with the function that prints its rows: those that a selection narrows, or all.
var lists = map[string]struct {
	some func(*tabwriter.Writer, conformance.Selection) error
	all  func(*tabwriter.Writer) error
}{
	"cases":     {some: listCases},
	"claims":    {all: func(w *tabwriter.Writer) error { return listClaims(w, false) }},
	"clauses":   {some: listClauses},
	"detectors": {all: listDetectors},
	"features":  {all: listFeatures},
	"laws":      {all: listLaws},
	"profiles":  {all: listProfiles},
}

func listCommand(flags *pflag.FlagSet) runner {
	var selection conformance.Selection
	selectionFlags(flags, &selection)
	refuted := flags.Bool("refuted", false, "of claims: only those that are refuted in a reading")
	return func(_ context.Context, io streams, c call) (conformance.Outcome, error) {
		return runList(io, c.all(), selection, *refuted)
	}
}

func runList(io streams, words []string, selection conformance.Selection, refuted bool) (conformance.Outcome, error) {
	if len(words) == 0 {
		return conformance.Usage, usagef("say what: one of %s", strings.Join(listNames(), ", "))
	}
	list, ok := lists[words[0]]
	switch {
	case !ok:
		return conformance.Usage, usagef("cannot list %q; %s", words[0], nearest.Hint(words[0], listNames()))
	case len(words) > 1:
		return conformance.Usage, usagef("one list at a time, got %q; flags such as --detector select", words)
	case refuted && words[0] != "claims":
		return conformance.Usage, usagef("--refuted is for claims")
	case words[0] == "claims" && !selection.IsAll():
		return conformance.Usage, usagef(
			"claims are listed all, or the refuted ones with --refuted; the other flags select cases and clauses")
	case list.all != nil && !selection.IsAll():
		return conformance.Usage, usagef("%s are listed all; the flags select cases and clauses", words[0])
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	var err error
	switch {
	case refuted:
		err = listClaims(w, true)
	case list.all != nil:
		err = list.all(w)
	default:
		err = list.some(w, selection)
	}
	var suite suiteError
	if errors.As(err, &suite) {
		return conformance.SuiteFault, err
	}
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	return conformance.Conformant, w.Flush()
}

func listCases(w *tabwriter.Writer, selection conformance.Selection) error {
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	selected, err := selection.Select(all)
	if err != nil {
		return err
	}
	for _, c := range selected {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, texts.Join(c.Readings, "/"), strings.Join(c.Clauses, " "), c.Title)
	}
	return nil
}

func listClauses(w *tabwriter.Writer, selection conformance.Selection) error {
	cited := map[string]int{}
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	selected, err := selection.Select(all)
	if err != nil {
		return err
	}
	for _, c := range selected {
		for _, id := range c.Clauses {
			cited[id]++
		}
	}
	for _, c := range spec.Clauses() {
		if !selection.IsAll() && cited[c.ID] == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d cases\t%s\n", c.ID, c.Level, c.Mark, c.Source, cited[c.ID], c.Text)
	}
	return nil
}

func listDetectors(w *tabwriter.Writer) error {
	all, err := suiteOf(conformance.Settings{})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "detector\treadings\tdocuments\tfeatures\tfunctions\twhat it looks for\twhat a run asks")
	for _, impl := range reference.Implementations() {
		p, ok := spec.DefinitionOf(impl.Detector)
		if !ok {
			return fmt.Errorf("the specification has no detector %q", impl.Detector)
		}
		functions := strings.Join(slices.Sorted(maps.Keys(impl.Functions)), " ")
		n, laws, tests := countAsked(all, p.ID)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d cases, %d laws, %d tests\n", p.ID, texts.Join(impl.Readings, " "),
			strings.Join(p.Documents, " "), texts.Join(impl.Features, " "), orDash(functions), p.Title, n, laws, tests)
	}
	return nil
}

// countAsked returns how many cases and laws of a detector there are, and how many tests: each of them in each reading.
func countAsked(all []cases.Case, detector spec.DetectorID) (n, laws, tests int) {
	for _, c := range all {
		switch {
		case c.Detector != detector:
			continue
		case c.IsLaw():
			laws++
		default:
			n++
		}
		tests += len(c.Readings)
	}
	return n, laws, tests
}

func listFeatures(w *tabwriter.Writer) error {
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "detector\tfeature\tcases that need it")
	for _, p := range spec.Detectors() {
		for _, f := range p.Features {
			n := 0
			for _, c := range all {
				if c.Detector == p.ID && slices.Contains(c.Needs, f) {
					n++
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%d\n", p.ID, f, n)
		}
	}
	return nil
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

// listLaws prints the laws that are checked on generated traces and on the traces of the cases.
func listLaws(w *tabwriter.Writer) error {
	for _, law := range laws.Laws() {
		fmt.Fprintf(w, "%s\t%d exceptions\t%s\n", law.ID, len(law.Exceptions), law.Sentence)
	}
	return nil
}

// listProfiles prints the detectors of the field that composed has configurations of.
func listProfiles(w *tabwriter.Writer) error {
	all, err := profile.All()
	if err != nil {
		return suiteError{err}
	}
	fmt.Fprintln(w, "profile\trules\twhat it looks for\tsource")
	for _, p := range all {
		fmt.Fprintf(w, "@%s\t%d\t%s\t%s\n", p.Name, len(p.Rules.Items()), p.Title, p.Source.Repository)
	}
	return nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
