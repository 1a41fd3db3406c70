package main

import (
	"context"
	"math"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// tuneFlags are the flags of loopstone tune.
type tuneFlags struct {
	rules  string
	budget float64
	score  scoreFlags // of which it has those that say what is a loop
	width  int
}

func (f *tuneFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.rules, "rules", "@loopstone",
		"the rules to tune: a `@profile`, or a file with a configuration of composed")
	flags.Float64Var(&f.budget, "budget", 1, "how many `alarms` in 1,000 steps are allowed")
	f.score.registerLabels(flags)
	flags.IntVar(&f.width, "width", 0, "line width in `columns` (default: the width of the terminal)")
}

func (f *tuneFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	paths := c.all()
	switch {
	case len(paths) == 0:
		return conformance.Usage, usagef("say which logs: files or folders of recorded runs")
	case !(f.budget >= 0) || math.IsInf(f.budget, 0):
		return conformance.Usage, usagef("--budget %g: want 0 or more alarms in 1,000 steps", f.budget)
	}
	config, err := profile.Config(ctx, f.rules)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	if row := spec.DetectorID(f.rules).Row(); profile.IsName(f.rules) && row != spec.Composed {
		return conformance.Usage, usagef("--rules %s: it is a profile of %s; want one of %s", f.rules, row, spec.Composed)
	}
	corpora, err := f.score.open(ctx, paths)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	composed, err := score.Choice{Detectors: []string{string(spec.Composed)}}.Of(ctx, reference.Port(), "")
	if err != nil {
		return conformance.SuiteFault, err
	}
	progress := newProgress(std.err)
	tuning, err := score.Tune(ctx, corpora, composed[0], config, score.Budget(f.budget), progress.logs)
	progress.clear()
	if err != nil {
		return attribute(err), err
	}
	if err := tuning.WriteText(std.out, columns(f.width, std)); err != nil {
		return conformance.NotDecided, err
	}
	err = score.Problems(corpora)
	if err == nil && !tuning.Kept {
		return conformance.NotConformant, nil
	}
	return conformance.Conformant, err
}
