package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
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

// costs lists what each detector costs on the runs: those of the documents, and all profiles.
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
	costs, err := report.Costs(f.prices.Prices)
	if err != nil {
		return conformance.Usage, errors.Join(err, score.Problems(corpora))
	}
	if err := score.WriteCosts(std.out, costs, f.prices.Prices, columns(f.width, std)); err != nil {
		return conformance.NotDecided, err
	}
	return conformance.Conformant, score.Problems(corpora)
}
