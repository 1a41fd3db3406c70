package main

import (
	"context"
	"flag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/mutation/mutant"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func runServe(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	number := flags.String("mutant", "", "serve the reference with the fault of that `number`; only a build with mutants can")
	rest, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if len(rest) > 0 {
		return conformance.Usage, usagef("takes no arguments, got %q", rest)
	}
	if *number != "" {
		id, err := parseMutant(*number)
		if err != nil {
			return conformance.Usage, usageError{err}
		}
		mutant.Set(id)
	}
	if err := stdio.Serve(ctx, reference.Port(), io.in, io.out); err != nil {
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

func runVersion(_ context.Context, io streams, args []string) (conformance.Outcome, error) {
	if len(args) > 0 {
		return conformance.Usage, usagef("takes no arguments, got %q", args)
	}
	_, err := io.out.Write([]byte("loopstone " + spec.Version + "\n"))
	return conformance.Conformant, err
}
