package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// testFlags are the flags of loopstone test.
type testFlags struct {
	selection conformance.Selection
	jobs      int
	timeout   time.Duration
	failFast  bool
	verbose   bool
	folder    string
}

func (f *testFlags) register(flags *flag.FlagSet) {
	selectionFlags(flags, &f.selection)
	flags.StringVar(&f.folder, "cases", "", "the cases of the YAML files below `folder`, instead of the suite's own")
	flags.IntVar(&f.jobs, "jobs", conformance.DefaultJobs, "how many cases are under way at `once`")
	flags.DurationVar(&f.timeout, "timeout", stdio.DefaultRequestTimeout, "how long an answer may take")
	flags.BoolVar(&f.failFast, "fail-fast", false, "stop at the first case that does not pass")
	flags.BoolVar(&f.verbose, "verbose", false, "show every failure whole")
}

func runTest(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	var f testFlags
	f.register(flags)
	words, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	port, err := targetOf(words, f.timeout)
	if err != nil {
		return conformance.Usage, err
	}
	all, err := f.suite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	selected, err := f.selection.Select(all)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	return judge(ctx, io, port, run{selected, len(all)}, f)
}

// suite returns the cases to choose from: the built-in ones, or those of a folder.
func (f *testFlags) suite() ([]cases.Case, error) {
	if f.folder == "" {
		return builtInSuite()
	}
	all, err := cases.Load(os.DirFS(f.folder))
	if err != nil {
		return nil, fmt.Errorf("the case files below %s are wrong:\n%w", f.folder, err)
	}
	return all, nil
}

func builtInSuite() ([]cases.Case, error) {
	all, err := cases.All()
	if err != nil {
		return nil, fmt.Errorf("the suite is wrong:\n%w", err)
	}
	return all, nil
}

// run is what is to be judged: the selected cases, out of how many.
type run struct {
	selected []cases.Case
	total    int
}

// judge starts the port, checks its adapter, runs the suite and prints the report.
func judge(ctx context.Context, io streams, port target, what run, f testFlags) (conformance.Outcome, error) {
	adapter, err := port.start(ctx)
	if err != nil {
		return explainStart(err)
	}
	defer adapter.Close()
	description, err := adapter.Describe(ctx)
	if err != nil {
		return conformance.AdapterFault, err
	}
	protocol, err := conformance.CheckAdapter(ctx, port.dial, description, what.selected, f.timeout)
	if err != nil {
		return conformance.AdapterFault, err
	}
	r, err := conformance.Run(ctx, adapter, what.selected, conformance.Options{
		Jobs: f.jobs, FailFast: f.failFast, Command: port.words(), Version: spec.Version,
	})
	if err != nil {
		return conformance.AdapterFault, err
	}
	r.Results = append(protocol, r.Results...)
	r.Suite.Total = what.total
	err = report.Text(io.out, r, report.TextOptions{
		Colour: colourful(io.out), Verbose: f.verbose, Again: "loopstone test%s" + port.again,
	})
	return r.Outcome(), err
}

// explainStart says why an adapter could not be started, with the last lines that it wrote.
func explainStart(err error) (conformance.Outcome, error) {
	var gone *stdio.ProcessError
	if errors.As(err, &gone) && gone.Stderr != "" {
		err = fmt.Errorf("%w\n  its last words:\n%s", err, indent(gone.Stderr))
	}
	return conformance.AdapterFault, fmt.Errorf("the adapter is at fault: %w", err)
}

// colourful reports whether w is a terminal that wants colours.
func colourful(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

func runCheckAdapter(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	return conformance.Usage, usagef("not built yet")
}
