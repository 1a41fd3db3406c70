package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/mutation/mutant"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
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
	t := target{options: stdio.Options{SuiteVersion: spec.Version, RequestTimeout: limits.request, StartTimeout: limits.start}}
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

// start starts the port. What it leaves behind is told to left. An error says whose fault it is, with the last lines that the
// adapter wrote.
func (t target) start(ctx context.Context, left *leftovers) (*conformance.Adapter, error) {
	t.options.Left = left.add
	adapter, err := conformance.StartAdapter(ctx, t.command, t.options)
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok && gone.Stderr != "" {
		err = fmt.Errorf("%w\n  its last words:\n%s", err, indent(gone.Stderr))
	}
	if err == nil || conformance.OutcomeOf(err) == conformance.NotDecided {
		return adapter, err
	}
	return nil, fmt.Errorf("the adapter is at fault: %w", err)
}

func (t target) dial(ctx context.Context) (*stdio.Wire, error) {
	return stdio.OpenWire(ctx, t.command, t.options)
}

// checkAdapterCommand judges only how an adapter speaks the protocol.
func checkAdapterCommand(flags *pflag.FlagSet) runner {
	var limits timeouts
	limits.register(flags)
	verbose := flags.Bool("verbose", false, "show every failure whole")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		return runCheckAdapter(ctx, io, c, limits, *verbose)
	}
}

func runCheckAdapter(ctx context.Context, io streams, c call, limits timeouts, verbose bool) (conformance.Outcome, error) {
	words, _, err := c.port(ctx)
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
	r, outcome, err := judge(ctx, io, port, &work{all: exchanges, selected: exchanges})
	if err != nil {
		return outcome, err
	}
	return r.Outcome(), report.Write("text", io.out, r, report.Options{
		Colour: colourful(io), Width: widthOf(io, 0), Verbose: verbose, Started: started,
		Again: "loopstone check-adapter" + port.again,
	})
}

func serveCommand(flags *pflag.FlagSet) runner {
	number := flags.String("mutant", "", "serve the reference with the fault of that `number`; only a build with mutants can")
	address := flags.String("swarm", "", "keep the totals of the detector swarm in the Redis at `URL`, such as redis://localhost:6379, "+
		"for all processes that name the swarm; without it, in memory")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		return runServe(ctx, io, c, *number, *address)
	}
}

func runServe(ctx context.Context, io streams, c call, number, address string) (conformance.Outcome, error) {
	if err := c.nothing(); err != nil {
		return conformance.Usage, err
	}
	if number != "" {
		id, err := parseMutant(number)
		if err != nil {
			return conformance.Usage, usageError{err}
		}
		mutant.Set(id)
	}
	if address != "" {
		return serveShared(ctx, io, address)
	}
	if err := stdio.Serve(ctx, reference.Port(), io.in, io.out); err != nil {
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

// serveShared serves the reference whose swarms are in a store.
func serveShared(ctx context.Context, io streams, address string) (conformance.Outcome, error) {
	store, err := shared.Open(ctx, address)
	if err != nil {
		return conformance.AdapterFault, err
	}
	if err := errors.Join(stdio.Serve(ctx, store.Port(reference.Port()), io.in, io.out), store.Close()); err != nil {
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

// mutantCount is how many faults are planted in the reference of this program. Only the build with mutants sets it, which
// `go run ./internal/mutation/cmd/mutation build` makes. A released program has none: nobody can be judged by a reference
// that is wrong on purpose.
var mutantCount = "0"

// parseMutant reads the number of a mutant of this program; 0 stands for the reference as it is.
func parseMutant(text string) (int, error) {
	count, err := strconv.Atoi(mutantCount)
	if err != nil {
		return 0, fmt.Errorf("this program was built wrongly: it has %q mutants", mutantCount)
	}
	if count == 0 {
		return 0, errors.New("this program carries no mutants; build one that does from the source:\n" +
			"  go run ./internal/mutation/cmd/mutation build -o bin/loopstone-mutants")
	}
	id, err := strconv.Atoi(text)
	if err != nil || id < 0 || id > count {
		return 0, fmt.Errorf("want the number of a mutant, at most %d, or 0 for none", count)
	}
	return id, nil
}
