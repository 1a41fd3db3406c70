package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/docs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/guessfloor"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/published"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func lintCommand(flags *pflag.FlagSet) runner {
	deep := flags.Bool("deep", false, "also find duplicate cases, and check that a port cannot score high by guessing")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		switch folders := c.all(); {
		case len(folders) == 0:
			return lintSuite(ctx, std, *deep)
		case len(folders) > 1:
			return conformance.Usage, usagef("takes one folder, got %q", folders)
		case *deep:
			return conformance.Usage, usagef("--deep is for the suite that is built in")
		default:
			return lintFolder(ctx, std, folders[0])
		}
	}
}

// lintSuite checks the suite that is built in: its files, that it covers the specification, and that
// nothing of the last version has changed without a word.
func lintSuite(ctx context.Context, std streams, deep bool) (conformance.Outcome, error) {
	all, err := cases.Load(cases.Files())
	checks := []func(context.Context, []cases.Case) error{lintText, lintContrasts, lintParts, lintProfiles}
	if deep {
		checks = append(checks, lintDeep)
	}
	for _, check := range checks {
		if err == nil && ctx.Err() == nil { // what a check says of a suite that another finds wrong may be a consequence
			err = check(ctx, all)
		}
	}
	if ctx.Err() != nil {
		return conformance.NotDecided, context.Cause(ctx)
	}
	if err != nil {
		return conformance.SuiteFault, fmt.Errorf("the suite is wrong:\n%w", err)
	}
	silent := lists.Filter(all, cases.Case.IsSilent)
	contrasts := lists.Filter(silent, func(c cases.Case) bool { return c.Contrast != nil })
	fmt.Fprintf(std.out, "%d cases, digest %s, %d of %d silent cases with a contrast: nothing to say\n", len(all),
		cases.Digest(all), len(contrasts), len(silent))
	return conformance.Conformant, nil
}

// lintText demands of the case files that they cover the specification and are compiled, and that the change log names
// what is not as it was published.
func lintText(ctx context.Context, all []cases.Case) error {
	return errors.Join(cases.Lint(all), cases.LintCompiled(),
		published.Check(ctx, spec.Clauses(), slices.Concat(all, fuzz.Cases()), docs.ChangeLog()))
}

// lintContrasts demands of every contrast of a silent case that the reference reports its loop.
func lintContrasts(ctx context.Context, all []cases.Case) error {
	pairs := lists.Filter(all, func(c cases.Case) bool { return c.Contrast != nil })
	r, err := conformance.Run(ctx, reference.Port(), pairs, conformance.Options{})
	if err != nil {
		return err
	}
	var problems []error
	for _, result := range r.Results {
		if result.Failure != nil {
			problems = append(problems, fmt.Errorf("%s:%d: the reference fails %s and its contrast: %s", result.File,
				result.Line, result.Name(), result.Failure.Problem))
		}
	}
	return errors.Join(problems...)
}

// lintParts demands a case for every reading, feature, rule, member and setting of every detector.
func lintParts(_ context.Context, all []cases.Case) error {
	var offers []spec.Offer
	for _, d := range spec.Detectors() {
		offer := d.Offer()
		offer.Rules, offer.Members, offer.Settings = d.Kinds(), d.Members(), d.SettingNames()
		offers = append(offers, offer)
	}
	var problems []error
	for _, part := range conformance.Unexercised(all, spec.Description{Detectors: offers}) {
		problems = append(problems, fmt.Errorf("no case tests the %s", part))
	}
	return errors.Join(problems...)
}

// lintProfiles demands a trace for every rung of every built-in profile: one that never speaks says that the profile is
// not the detector that it restates.
func lintProfiles(ctx context.Context, _ []cases.Case) error {
	all, err := profile.All()
	if err != nil {
		return err
	}
	var problems []error
	for _, p := range all {
		problems = append(problems, rulecases.EverySpeaks(ctx, p.ID(), p.Config()))
	}
	return errors.Join(problems...)
}

// lintFolder checks the files of a folder: clauses, where it holds Markdown and nothing of YAML, else the cases below
// it, which need not cover anything.
func lintFolder(ctx context.Context, std streams, dir string) (conformance.Outcome, error) {
	if err := checkFolder(dir); err != nil {
		return faultOf(err), err
	}
	if hasAny(dir, "*.md") && !hasAny(dir, "*.y*ml") && !hasAny(dir, "*/*.y*ml") {
		return lintClauses(ctx, std, dir)
	}
	all, err := cases.Load(userfiles.Folder(ctx, dir, userfiles.MostFolder))
	if err != nil {
		return conformance.SuiteFault, fmt.Errorf("the case files below %s are wrong:\n%w", dir, err)
	}
	fmt.Fprintf(std.out, "%d cases: nothing to say\n", len(all))
	return conformance.Conformant, nil
}

// hasAny reports whether a folder has files of that pattern.
func hasAny(dir, pattern string) bool {
	found, err := fs.Glob(os.DirFS(dir), pattern)
	return err == nil && len(found) > 0
}

// lintClauses holds the clauses of a folder against the cases that are built in: so an edit of a clause, on which all
// else is built, is judged without a build.
func lintClauses(ctx context.Context, std streams, dir string) (conformance.Outcome, error) {
	clauses, err := spec.ReadClauses(userfiles.Folder(ctx, dir, userfiles.MostFolder))
	if err != nil {
		return conformance.SuiteFault, fmt.Errorf("the clause files in %s are wrong:\n%w", dir, err)
	}
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	if err := cases.LintClauses(all, clauses); err != nil {
		return conformance.SuiteFault, fmt.Errorf("the clause files in %s are wrong:\n%w", dir, err)
	}
	fmt.Fprintf(std.out, "%d clauses, cited by %d cases: nothing to say\n", len(clauses), len(all))
	return conformance.Conformant, nil
}

// lintDeep checks what takes longer: that no case is a copy of another, and that guessing does not pass them. That each
// of them proves what it cites, only planted faults can show: see the command tools/mutation.
func lintDeep(ctx context.Context, all []cases.Case) error {
	table, err := guessfloor.Of(ctx, all)
	if err != nil {
		return fmt.Errorf("find the floor: %w", err)
	}
	return errors.Join(append(cases.Copies(all), guessfloor.TooHigh(table)...)...)
}
