// Command loopstone tells an implementation of an agent loop detector, in any language, what it gets wrong, which
// clause it breaks and why that matters.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/loopstone/loopstone/conformance"
)

// command is one of the tool's subcommands.
type command struct {
	name, args, summary string
	run                 func(ctx context.Context, io streams, args []string) (conformance.Outcome, error)
}

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func commands() []command {
	return []command{
		{"test", "[flags] [--against COMMAND…] [-- COMMAND…]", "judge a port by the suite, or compare it with another; without a command, the reference", runTest},
		{"check-adapter", "[flags] -- COMMAND…", "judge only how an adapter speaks the protocol", runCheckAdapter},
		{"verify", "[flags] STATEMENT [-- COMMAND…]", "run again and compare with a conformance statement", runVerify},
		{"merge", "[flags] REPORT.jsonl…", "put the jsonl reports of a run's shards together", runMerge},
		{"fuzz", "[flags] [--against COMMAND…] [-- COMMAND…]", "look for faults on generated traces until the time is up", runFuzz},
		{"score", "[flags] CORPUS… [-- COMMAND… [-- COMMAND…]]", "how good detectors are on recorded runs that people have labelled", runScore},
		{"differ", "[flags] A B [-- COMMAND…]", "find the shortest traces on which two detectors or configurations disagree", runDiffer},
		{"bench", "[flags] [-- COMMAND… [--vs COMMAND…]] | compare OLD NEW", "measure a port's speed, or compare two; without a command, the reference", runBench},
		{"import", "[--format F] [--out FILE] LOG…", "write the runs of agents' logs as events, a line each", runImport},
		{"replay", "[flags] LOG… [-- COMMAND…]", "let detectors watch recorded agents: who would have noticed what", runReplay},
		{"init", "[flags] python|typescript|go|rust|java DIR", "write a first port, with all that it needs", runInit},
		{"export", "DIR", "write the specification and the suite as plain files, with JSON twins", runExport},
		{"serve", "[--mutant N]", "serve the reference over the stdio protocol", runServe},
		{"list", "cases|clauses|claims|detectors|features|laws|profiles", "list what the suite holds", runList},
		{"show", "ID…", "show a case, a clause, a claim, a detector, a law or a @profile", runShow},
		{"witness", "CONFIG|@PROFILE", "show what makes each rung of a composed configuration speak, or why nothing does", runWitness},
		{"lint", "[--deep] [DIR]", "check the suite, or the case files below a folder", runLint},
		{"version", "", "print the version of the specification", runVersion},
	}
}

// usageError is an error in how the tool was called.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// gcPercent lets the heap grow more before it is collected than Go does by default: it is a few megabytes, of values that
// live for one request, and collecting it less often makes a run a fifth faster.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone must not cost the other reports
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	outcome := dispatch(ctx, streams{os.Stdin, os.Stdout, os.Stderr}, os.Args[1:])
	stop()
	os.Exit(int(outcome))
}

// dispatch runs a subcommand and tells what went wrong, in one line and with the tool's name before it.
func dispatch(ctx context.Context, io streams, args []string) conformance.Outcome {
	if len(args) == 0 {
		usage(io.err)
		return conformance.Usage
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(io.out)
		return conformance.Conformant
	}
	for _, c := range commands() {
		if c.name != args[0] {
			continue
		}
		outcome, err := c.runSafely(ctx, io, args[1:])
		if err != nil && outcome == conformance.AdapterFault { // unless the time was up, or the run was interrupted
			outcome = conformance.OutcomeOf(err)
		}
		var wrongCall usageError
		switch {
		case errors.Is(err, context.Canceled) && ctx.Err() != nil:
			fmt.Fprintf(io.err, "loopstone %s: %v\n", c.name, err)
			return conformance.NotDecided
		case errors.Is(err, flag.ErrHelp):
			return conformance.Conformant
		case err != nil && ctx.Err() != nil: // what an interruption broke is nobody's fault
			fmt.Fprintf(io.err, "loopstone %s: interrupted: %v\n", c.name, err)
			return conformance.NotDecided
		case errors.As(err, &wrongCall):
			fmt.Fprintf(io.err, "loopstone %s: %v\n  usage: loopstone %s %s\n", c.name, err, c.name, c.args)
			return conformance.Usage
		case err != nil:
			fmt.Fprintf(io.err, "loopstone %s: %v\n", c.name, err)
			if outcome == conformance.Conformant { // a report that was not written is one that nobody will read
				return conformance.NotDecided
			}
		}
		return outcome
	}
	fmt.Fprintf(io.err, "loopstone: unknown command %q; try loopstone help\n", args[0])
	return conformance.Usage
}

// runSafely runs the subcommand. A panic that nobody else caught is our own fault: without this, it would end the
// program with the code 2, which says that nobody knows.
func (c command) runSafely(ctx context.Context, io streams, args []string) (outcome conformance.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			outcome, err = conformance.SuiteFault, fmt.Errorf("the suite is wrong: it panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return c.run(ctx, io, args)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "loopstone judges agent loop detectors, in any language, by the clauses of a specification.")
	fmt.Fprintln(w)
	for _, c := range commands() {
		fmt.Fprintf(w, "  loopstone %-13s %s\n      %s\n", c.name, c.args, c.summary)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "Exit codes: 0 conformant, 1 not conformant, 2 undecided, 3 the adapter is at fault,")
	fmt.Fprintln(w, "4 the suite is at fault, 64 usage.")
}

// parse reads a subcommand's flags. What it returns are the words after them. Asked for help, it prints the flags.
func parse(io streams, flags *flag.FlagSet, args []string) ([]string, error) {
	flags.SetOutput(discard{})
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(io.out, "flags of loopstone %s:\n", flags.Name())
		flags.SetOutput(io.out)
		flags.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, usagef("%w; loopstone %s -h lists the flags", err, flags.Name())
	}
	return flags.Args(), nil
}

// discard swallows what the flag package prints beside the error that it returns.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
