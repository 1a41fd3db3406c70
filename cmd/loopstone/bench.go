package main

import (
	"bytes"
	"context"
	"fmt"
	stdio "io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/files"
	"github.com/loopstone/loopstone/spec"
)

// benchFlags are the flags of loopstone bench.
type benchFlags struct {
	only   string
	count  int
	time   time.Duration
	growth bool
	events int
	svg    string
	gate   bench.Gate // 0 for none
	any    bool
}

func (f *benchFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.only, "run", "",
		"only benchmarks whose name, detector=…/reading=…/workload=…, matches this regular `expression`")
	flags.IntVar(&f.count, "count", 6, "how many samples of each workload; fewer than 6 have no confidence interval")
	flags.DurationVar(&f.time, "time", 50*time.Millisecond, "duration of one sample")
	flags.BoolVar(&f.growth, "growth", false,
		"measure whether an event takes longer after more events")
	flags.IntVar(&f.events, "events", 10_000,
		"with --growth: how many events the shortest trace has; the longest has 8 times as many")
	flags.StringVar(&f.svg, "svg", "", "with --growth: write a chart to `file`")
	flags.Func("gate", "with --vs: exit with 1 if the new port is worse by more than `percent`, such as 25%",
		parsed(&f.gate, bench.ParseGate))
}

// run measures a port, or two.
func (f *benchFlags) run(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
	words, _, err := c.port(ctx)
	if err != nil {
		return conformance.Usage, err
	}
	if f.count < 1 || f.time <= 0 || f.events < 1 {
		return conformance.Usage, usagef("--count %d, --time %s, --events %d: want more than 0", f.count, f.time, f.events)
	}
	if f.svg != "" {
		if err := checkPlaces([]file{printed, {"--svg", f.svg}}, commandFiles(words)); err != nil {
			return conformance.Usage, err
		}
	}
	first, second, versus := cutVersus(words)
	switch {
	case versus && f.growth:
		return conformance.Usage, usagef("--growth looks at one port; leave out one of --growth, --vs")
	case f.gate > 0 && !versus:
		return conformance.Usage, usagef("--gate needs a second port, after --vs")
	}
	port, err := benchTarget(ctx, io, first)
	switch {
	case err != nil:
		return faultOf(err), err
	case f.growth:
		return benchGrowth(ctx, io, port, *f)
	case versus:
		return benchVersus(ctx, io, port, second, *f)
	default:
		return benchOne(ctx, io, port, *f)
	}
}

