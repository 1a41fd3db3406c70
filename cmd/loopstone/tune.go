package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

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
	prices score.Prices
	priced bool       // whether a price is given
	score  scoreFlags // of which it has those that say what is a loop
	width  int
}

func (f *tuneFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.rules, "rules", "@loopstone",
		"the rules to tune: a `@profile`, or a file with a configuration of composed")
	flags.Float64Var(&f.budget, "budget", 1, "how many `alarms` in 1,000 steps are allowed")
	f.prices = score.Prices{Looping: 1, Lost: 1}
	price := func(name string, into *float64, what string) {
		usage := "list all detectors by what they cost, the cheapest first: `price` of " + what
		flags.Func(name, usage, func(text string) (err error) {
			f.priced = true
			*into, err = parsePrice(text)
			return err
		})
	}
	price("price-lost", &f.prices.Lost, "a step of a healthy run that a stop prevents (default 1)")
	price("price-looping", &f.prices.Looping, "a step of a looping run that no stop prevents (default 1)")
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
	config, err := f.config(ctx)
	if err != nil {
		return conformance.Usage, err
	}
	corpora, err := f.score.open(ctx, paths)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	if f.priced {
		return f.costs(ctx, std, corpora)
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
		return config, usageError{err}
	}
	if row := spec.DetectorID(f.rules).Row(); profile.IsName(f.rules) && row != spec.Composed {
		return config, usagef("--rules %s: it is a profile of %s; want one of %s", f.rules, row, spec.Composed)
	}
	return config, nil
}

// parsePrice reads the price of a step.
func parsePrice(text string) (float64, error) {
	price, err := strconv.ParseFloat(text, 64)
	if err != nil || !(price >= 0 && price <= score.MostPrice) {
		return 0, fmt.Errorf("want a number from 0 to %g", float64(score.MostPrice))
	}
	return price, nil
}

// costs lists what each detector costs on the runs.
func (f *tuneFlags) costs(ctx context.Context, std streams, corpora []*score.Corpus) (conformance.Outcome, error) {
	var contenders []score.Contender
	for _, c := range []score.Choice{{}, {Detectors: []string{"@*"}}, {Detectors: []string{"@*"}, Least: "critical"}} {
		list, err := c.Of(ctx, reference.Port(), "")
		if err != nil {
			return conformance.SuiteFault, err
		}
		contenders = append(contenders, list...)
	}
	progress := newProgress(std.err)
	report, err := score.Score(ctx, corpora, contenders, progress.logs)
	progress.clear()
	if err != nil {
		return attribute(err), err
	}
	costs, err := report.Costs(f.prices)
	if err != nil {
		return conformance.Usage, errors.Join(err, score.Problems(corpora))
	}
	if err := score.WriteCosts(std.out, costs, f.prices, columns(f.width, std)); err != nil {
		return conformance.NotDecided, err
	}
	return conformance.Conformant, score.Problems(corpora)
}
