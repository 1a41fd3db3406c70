package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/instances"
	"github.com/loopstone/loopstone/spec"
)

// The usual size of a check: few instances meet more often than many, and so many plans take seconds.
const (
	usualInstances = 3
	usualPlans     = 1000
)

// checkSharedCommand judges whether several instances of a port are one swarm.
func checkSharedCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	limits.register(flags)
	n := flags.Int("instances", usualInstances, "how many processes of the port are asked at the same time; at least 2")
	o := instances.Options{}
	flags.IntVar(&o.Plans, "plans", usualPlans, "how many plans are played; at least 1")
	flags.Uint64Var(&o.Seed, "seed", 1, "what the plans are drawn from; when requests meet is not")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		words, err := c.command()
		switch {
		case err != nil:
			return conformance.Usage, err
		case len(words) == 0:
			return conformance.Usage, usagef("say which adapter: the command that starts it, after --")
		case *n < 2 || o.Plans < 1:
			return conformance.Usage, usagef("--instances %d, --plans %d: want at least 2 and 1", *n, o.Plans)
		}
		return runCheckShared(ctx, io, words, limits, *n, o)
	}
}

func runCheckShared(
	ctx context.Context, io streams, words []string, limits timeouts, n int, o instances.Options,
) (conformance.Outcome, error) {
	port, err := targetOf(words, limits)
	if err != nil {
		return conformance.Usage, err
	}
	var left leftovers
	defer left.tell(io.err)
	ports := make([]spec.Port, n)
	for i := range ports {
		adapter, err := port.start(ctx, &left)
		if err != nil {
			return conformance.AdapterFault, err
		}
		defer adapter.Close()
		ports[i] = adapter
	}
	return tellShared(ctx, io, ports, o)
}

// tellShared prints what a check found.
func tellShared(ctx context.Context, io streams, ports []spec.Port, o instances.Options) (conformance.Outcome, error) {
	plans, err := instances.Check(ctx, ports, o)
	var failure *instances.Failure
	switch {
	case errors.As(err, &failure):
		fmt.Fprintf(io.out, "not conformant: %v", failure)
		return conformance.NotConformant, nil
	case errors.Is(err, instances.ErrNotShared):
		return conformance.NotDecided, err
	case err != nil:
		return conformance.AdapterFault, err
	}
	_, err = fmt.Fprintf(io.out, "conformant: %d instances are one swarm in %d plans from seed %d\n", len(ports), plans, o.Seed)
	return conformance.Conformant, err
}
