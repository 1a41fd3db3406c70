package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/sharedswarm"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// checkAdapterCommand judges only how an adapter speaks the protocol.
func checkAdapterCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	var which portFlag
	which.register(flags)
	limits.register(flags)
	verbose := flags.Bool("verbose", false, "print every failure in full")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		var settings conformance.Settings
		limits.note(&settings)
		port, err := which.of(ctx, c, limits)
		if err != nil {
			return conformance.Usage, err
		}
		all, err := builtInSuite()
		if err != nil {
			return conformance.SuiteFault, err
		}
		exchanges := lists.Filter(all, cases.Case.IsOfProtocol)
		started := time.Now()
		r, err := judge(ctx, std, port, &porttest.Plan{All: exchanges, NoTraces: true})
		if err != nil {
			return faultOf(err), err
		}
		return r.Outcome(), targets{}.orText().write(ctx, std, r, report.Options{
			Verbose: *verbose, Started: started, Again: "loopstone check-adapter" + againFlags(settings) + port.again,
		})
	}
}

// The usual size of a check: few instances meet more often than many, and so many plans take seconds.
const (
	usualInstances = 3
	usualPlans     = 1000
)

// checkSharedCommand judges whether several instances of a port are one swarm.
func checkSharedCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	var which portFlag
	which.register(flags)
	limits.register(flags)
	n := flags.Int("instances", usualInstances,
		fmt.Sprintf("how many processes of the port to start, from 2 to %d", mostJobs))
	o := sharedswarm.Options{}
	flags.IntVar(&o.Plans, "plans", usualPlans, "how many random sequences of requests to send; at least 1")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of these sequences; the timing of the requests stays random")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		port, err := which.of(ctx, c, limits)
		switch {
		case err != nil:
			return conformance.Usage, err
		case *n < 2 || *n > mostJobs:
			return conformance.Usage, usagef("--instances %d: want 2 to %d", *n, mostJobs)
		case o.Plans < 1:
			return conformance.Usage, usagef("--plans %d: want at least 1", o.Plans)
		}
		swarm, err := sharedswarm.Start(ctx, std.ports, port.Target, *n)
		if err != nil {
			return faultOf(err), err
		}
		return tellShared(ctx, std, swarm, o)
	}
}

// tellShared prints what a check found.
func tellShared(
	ctx context.Context, std streams, swarm []spec.Port, o sharedswarm.Options,
) (conformance.Outcome, error) {
	r, err := sharedswarm.Check(ctx, swarm, o)
	var (
		failure  *sharedswarm.Failure
		refusals *sharedswarm.Refusals
		fault    *spec.Fault
	)
	switch {
	case errors.As(err, &failure):
		fmt.Fprintf(std.out, "not conformant: %v", failure)
		return conformance.NotConformant, nil
	case errors.Is(err, sharedswarm.ErrNotShared), errors.As(err, &refusals),
		errors.As(err, &fault) && fault.Kind == spec.Unavailable: // the store, not the adapter
		return conformance.NotDecided, err
	case err != nil:
		return conformance.AdapterFault, err
	}
	_, err = fmt.Fprintf(std.out, "conformant: %d instances are one swarm in %d plans from seed %d\n", len(swarm), r.Plans,
		o.Seed)
	if err == nil && r.Refused > 0 {
		_, err = fmt.Fprintf(std.out, "%d of %d operations were refused with unavailable\n", r.Refused, r.Operations)
	}
	return conformance.Conformant, err
}

func serveCommand(flags *pflag.FlagSet) runner {
	address := flags.String("swarm", "",
		"store the counts of the detector swarm in the Redis at `URL`, such as redis://localhost:6379, "+
			"so that all processes share them (default: in memory)")
	var named patterns
	flags.Func("profile",
		"serve only these `profiles` (such as @roo), each as a detector, and none of the specified detectors", named.add)
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		if err := c.nothing(); err != nil {
			return conformance.Usage, err
		}
		if named != nil {
			if *address != "" {
				return conformance.Usage, usagef("no profile is a swarm; leave out one of --profile, --swarm")
			}
			return serveProfiles(ctx, std, named)
		}
		if *address == "" {
			return served(answer(ctx, reference.Port(), std))
		}
		store, err := shared.Open(ctx, *address)
		if err != nil {
			return conformance.AdapterFault, err
		}
		return served(errors.Join(answer(ctx, store.Port(reference.Port()), std), store.Close()))
	}
}

// serveProfiles serves the profiles that words name, be it without the @.
func serveProfiles(ctx context.Context, std streams, words []string) (conformance.Outcome, error) {
	for i := range words {
		words[i] = "@" + strings.TrimPrefix(words[i], "@")
	}
	list, err := profile.Named(words)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	return served(answer(ctx, reference.Profiles(lists.Map(list, profile.Profile.Offer)...), std))
}

// lastAnswer is how long an answer that is under way may take once the context is done.
const lastAnswer = 100 * time.Millisecond

// answer serves a port until its runner ends it, or the context. A Read of standard input cannot be interrupted; what
// waits for it then is left behind.
func answer(ctx context.Context, port spec.Port, std streams) error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				ended <- panicked(p)
			}
		}()
		ended <- stdio.Serve(ctx, port, std.in, std.out)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(lastAnswer):
		return context.Cause(ctx)
	}
}

// served is the outcome of serving the reference.
func served(err error) (conformance.Outcome, error) { return faultOf(err), err }

// judge starts the port, and has it judged as planned. What it starts ends with it. Without a report, [faultOf] the
// error says whose fault that is.
func judge(ctx context.Context, std streams, port target, plan *porttest.Plan) (*conformance.Report, error) {
	var old *launch.Target
	if against := plan.Settings.Against; against != nil {
		limits := timeouts{start: port.Options.StartTimeout, request: port.Options.RequestTimeout}
		t, err := targetOf(against, limits)
		if err != nil {
			return nil, fmt.Errorf("the old port: %w", err)
		}
		old = &t.Target
	}
	std.ports = &launch.Group{}
	defer std.endPorts()
	progress := newProgress(std.err)
	defer progress.clear()
	plan.Command, plan.Own, plan.Done = port.words(), port.reference, progress.tests
	plan.Begin = func(tests func() int) {
		ofProfile := func(c cases.Case) bool { return c.Detector.IsProfile() }
		if isProgram && !slices.ContainsFunc(plan.Selected, ofProfile) {
			setCollector(suiteLimit)
		}
		progress.begin(tests)
	}
	r, err := plan.Run(ctx, std.ports, port.Target, old)
	return r, selectedWrongly(err)
}

// selectedWrongly says of a selection that fits nothing that the call is wrong. It keeps any other error.
func selectedWrongly(err error) error {
	if _, ok := errors.AsType[*porttest.SelectionError](err); ok {
		return usageError{err}
	}
	return err
}
