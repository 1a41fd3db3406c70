package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// prices are the flags that list what each detector costs.
type prices struct {
	score.Prices
	given bool // whether one of them is
}

func (p *prices) register(flags *pflag.FlagSet) {
	p.Prices = score.Prices{Looping: 1, Lost: 1}
	price := func(name string, into *float64, what string) {
		usage := "list all detectors by what they cost, the cheapest first: `price` of " + what
		flags.Func(name, usage, func(text string) (err error) {
			p.given = true
			*into, err = parsePrice(text)
			return err
		})
	}
	price("price-lost", &p.Lost, "a step of a healthy run that a stop prevents (default 1)")
	price("price-looping", &p.Looping, "a step of a loop that no stop prevents (default 1)")
}

// parsePrice reads the price of a step.
func parsePrice(text string) (float64, error) {
	price, err := strconv.ParseFloat(text, 64)
	if err != nil || !(price >= 0 && price <= score.MostPrice) {
		return 0, errors.New("want a number from 0 to 1e9, such as 10 or 0.5")
	}
	return price, nil
}

// costs lists what each detector costs on the runs: those of the documents, all profiles, and the tuned rules, if any.
func (f *tuneFlags) costs(
	ctx context.Context, std streams, paths []string, tuned []score.Contender, note string,
) (conformance.Outcome, error) {
	contenders := tuned
	for _, c := range []score.Choice{{}, {Detectors: []string{"@*"}}, {Detectors: []string{"@*"}, Least: "critical"}} {
		list, err := c.Of(ctx, reference.Port(), "")
		if err != nil {
			return conformance.SuiteFault, err
		}
		contenders = append(contenders, list...)
	}
	corpora, err := f.score.open(ctx, paths) // again, because reading them counts their runs
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	progress := newProgress(std.err)
	report, err := score.Score(ctx, corpora, contenders, progress.logs)
	progress.clear()
	if err != nil {
		return attribute(err), err
	}
	costs, err := report.Costs(f.prices.Prices)
	if err != nil {
		return conformance.Usage, errors.Join(err, score.Problems(corpora))
	}
	if err := score.WriteCosts(std.out, costs, f.prices.Prices, note, columns(f.width, std)); err != nil {
		return conformance.NotDecided, err
	}
	return conformance.Conformant, score.Problems(corpora)
}

// tuned returns the rules with the proposed counts, unless there are none or a profile of the list has them, and a
// sentence on that.
func (f *tuneFlags) tuned(composed score.Contender, config spec.Value, t *score.Tuning) ([]score.Contender, string) {
	rules := f.rules
	if !profile.IsName(rules) {
		rules = "--rules"
	}
	name := rules + ", tuned"
	switch {
	case !t.Kept:
		return nil, fmt.Sprintf("%s: no counts keep --budget %g.", name, f.budget)
	case profile.IsName(f.rules) && config.Equal(t.Config):
		return nil, fmt.Sprintf("%s: the counts of %s keep --budget %g.", name, rules, f.budget)
	default:
		note := fmt.Sprintf("%s: with the counts that loopstone tune proposes for --budget %g.", name, f.budget)
		return []score.Contender{t.Contender(composed, name)}, note
	}
}
