package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/instances"
	"github.com/loopstone/loopstone/internal/suite/judging"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// target is the port that a command judges: how to start it, and how to name it in a command that repeats the run.
type target struct {
	command stdio.Command
	options stdio.Options
	again   string // what follows the flags: " -- python3 port.py", or nothing for the reference
}

// targetOf returns the port that the words after the flags start. Without words it is the reference, served by this
// very program over a real pipe.
func targetOf(words []string, limits timeouts) (target, error) {
	t := target{options: stdio.Options{
		SuiteVersion: spec.Version, RequestTimeout: limits.request,
		StartTimeout: limits.start,
	}}
	if limits.request <= 0 || limits.start <= 0 {
		return t, usagef("--timeout %s, --start-timeout %s: want more than 0", limits.request, limits.start)
	}
	if len(words) > 0 {
		t.command = stdio.Command{Path: words[0], Args: words[1:]}
		t.again = " -- " + t.command.String()
		return t, nil
	}
	self, err := os.Executable()
	if err != nil {
		return t, fmt.Errorf("find this program to serve the reference: %w", err)
	}
	t.command = stdio.Command{Path: self, Args: []string{"serve"}}
	return t, nil
}

// words returns the command as a report names it.
func (t target) words() []string {
	if t.again == "" {
		return []string{"loopstone", "serve"}
	}
	return append([]string{t.command.Path}, t.command.Args...)
}

func (t target) dial(ctx context.Context) (*stdio.Wire, error) {
	return stdio.OpenWire(ctx, t.command, t.options)
}

// ports are the adapters that a command has started, which end with it, and the processes that they left behind, out of
// reach.
type ports struct {
	mu      sync.Mutex // guards what follows: adapters start and end side by side
	started []*stdio.Adapter
	strays  []string
}

// start starts a port, and returns it with what it says of itself, of which the check, if there is one, must find
// nothing wrong. An error says whose fault it is, with the last lines that the adapter wrote.
func (p *ports) start(
	ctx context.Context, t target, check func(spec.Description) error,
) (*stdio.Adapter, spec.Description, error) {
	t.options.Left = p.left
	adapter, err := stdio.StartAdapter(ctx, t.command, t.options)
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok && gone.Stderr != "" {
		err = fmt.Errorf("%w\n  its last words:\n%s", err, indent(gone.Stderr))
	}
	var description spec.Description
	if err == nil {
		p.add(adapter)
		description, err = adapter.Describe(ctx)
	}
	if err == nil && check != nil {
		err = check(description)
	}
	if err != nil && conformance.OutcomeOf(err) != conformance.NotDecided {
		err = fmt.Errorf("the adapter is at fault: %w", err)
	}
	return adapter, description, err
}

// start starts the port of a command, as [ports.start] does.
func (io streams) start(
	ctx context.Context, command []string, limits timeouts, check func(spec.Description) error,
) (*stdio.Adapter, spec.Description, error) {
	port, err := targetOf(command, limits)
	if err != nil {
		return nil, spec.Description{}, err
	}
	return io.ports.start(ctx, port, check)
}

func (p *ports) add(adapter *stdio.Adapter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = append(p.started, adapter)
}

func (p *ports) left(process string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays = append(p.strays, process)
}

// end ends all that were started, the last one first, and tells what they left behind.
func (p *ports) end(w io.Writer) {
	for _, adapter := range slices.Backward(p.started) {
		adapter.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, process := range p.strays {
		fmt.Fprintf(w, "loopstone: the adapter left its process group and was not ended: %s\n", process)
	}
}

// checkAdapterCommand judges only how an adapter speaks the protocol.
func checkAdapterCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	limits.register(flags)
	verbose := flags.Bool("verbose", false, "print every failure in full")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		var settings conformance.Settings
		limits.note(&settings)
		command, _, err := c.port(ctx)
		if err != nil {
			return conformance.Usage, err
		}
		port, err := namedTarget(command, limits)
		if err != nil {
			return conformance.Usage, err
		}
		all, err := builtInSuite()
		if err != nil {
			return conformance.SuiteFault, err
		}
		exchanges, _ := words.Partition(all, cases.Case.IsOfProtocol)
		started := time.Now()
		r, err := judge(ctx, io, port, &judging.Plan{All: exchanges})
		if err != nil {
			return faultOf(err), err
		}
		return r.Outcome(), targets{}.orText().write(ctx, io, r, report.Options{
			Verbose: *verbose, Started: started, Again: "loopstone check-adapter" + againFlags(settings) + port.again,
		})
	}
}

// namedTarget is [targetOf] for who must say which port is meant.
func namedTarget(words []string, limits timeouts) (target, error) {
	if len(words) == 0 {
		return target{}, usagef("name the adapter: write the command that starts it after --")
	}
	return targetOf(words, limits)
}

// The usual size of a check: few instances meet more often than many, and so many plans take seconds.
const (
	usualInstances = 3
	usualPlans     = 1000
)

