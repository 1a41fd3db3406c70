package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/floor"
	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/internal/witness"
)

func runLint(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("lint", flag.ContinueOnError)
	deep := flags.Bool("deep", false, "find copies among the cases, and run detectors that guess, too")
	rest, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	switch len(rest) {
	case 0:
		return lintSuite(ctx, io, *deep)
	case 1:
		if *deep {
			return conformance.Usage, usagef("--deep is for the suite that is built in")
		}
		return lintFolder(io, rest[0])
	default:
		return conformance.Usage, usagef("takes one folder, got %q", rest)
	}
}

// lintSuite checks the suite that is built in: its files, and that it covers the specification.
func lintSuite(ctx context.Context, io streams, deep bool) (conformance.Outcome, error) {
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	if err := cases.Lint(all); err != nil {
		return conformance.SuiteFault, fmt.Errorf("the suite is wrong:\n%w", err)
	}
	if err := lintProfiles(ctx); err != nil {
		return conformance.SuiteFault, fmt.Errorf("the profiles are wrong:\n%w", err)
	}
	if deep {
		if err := lintDeep(ctx, all); err != nil {
			return conformance.SuiteFault, fmt.Errorf("the suite is wrong:\n%w", err)
		}
	}
	fmt.Fprintf(io.out, "%d cases, digest %s: nothing to say\n", len(all), cases.Digest(all))
	return conformance.Conformant, nil
}

// lintProfiles demands a trace for every rung of every built-in profile: one that never speaks says that the profile is
// not the detector that it restates.
func lintProfiles(ctx context.Context) error {
	all, err := profile.All()
	if err != nil {
		return err
	}
	var problems []error
	for _, p := range all {
		problems = append(problems, witness.EverySpeaks(ctx, "@"+p.Name, p.Config()))
	}
	return errors.Join(problems...)
}

// lintFolder checks the case files below a folder; they need not cover anything.
func lintFolder(io streams, dir string) (conformance.Outcome, error) {
	if _, err := os.Stat(dir); err != nil {
		return conformance.Usage, usageError{err}
	}
	all, err := cases.Load(os.DirFS(dir))
	if err != nil {
		return conformance.SuiteFault, fmt.Errorf("the case files below %s are wrong:\n%w", dir, err)
	}
	fmt.Fprintf(io.out, "%d cases: nothing to say\n", len(all))
	return conformance.Conformant, nil
}

// lintDeep checks what takes longer: that no case is a copy of another, and that guessing does not pass them. That each
// of them proves what it cites, only planted faults can show: see the command internal/mutation/cmd/mutation.
func lintDeep(ctx context.Context, all []cases.Case) error {
	table, err := floor.Of(ctx, all)
	if err != nil {
		return fmt.Errorf("find the floor: %w", err)
	}
	return errors.Join(append(cases.Copies(all), table.TooHigh()...)...)
}