// benchGrowth measures how a port's cost grows with the events that it has observed, prints a table and draws it. A
// detector whose cost grows breaks a clause that is a SHOULD; the exit code says so.
func benchGrowth(ctx context.Context, io streams, port benchPort, f benchFlags) (conformance.Outcome, error) {
	targets, err := bench.Targets(port.Description, f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	warnIfBusy(io)
	curves, err := bench.MeasureGrowth(ctx, port.program, targets, f.events)
	if err != nil {
		return conformance.AdapterFault, err
	}
	if len(curves) == 0 {
		return conformance.Usage, usagef("--growth --run %q matches nothing that %s offers", f.only, port.label)
	}
	fmt.Fprintln(io.out, "By the number of events observed: time per event")
	if err := bench.WriteCurves(io.out, curves); err != nil {
		return conformance.NotDecided, err
	}
	if f.svg != "" {
		draw := func(w stdio.Writer) error { return bench.WriteSVG(w, port.label, curves) }
		if err := files.Stream(ctx, f.svg, draw); err != nil {
			return conformance.NotDecided, err
		}
	}
	return tellGrowth(io, curves), nil
}

// tellGrowth says which cost grows with the events observed.
func tellGrowth(io streams, curves []bench.Curve) conformance.Outcome {
	outcome := conformance.Conformant
	for _, c := range curves {
		if grows := c.Grows(); grows != bench.Nothing {
			fmt.Fprintf(io.out, "PR-36 (SHOULD): %s: %s of the session grows with the events observed\n", c.Name(), grows)
			outcome = conformance.NotConformant
		}
	}
	return outcome
}

// warnIfBusy begins figures that hold no results of their own, in whose comments it would stand, with whether the
// machine has other work to do.
func warnIfBusy(io streams) {
	if warning := bench.Busy(); warning != "" {
		fmt.Fprintln(io.out, warning)
	}
}

// cutVersus splits the words after the flags at --vs.
func cutVersus(words []string) (first, second []string, versus bool) {
	i := slices.Index(words, "--vs")
	if i < 0 {
		return words, nil, false
	}
	return words[:i], words[i+1:], true
}

// benchPort is a port that is measured.
type benchPort struct {
	spec.Description
	program bench.Program
	label   string
}

// benchTarget asks the port that the words start what it is; without words it is the reference.
func benchTarget(ctx context.Context, io streams, words []string) (benchPort, error) {
	t, err := targetOf(words, usualTimeouts)
	if err != nil {
		return benchPort{}, err
	}
	program := bench.Program{Command: t.command, Left: io.ports.left}
	d, err := bench.Describe(ctx, program)
	return benchPort{d, program, d.Name + " " + d.Version + " (" + d.Language + ")"}, err
}

func benchOne(ctx context.Context, io streams, port benchPort, f benchFlags) (conformance.Outcome, error) {
	targets, err := bench.Targets(port.Description, f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	results := bench.NewResults(io.out, port.label)
	return f.measure(ctx, io, targets, bench.Port{Program: port.program, Results: results})
}

func (f benchFlags) measure(ctx context.Context, io streams, targets []bench.Target,
	ports ...bench.Port,
) (conformance.Outcome, error) {
	line := newProgress(io.err)
	defer line.clear()
	done, all := 0, 0
	plan := bench.Plan{Targets: targets, Count: f.count, Time: f.time, Progress: func(by, of int, what string) {
		done, all = by, of
		line.line(fmt.Sprintf("%d of %d samples, %s", done, all, what))
	}}
	if err := bench.Run(ctx, ports, plan); err != nil {
		if ctx.Err() != nil {
			return conformance.NotDecided, fmt.Errorf("after %d of %d samples, each of which is whole", done, all)
		}
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

// benchVersus measures two ports in turns and prints what differs. The port before --vs is the new one, which a gate
// judges; the words behind --vs start the old one.
func benchVersus(ctx context.Context, io streams, judged benchPort, words []string,
	f benchFlags,
) (conformance.Outcome, error) {
	other, err := benchTarget(ctx, io, words)
	if err != nil {
		return faultOf(err), err
	}
	targets, err := bench.Targets(bench.Common(other.Description, judged.Description), f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	warnIfBusy(io)
	var old, new bytes.Buffer
	ports := []bench.Port{
		{Program: other.program, Results: bench.NewResults(&old, other.label)},
		{Program: judged.program, Results: bench.NewResults(&new, judged.label)},
	}
	outcome, interrupted := f.measure(ctx, io, targets, ports...)
	if interrupted != nil && (ctx.Err() == nil || old.Len() == 0 || new.Len() == 0) {
		return outcome, interrupted
	}
	labels := [2]string{other.Name, judged.Name}
	if labels[0] == labels[1] {
		labels = [2]string{"behind --vs", "before --vs"}
	}
	compared, err := f.compare(io, bench.Source{Label: labels[0], Text: &old},
		bench.Source{Label: labels[1], Text: &new})
	if interrupted != nil { // what was measured is shown, and decides nothing
		return outcome, interrupted
	}
	return compared, err
}

// benchCompareCommand compares two files of results.
func benchCompareCommand(flags *pflag.FlagSet) runner {
	f := &benchFlags{}
	flags.Func("gate", "exit with 1 if a benchmark got worse by more than `percent`, such as 25%, or allocates more",
		parsed(&f.gate, bench.ParseGate))
	flags.BoolVar(&f.any, "any-machine", false, "also compare measurements of different machines")
	return f.compareFiles
}

func (f *benchFlags) compareFiles(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
	results := c.all()
	if len(results) != 2 {
		return conformance.Usage, usagef("want two files of results, the old and the new one, got %q", results)
	}
	var sources [2]bench.Source
	for i, name := range results {
		text, err := files.Read(ctx, name, files.MostReport)
		if err != nil {
			return conformance.Usage, usageError{err}
		}
		sources[i] = bench.Source{Label: name, Text: bytes.NewReader(text)}
	}
	return f.compare(io, sources[0], sources[1])
}

// compare prints the comparison and what the gate says of it. A comparison that cannot be trusted is undecided.
func (f benchFlags) compare(io streams, old, new bench.Source) (conformance.Outcome, error) {
	c, err := bench.Compare(old, new, f.any)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	if err := c.Write(io.out); err != nil {
		return conformance.NotDecided, err
	}
	var worse, unclear []string
	if f.gate > 0 {
		worse, unclear = c.Findings(f.gate)
	}
	for _, finding := range worse {
		fmt.Fprintf(io.out, "worse by more than %s: %s\n", f.gate, finding)
	}
	for _, finding := range unclear {
		fmt.Fprintf(io.out, "may be worse by more than %s: %s\n", f.gate, finding)
	}
	switch problems := len(c.Problems) + len(unclear); {
	case len(worse) > 0:
		return conformance.NotConformant, nil
	case problems > 0:
		return conformance.NotDecided, fmt.Errorf("%d problems keep this from being judged", problems)
	default:
		return conformance.Conformant, nil
	}
}