// checkSharedCommand judges whether several instances of a port are one swarm.
func checkSharedCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	limits.register(flags)
	n := flags.Int("instances", usualInstances, "how many processes of the port to start; at least 2")
	o := instances.Options{}
	flags.IntVar(&o.Plans, "plans", usualPlans, "how many random sequences of requests to send; at least 1")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of these sequences; the timing of the requests stays random")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		words, err := c.command()
		if err != nil {
			return conformance.Usage, err
		}
		port, err := namedTarget(words, limits)
		switch {
		case err != nil:
			return conformance.Usage, err
		case *n < 2 || o.Plans < 1:
			return conformance.Usage, usagef("--instances %d, --plans %d: want at least 2 and 1", *n, o.Plans)
		}
		swarm := make([]spec.Port, *n)
		var first spec.Description
		for i := range swarm {
			var says spec.Description
			if swarm[i], says, err = io.ports.start(ctx, port, nil); err != nil {
				return faultOf(err), err
			}
			if i == 0 {
				first = says
			} else if !reflect.DeepEqual(first, says) {
				return conformance.AdapterFault, fmt.Errorf("the adapter is at fault: instance %d describes itself otherwise"+
					" than instance 1 (PR-11)", i+1)
			}
		}
		return tellShared(ctx, io, swarm, o)
	}
}

// tellShared prints what a check found.
func tellShared(ctx context.Context, io streams, swarm []spec.Port, o instances.Options) (conformance.Outcome, error) {
	r, err := instances.Check(ctx, swarm, o)
	var (
		failure  *instances.Failure
		refusals *instances.Refusals
		fault    *spec.Fault
	)
	switch {
	case errors.As(err, &failure):
		fmt.Fprintf(io.out, "not conformant: %v", failure)
		return conformance.NotConformant, nil
	case errors.Is(err, instances.ErrNotShared), errors.As(err, &refusals),
		errors.As(err, &fault) && fault.Kind == spec.Unavailable: // the store, not the adapter
		return conformance.NotDecided, err
	case err != nil:
		return conformance.AdapterFault, err
	}
	_, err = fmt.Fprintf(io.out, "conformant: %d instances are one swarm in %d plans from seed %d\n", len(swarm), r.Plans,
		o.Seed)
	if err == nil && r.Refused > 0 {
		_, err = fmt.Fprintf(io.out, "%d of %d operations were refused with unavailable\n", r.Refused, r.Operations)
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
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		if err := c.nothing(); err != nil {
			return conformance.Usage, err
		}
		if named != nil {
			if *address != "" {
				return conformance.Usage, usagef("no profile is a swarm; leave out one of --profile, --swarm")
			}
			return serveProfiles(ctx, io, named)
		}
		if *address == "" {
			return served(stdio.Serve(ctx, reference.Port(), io.in, io.out))
		}
		store, err := shared.Open(ctx, *address)
		if err != nil {
			return conformance.AdapterFault, err
		}
		return served(errors.Join(stdio.Serve(ctx, store.Port(reference.Port()), io.in, io.out), store.Close()))
	}
}

// serveProfiles serves the profiles that words name, be it without the @.
func serveProfiles(ctx context.Context, io streams, words []string) (conformance.Outcome, error) {
	for i := range words {
		words[i] = "@" + strings.TrimPrefix(words[i], "@")
	}
	list, err := profile.Named(words)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	var offers []spec.Offer
	for _, p := range list {
		offers = append(offers, p.Offer())
	}
	return served(stdio.Serve(ctx, reference.Profiles(offers...), io.in, io.out))
}

// served is the outcome of serving the reference.
func served(err error) (conformance.Outcome, error) {
	if err != nil {
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

// judge starts the port, and has it judged as planned. What it starts ends with it. Without a report, [faultOf] the
// error says whose fault that is.
func judge(ctx context.Context, io streams, port target, plan *judging.Plan) (*conformance.Report, error) {
	start := time.Now()
	io.ports = &ports{}
	defer io.ports.end(io.err)
	progress := newProgress(io.err)
	defer progress.clear()
	plan.Command, plan.Own, plan.Done = port.words(), port.again == "", progress.tests
	if plan.Settings.Against != nil {
		return compareTwo(ctx, io, port, plan, progress)
	}
	port.options.Left = io.ports.left // of the exchanges, too
	started, err := startPlanned(ctx, io, port, plan)
	if err != nil {
		return nil, err
	}
	progress.all = len(plan.Tests(started.Description))
	r, err := plan.Judge(ctx, started)
	if err == nil {
		r.Elapsed = time.Since(start)
	}
	return r, err
}

// startPlanned starts the port, and completes the plan by what the port offers.
func startPlanned(ctx context.Context, io streams, port target, plan *judging.Plan) (judging.Port, error) {
	adapter, description, err := io.ports.start(ctx, port, plan.Check)
	if err == nil {
		if err = plan.Choose(ctx, description); err != nil {
			err = usageError{err}
		}
	}
	return judging.Port{Adapter: adapter, Description: description, Dial: port.dial, Limits: port.options}, err
}

// compareTwo compares the port with the one that the plan names.
func compareTwo(
	ctx context.Context, io streams, port target, plan *judging.Plan, progress *progress,
) (*conformance.Report, error) {
	limits := timeouts{start: port.options.StartTimeout, request: port.options.RequestTimeout}
	one, err := startPlanned(ctx, io, port, plan)
	if err != nil {
		return nil, err
	}
	another, description, err := io.start(ctx, plan.Settings.Against, limits, plan.Check)
	if err != nil {
		return nil, fmt.Errorf("the other port: %w", err)
	}
	progress.all = len(plan.Tests(one.Description))
	return plan.Compare(ctx, one, judging.Port{Adapter: another, Description: description})
}
