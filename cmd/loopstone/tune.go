package main

import (
	"context"
	"fmt"
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
	prices prices
	score  scoreFlags // of which it has those that say what is a loop
	width  int
}

// The rules that are tuned, and the budget, without a flag.
const (
	usualRules  = "@loopstone"
	usualBudget = 1
)

func (f *tuneFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.rules, "rules", usualRules,
		"the rules to tune: a `@profile`, or a file with a configuration of composed")
	flags.Float64Var(&f.budget, "budget", usualBudget, "how many `alarms` in 1,000 steps are allowed")
	f.prices.register(flags)
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
	case f.prices.given && (f.rules != usualRules || f.budget != usualBudget):
		return conformance.Usage, usagef("a price lists all detectors as they are: leave out --rules and --budget")
	}
	corpora, err := f.score.open(ctx, paths)
	if err != nil {
		return faultOf(err), err
	}
	if f.prices.given {
		return f.costs(ctx, std, corpora)
	}
	return f.tune(ctx, std, corpora)
}

// tune proposes counts for the rules.
func (f *tuneFlags) tune(ctx context.Context, std streams, corpora []*score.Corpus) (conformance.Outcome, error) {
	config, err := f.config(ctx)
	if err != nil {
		return faultOf(err), err
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

// config reads the rules to tune.
func (f *tuneFlags) config(ctx context.Context) (spec.Value, error) {
	config, err := profile.Config(ctx, f.rules)
	if err != nil {
		return config, ofConfig(f.rules, err)
	}
	if row := spec.DetectorID(f.rules).Row(); profile.IsName(f.rules) && row != spec.Composed {
		return config, usagef("--rules %s: it is a profile of %s; want one of %s", f.rules, row, spec.Composed)
	}
	session, err := reference.Port().Open(ctx, spec.Composed, spec.Code, config)
	if err != nil {
		return config, ofConfig(f.rules, fmt.Errorf("--rules %s: %w", f.rules, err))
	}
	return config, session.Close(ctx)
}
