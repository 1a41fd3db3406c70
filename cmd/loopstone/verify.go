package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/statement"
)

// runVerify runs the suite again and compares what it finds with what a statement says.
func runVerify(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("verify", flag.ContinueOnError)
	var limits timeouts
	limits.register(flags)
	words, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if len(words) == 0 {
		return conformance.Usage, usagef("say which statement")
	}
	stated, err := readStatement(words[0])
	if err != nil {
		return conformance.Usage, err
	}
	port, err := targetOf(afterDashes(words[1:]), limits)
	if err != nil {
		return conformance.Usage, err
	}
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	all = slices.Concat(all, fuzz.Cases())
	selected, err := statedCases(all, stated)
	if err != nil {
		return conformance.NotConformant, err
	}
	r, outcome, err := judge(ctx, io, port, work{
		selected,
		conformance.Options{Command: port.words(), Suite: conformance.InfoOfPart(all, selected)},
		fuzz.Budget{Checks: defaultChecks, Seed: uint64(max(stated.Seed, 1))},
	})
	if err != nil {
		return outcome, err
	}
	return tellDifferences(io, words[0], stated, r), nil
}

// afterDashes returns a command without the -- that stands before it: the flag package takes it away only where no
// other word comes first.
func afterDashes(words []string) []string {
	if len(words) > 0 && words[0] == "--" {
		return words[1:]
	}
	return words
}

func readStatement(path string) (statement.Statement, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return statement.Statement{}, usageError{err}
	}
	stated, err := statement.Read(path, text)
	if err != nil {
		return statement.Statement{}, usageError{err}
	}
	return stated, nil
}

// statedCases returns the cases of the suite that a statement is about.
func statedCases(all []cases.Case, stated statement.Statement) ([]cases.Case, error) {
	wanted := map[string]bool{}
	for _, r := range stated.Results {
		wanted[r.Case] = true
	}
	var selected []cases.Case
	for _, c := range all {
		if wanted[c.ID] {
			selected = append(selected, c)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("the suite has none of the statement's %d cases", len(wanted))
	}
	return selected, nil
}

func tellDifferences(io streams, path string, stated statement.Statement, r *conformance.Report) conformance.Outcome {
	differences := statement.Compare(stated, r)
	if len(differences) == 0 {
		fmt.Fprintf(io.out, "%s holds: %d results of %s %s are as stated\n", path, len(r.Results), r.Port.Name, r.Port.Version)
		return conformance.Conformant
	}
	fmt.Fprintf(io.out, "%s does not hold:\n", path)
	for _, d := range differences {
		fmt.Fprintf(io.out, "  %s\n", d)
	}
	switch outcome := r.Outcome(); outcome {
	case conformance.AdapterFault, conformance.SuiteFault, conformance.NotDecided:
		return outcome
	}
	return conformance.NotConformant
}

// runMerge puts the jsonl reports of a run's shards together.
func runMerge(_ context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("merge", flag.ContinueOnError)
	var reports targets
	flags.Var(&reports, "report", "a report of the whole as `format[=file]`, any number of them: "+formats())
	verbose := flags.Bool("verbose", false, "show every failure whole")
	paths, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if len(paths) == 0 {
		return conformance.Usage, usagef("say which jsonl reports")
	}
	whole, err := readReports(paths)
	if err != nil {
		return conformance.NotDecided, err
	}
	if len(reports) == 0 {
		reports = targets{{Format: "text"}}
	}
	var problems problems
	for _, t := range reports {
		problems.add(t.Write(io.out, whole, report.Options{
			Verbose: *verbose, Started: time.Time{}, Folder: "cases", Colour: t.Path == "" && colourful(io.out),
		}))
	}
	return whole.Outcome(), problems.err()
}

func readReports(paths []string) (*conformance.Report, error) {
	var parts []*conformance.Report
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		part, err := report.ReadJSONL(file)
		file.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		parts = append(parts, part)
	}
	return report.Merge(parts...)
}
