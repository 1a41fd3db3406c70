package main

import (
	"context"
	"flag"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
)

// runCheckAdapter judges only how an adapter speaks the protocol.
func runCheckAdapter(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("check-adapter", flag.ContinueOnError)
	var limits timeouts
	limits.register(flags)
	verbose := flags.Bool("verbose", false, "show every failure whole")
	words, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if len(words) == 0 {
		return conformance.Usage, usagef("say which adapter: the command that starts it, after --")
	}
	port, err := targetOf(words, limits)
	if err != nil {
		return conformance.Usage, err
	}
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	exchanges, err := conformance.Selection{Detectors: []string{string(cases.Protocol)}}.Select(all)
	if err != nil {
		return conformance.SuiteFault, err
	}
	started := time.Now()
	r, outcome, err := judge(ctx, io, port, work{all: exchanges, selected: exchanges})
	if err != nil {
		return outcome, err
	}
	return r.Outcome(), report.Write("text", io.out, r, report.Options{
		Colour: colourful(io.out), Verbose: *verbose, Started: started, Again: "loopstone check-adapter" + port.again,
	})
}
