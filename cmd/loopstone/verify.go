package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/suite/verify"
	"github.com/loopstone/loopstone/internal/wording"
)

// verifyCommand runs the suite again and compares what it finds with a jsonl report, which is what a port states.
func verifyCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	var which portFlag
	which.register(flags)
	limits.register(flags)
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		if len(c.all()) == 0 {
			return conformance.Usage, usagef("say which jsonl report")
		}
		stated, err := statementAt(ctx, c.all()[0])
		if err == nil {
			err = orStated(flags, stated.Settings)
		}
		if err != nil {
			return conformance.NotDecided, err
		}
		port, err := which.target(ctx, c.all()[1:], limits)
		if err != nil {
			return conformance.Usage, err
		}
		return runVerify(ctx, std, c.all()[0], port, stated)
	}
}

func statementAt(ctx context.Context, path string) (*conformance.Report, error) {
	text, err := userfiles.Read(ctx, path, userfiles.MostReport)
	if err != nil {
		return nil, err
	}
	stated, err := verify.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return stated, nil
}

// runVerify runs a port again by what the statement at the path says, and then the laws with a seed that nobody knew.
func runVerify(
	ctx context.Context, std streams, path string, port target, stated *conformance.Report,
) (conformance.Outcome, error) {
	settings := withTraces(stated.Settings, false)
	all, err := suiteOf(ctx, settings)
	if err != nil {
		return conformance.SuiteFault, err
	}
	plan, err := planOf(settings, all)
	asked, _, _, unknown := porttest.WithProfiles(ctx, all, stated.Port.Detectors, settings)
	if unknown != nil {
		return doesNotHold(std, path, unknown.Error()), nil
	}
	switch suite := conformance.InfoOf(asked); {
	case suite.Digest != stated.Suite.Digest:
		return doesNotHold(std, path, verify.OtherSuite(stated.Suite, suite)), nil
	case err != nil:
		return doesNotHold(std, path, "what it needs: "+err.Error()), nil
	}
	plan.Seed = stated.Seed
	r, err := judgeWhole(ctx, std, port, plan)
	if err != nil {
		return faultOf(err), err
	}
	if differences := verify.Compare(stated, r); len(differences) > 0 {
		return tellDifferences(std, path, r, differences), nil
	}
	laws, err := judgeLawsAfresh(ctx, std, port, settings, all)
	if err != nil {
		return faultOf(err), err
	}
	if differences := verify.CompareLaws(stated, laws); len(differences) > 0 {
		return tellDifferences(std, path, laws, differences), nil
	}
	return tellHolds(std, path, stated, laws), nil
}

// judgeLawsAfresh runs the laws of a selection on the traces of a random seed.
func judgeLawsAfresh(
	ctx context.Context, std streams, port target, settings conformance.Settings, all []cases.Case,
) (*conformance.Report, error) {
	if settings.Seeds == nil {
		return &conformance.Report{}, nil
	}
	settings.Seeds = []int64{freshSeed()}
	plan := &porttest.Plan{Settings: settings, All: all, LawsOnly: true}
	if err := plan.Select(); err != nil {
		return nil, err
	}
	return judgeWhole(ctx, std, port, plan)
}

// judgeWhole is judge for a run that is compared: of one that was ended, the tests that did not run say nothing.
func judgeWhole(ctx context.Context, std streams, port target, plan *porttest.Plan) (*conformance.Report, error) {
	r, err := judge(ctx, std, port, plan)
	if err == nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r, err
}

// tellDifferences says that a statement does not hold. By the report of the new run it says whose fault that is.
func tellDifferences(std streams, path string, r *conformance.Report, differences []string) conformance.Outcome {
	doesNotHold(std, path, differences...)
	switch outcome := r.Outcome(); outcome {
	case conformance.AdapterFault, conformance.SuiteFault, conformance.NotDecided:
		return outcome
	}
	return conformance.NotConformant
}

// tellHolds says that a statement holds, and of what: by whose rules, and on which traces.
func tellHolds(std streams, path string, stated, laws *conformance.Report) conformance.Outcome {
	sayf(std.out, "%s holds: all results of %s %s are as stated: %s%s%s\n",
		path, stated.Port.Name, stated.Port.Version, report.Summary(stated), partOf(stated), tracesOf(stated, laws))
	for _, rules := range report.OwnRules(stated) {
		sayf(std.out, "  own rules of %s\n", rules)
	}
	if stated.OnlyManners() {
		fmt.Fprintln(std.out, "undecided: the report is about the protocol only, and says nothing about detectors")
		return conformance.NotDecided
	}
	return conformance.Conformant
}

// tracesOf says from which seeds the traces were generated, and warns of a statement without any.
func tracesOf(stated, laws *conformance.Report) string {
	if laws.Traces == 0 {
		return "; no trace was generated, and a port that has learned the verdicts of the cases would pass"
	}
	seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(stated.Settings.Seeds), " ", ", "), "[]")
	return fmt.Sprintf("; traces from seeds %s as stated, and from seed %d, on which the laws hold, too", seeds,
		laws.Settings.Seeds[0])
}

func doesNotHold(std streams, path string, differences ...string) conformance.Outcome {
	sayf(std.out, "%s does not hold:\n", path)
	for _, d := range differences {
		fmt.Fprintf(std.out, "  %s\n", wording.Line(d)) // what a statement says may be anything
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
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		paths := c.all()
		switch {
		case len(paths) == 0:
			return conformance.Usage, usagef("say which jsonl reports")
		case *trend && len(paths) != 2:
			return conformance.Usage, usagef("--trend compares two reports, an earlier and a later one; got %d", len(paths))
		case *trend && reports != nil:
			return conformance.Usage, usagef("--trend prints text; leave out one of --trend, --report")
		}
		if err := checkOutputs(reports.files(), filesAt("what is merged", paths...)); err != nil {
			return conformance.Usage, err
		}
		parts, err := readReports(ctx, paths)
		if err != nil {
			return conformance.NotDecided, err
		}
		if *trend {
			return tellTrend(std, parts[0], parts[1], *verbose)
		}
		whole, err := merged(ctx, parts)
		if err != nil {
			return conformance.NotDecided, err
		}
		return whole.Outcome(), reports.orText().write(ctx, std, whole, report.Options{Verbose: *verbose})
	}
}

func tellTrend(std streams, then, now *conformance.Report, verbose bool) (conformance.Outcome, error) {
	trend, err := report.NewTrend(then, now)
	if err != nil {
		return conformance.NotDecided, err
	}
	return trend.Outcome(), trend.Write(std.out, verbose)
}

func readReports(ctx context.Context, paths []string) ([]*conformance.Report, error) {
	var parts []*conformance.Report
	for _, path := range paths {
		text, err := userfiles.Read(ctx, path, userfiles.MostReport)
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
	suite, err := suiteOf(ctx, parts[0].Settings)
	if err != nil {
		return nil, err
	}
	if suite, _, _, err = porttest.WithProfiles(ctx, suite, parts[0].Port.Detectors, parts[0].Settings); err != nil {
		return nil, err
	}
	return report.Merge(suite, parts...)
}
