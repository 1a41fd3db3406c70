package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/files"
	"github.com/loopstone/loopstone/internal/suite/judging"
	"github.com/loopstone/loopstone/internal/suite/statement"
)

// verifyCommand runs the suite again and compares what it finds with a jsonl report, which is what a port states.
func verifyCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	limits.register(flags)
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		stated, err := statementOf(ctx, c.all())
		if err == nil {
			err = orStated(flags, stated.Settings)
		}
		if err != nil {
			return conformance.Usage, usageError{err}
		}
		return runVerify(ctx, io, c.all(), stated, limits)
	}
}

func statementOf(ctx context.Context, words []string) (*conformance.Report, error) {
	if len(words) == 0 {
		return nil, errors.New("say which jsonl report")
	}
	text, err := files.Read(ctx, words[0], files.MostReport)
	if err != nil {
		return nil, err
	}
	stated, err := statement.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words[0], err)
	}
	return stated, nil
}

// runVerify runs again what the words name: a statement, and then the port's command.
func runVerify(ctx context.Context, io streams, words []string, stated *conformance.Report,
	limits timeouts,
) (conformance.Outcome, error) {
	path := words[0]
	command, _, err := orPortFile(ctx, words[1:])
	if err != nil {
		return conformance.Usage, err
	}
	port, err := targetOf(command, limits)
	if err != nil {
		return conformance.Usage, err
	}
	settings := withTraces(stated.Settings, true)
	all, err := suiteOf(settings)
	if err != nil {
		return conformance.SuiteFault, err
	}
	plan, err := planOf(settings, all)
	asked, _, unknown := judging.WithProfiles(ctx, all, stated.Port.Detectors, settings)
	if unknown != nil {
		return doesNotHold(io, path, unknown.Error()), nil
	}
	switch suite := conformance.InfoOf(asked); {
	case suite.Digest != stated.Suite.Digest:
		return doesNotHold(io, path, statement.OtherSuite(stated.Suite, suite)), nil
	case err != nil:
		return doesNotHold(io, path, "what it asks for: "+err.Error()), nil
	}
	plan.Seed = stated.Seed
	r, err := judge(ctx, io, port, plan)
	if err != nil {
		return faultOf(err), err
	}
	return tellDifferences(io, path, stated, r), nil
}

// tellDifferences says whether a statement holds, by the report of a run of all that it asks for.
func tellDifferences(io streams, path string, stated, r *conformance.Report) conformance.Outcome {
	if differences := statement.Compare(stated, r); len(differences) > 0 {
		doesNotHold(io, path, differences...)
		switch outcome := r.Outcome(); outcome {
		case conformance.AdapterFault, conformance.SuiteFault, conformance.NotDecided:
			return outcome
		}
		return conformance.NotConformant
	}
	fmt.Fprintf(io.out, "%s holds: all results of %s %s are as stated: %s%s\n",
		path, r.Port.Name, r.Port.Version, report.Summary(stated), partOf(stated))
	if r.OnlyManners() {
		fmt.Fprintln(io.out, "undecided: the report is about the protocol only, and says nothing about detectors")
		return conformance.NotDecided
	}
	return conformance.Conformant
}

func doesNotHold(io streams, path string, differences ...string) conformance.Outcome {
	fmt.Fprintf(io.out, "%s does not hold:\n", path)
	for _, d := range differences {
		fmt.Fprintf(io.out, "  %s\n", d)
	}
	return conformance.NotConformant
}

// partOf says what the summary does not: that other cases or fewer traces were asked than usual.
func partOf(stated *conformance.Report) string {
	text := ""
	if folder := stated.Settings.Folder; folder != "" {
		text = fmt.Sprintf(", by the case files below %s and not by the suite's own", folder)
	}
	if n := stated.Settings.Checks; n > 0 && n < defaultChecks {
		text += fmt.Sprintf(", with %d generated traces instead of %d", n, defaultChecks)
	}
	return text
}

// mergeCommand puts the jsonl reports of a run's shards together, or with --trend tells what changed between two runs.
func mergeCommand(flags *pflag.FlagSet) runner {
	var reports targets
	reports.register(flags, "write a report of the whole run")
	verbose := flags.Bool("verbose", false, "print every failure in full; with --trend, name every test")
	trend := flags.Bool("trend", false,
		"instead of merging, show what changed from the first of two reports to the second")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		paths := c.all()
		switch {
		case len(paths) == 0:
			return conformance.Usage, usagef("say which jsonl reports")
		case *trend && len(paths) != 2:
			return conformance.Usage, usagef("--trend compares two reports, an earlier and a later one; got %d", len(paths))
		case *trend && reports != nil:
			return conformance.Usage, usagef("--trend prints text; leave out one of --trend, --report")
		}
		if err := checkPlaces(reports.files(), filesAt("what is merged", paths...)); err != nil {
			return conformance.Usage, err
		}
		parts, err := readReports(ctx, paths)
		if err != nil {
			return conformance.NotDecided, err
		}
		if *trend {
			return tellTrend(io, parts[0], parts[1], *verbose)
		}
		whole, err := merged(ctx, parts)
		if err != nil {
			return conformance.NotDecided, err
		}
		return whole.Outcome(), reports.orText().write(ctx, io, whole, report.Options{Verbose: *verbose})
	}
}

func tellTrend(io streams, then, now *conformance.Report, verbose bool) (conformance.Outcome, error) {
	trend, err := report.NewTrend(then, now)
	if err != nil {
		return conformance.NotDecided, err
	}
	return trend.Outcome(), trend.Write(io.out, verbose)
}

func readReports(ctx context.Context, paths []string) ([]*conformance.Report, error) {
	var parts []*conformance.Report
	for _, path := range paths {
		text, err := files.Read(ctx, path, files.MostReport)
		if err != nil {
			return nil, err
		}
		part, err := report.ReadJSONL(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func merged(ctx context.Context, parts []*conformance.Report) (*conformance.Report, error) {
	suite, err := suiteOf(parts[0].Settings)
	if err != nil {
		return nil, err
	}
	if suite, _, err = judging.WithProfiles(ctx, suite, parts[0].Port.Detectors, parts[0].Settings); err != nil {
		return nil, err
	}
	return report.Merge(suite, parts...)
}
