package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// usualBench is how long a measurement may take: the reference needs two minutes, a port in Python six.
const usualBench = 30 * time.Minute

// benchFlags are the flags of loopstone bench.
type benchFlags struct {
	only   string
	count  int
	time   time.Duration
	most   time.Duration
	growth bool
	events int
	svg    string
	which  portFlag
	old    []string   // the command of --against
	gate   bench.Gate // 0 for none
	any    bool
}

func (f *benchFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.only, "run", "",
		"only benchmarks whose name, detector=…/reading=…/workload=…, matches this regular `expression`")
	flags.IntVar(&f.count, "count", 6, "how many samples of each workload; fewer than 6 have no confidence interval")
	flags.DurationVar(&f.time, "time", 50*time.Millisecond, "duration of one sample")
	flags.DurationVar(&f.most, "for", usualBench,
		"stop after this `duration`; what is measured by then is printed, and nothing is decided")
	flags.BoolVar(&f.growth, "growth", false,
		"measure whether an event takes longer after more events")
	flags.IntVar(&f.events, "events", 10_000,
		"with --growth: how many events the shortest trace has; the longest has 8 times as many")
	flags.StringVar(&f.svg, "svg", "", "with --growth: write a chart to `file`")
	f.which.register(flags)
	registerAgainst(flags, &f.old)
	flags.Func("gate", "with --against: exit with 1 if the new port is worse by more than `percent`, such as 25%",
		parsed(&f.gate, bench.ParseGate))
}

// run measures a port, or two.
func (f *benchFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	words, err := c.command()
	if err != nil {
		return conformance.Usage, err
	}
	if err := f.check(words); err != nil {
		return conformance.Usage, err
	}
	chosen, err := f.which.target(ctx, words, usualTimeouts)
	if err == nil && f.svg != "" {
		err = checkOutputs([]file{printed, {"--svg", f.svg}}, chosen.files())
	}
	if err != nil {
		return conformance.Usage, err
	}
	limited, stop := context.WithTimeoutCause(ctx, f.most, fmt.Errorf("--for %s is over", f.most))
	defer stop()
	outcome, err := f.measureAll(limited, std, chosen)
	if err != nil && limited.Err() != nil && ctx.Err() == nil { // the port did nothing wrong but to be slow
		return conformance.NotDecided, overdue(context.Cause(limited), err)
	}
	return outcome, err
}

// partly is the error of a measurement that has ended early.
type partly struct{ done, all int }

func (p partly) Error() string {
	return fmt.Sprintf("after %d of %d samples, each of which is whole", p.done, p.all)
}

// overdue says that the time is over, and how far the measurement came.
func overdue(over, err error) error {
	came := "before anything was measured"
	if p, ok := errors.AsType[partly](err); ok {
		came = p.Error()
	}
	return fmt.Errorf("%w %s; measure less with --run or --count, or allow more time with --for", over, came)
}

func (f *benchFlags) measureAll(ctx context.Context, std streams, chosen target) (conformance.Outcome, error) {
	port, err := benchTarget(ctx, std, chosen)
	switch {
	case err != nil:
		return faultOf(err), err
	case f.growth:
		return benchGrowth(ctx, std, port, *f)
	case f.old != nil:
		return benchAgainst(ctx, std, port, *f)
	default:
		return benchOne(ctx, std, port, *f)
	}
}

// check refuses flags that make no sense, alone or with the command of the port.
func (f *benchFlags) check(command []string) error {
	switch {
	case slices.Contains(command, "--vs"):
		return usagef("--vs is now --against: write bench --against OLD… -- NEW…")
	case f.count < 1 || f.time <= 0 || f.most <= 0 || f.events < 1:
		return usagef("--count %d, --time %s, --for %s, --events %d: want more than 0", f.count, f.time, f.most, f.events)
	case f.old != nil && f.growth:
		return usagef("--growth measures one port; leave out one of --growth, --against")
	case f.svg != "" && !f.growth:
		return usagef("--svg draws the curves of --growth; add --growth")
	case f.gate > 0 && f.old == nil:
		return usagef("--gate needs a second port: add --against OLD…")
	default:
		return nil
	}
}

// benchGrowth measures how a port's cost grows with the events that it has observed, prints a table and draws it. A
// detector whose cost grows breaks a clause that is a SHOULD; the exit code says so.
func benchGrowth(ctx context.Context, std streams, port benchPort, f benchFlags) (conformance.Outcome, error) {
	targets, err := bench.Targets(port.Description, f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	warnIfBusy(std)
	curves, err := bench.MeasureGrowth(ctx, port.program, targets, f.events)
	if err != nil {
		return conformance.AdapterFault, err
	}
	if len(curves) == 0 {
		return conformance.Usage, usagef("--growth --run %q matches nothing that %s offers", f.only, port.label)
	}
	fmt.Fprintln(std.out, "By the number of events observed: time per event")
	if err := bench.WriteCurves(std.out, curves); err != nil {
		return conformance.NotDecided, err
	}
	if f.svg != "" {
		draw := func(w io.Writer) error { return bench.WriteSVG(w, port.label, curves) }
		if err := userfiles.Stream(ctx, f.svg, draw); err != nil {
			return conformance.NotDecided, err
		}
	}
	return tellGrowth(std, curves), nil
}

// tellGrowth says which cost grows with the events observed.
func tellGrowth(std streams, curves []bench.Curve) conformance.Outcome {
	outcome := conformance.Conformant
	for _, c := range curves {
		if grows := c.Grows(); grows != bench.Nothing {
			fmt.Fprintf(std.out, "PR-36 (SHOULD): %s: %s of the session grows with the events observed\n", c.Name(), grows)
			outcome = conformance.NotConformant
		}
	}
	return outcome
}

// warnIfBusy begins figures that hold no results of their own, in whose comments it would stand, with whether the
// machine has other work to do.
func warnIfBusy(std streams) {
	if warning := bench.Busy(); warning != "" {
		fmt.Fprintln(std.out, warning)
	}
}

// benchPort is a port that is measured.
type benchPort struct {
	spec.Description
	program bench.Program
	label   string
}

// benchTarget starts a port to find out what it is.
func benchTarget(ctx context.Context, std streams, t target) (benchPort, error) {
	program := bench.Program{Command: t.Command, Left: std.ports.Left}
	d, err := bench.Describe(ctx, program)
	if err == nil {
		err = declared.CheckNames(d)
	}
	d.Name = wording.Line(d.Name) // it stands among results, each of which is a line
	return benchPort{d, program, d.Name + " " + wording.Line(d.Version+" ("+d.Language+")")}, err
}

func benchOne(ctx context.Context, std streams, port benchPort, f benchFlags) (conformance.Outcome, error) {
	targets, err := bench.Targets(port.Description, f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	results := bench.NewResults(std.out, port.label)
	return f.measure(ctx, std, targets, bench.Port{Program: port.program, Results: results})
}

func (f benchFlags) measure(ctx context.Context, std streams, targets []bench.Target,
	ports ...bench.Port,
) (conformance.Outcome, error) {
	line := newProgress(std.err)
	defer line.clear()
	done, all, began := 0, 0, time.Now()
	plan := bench.Plan{Targets: targets, Count: f.count, Time: f.time, Progress: func(by, of int, what string) {
		done, all = by, of
		line.line(fmt.Sprintf("%d of %d samples%s: %s", done, all, timeLeft(done, all, time.Since(began)), what))
	}}
	if err := bench.Run(ctx, ports, plan); err != nil {
		if ctx.Err() != nil {
			return conformance.NotDecided, partly{done, all}
		}
		return conformance.AdapterFault, err
	}
	return conformance.Conformant, nil
}

// benchAgainst measures two ports in turns and prints what differs. A gate judges the new one.
func benchAgainst(ctx context.Context, std streams, judged benchPort, f benchFlags) (conformance.Outcome, error) {
	old, err := targetOf(f.old, usualTimeouts)
	if err != nil {
		return conformance.Usage, err
	}
	other, err := benchTarget(ctx, std, old)
	if err != nil {
		return faultOf(err), err
	}
	targets, err := bench.Targets(bench.Common(other.Description, judged.Description), f.only)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	warnIfBusy(std)
	var before, now bytes.Buffer
	ports := []bench.Port{
		{Program: other.program, Results: bench.NewResults(&before, other.label)},
		{Program: judged.program, Results: bench.NewResults(&now, judged.label)},
	}
	outcome, interrupted := f.measure(ctx, std, targets, ports...)
	if interrupted != nil && (ctx.Err() == nil || before.Len() == 0 || now.Len() == 0) {
		return outcome, interrupted
	}
	labels := [2]string{other.Name, judged.Name}
	if labels[0] == labels[1] {
		labels = [2]string{"the old port", "the new port"}
	}
	compared, err := f.compare(std, bench.Source{Label: labels[0], Text: &before},
		bench.Source{Label: labels[1], Text: &now})
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

func (f *benchFlags) compareFiles(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	results := c.all()
	if len(results) != 2 {
		return conformance.Usage, usagef("want two files of results, the old and the new one, got %q", results)
	}
	var sources [2]bench.Source
	for i, name := range results {
		text, err := userfiles.Read(ctx, name, userfiles.MostReport)
		if err != nil {
			return faultOf(err), err
		}
		sources[i] = bench.Source{Label: name, Text: bytes.NewReader(text)}
	}
	return f.compare(std, sources[0], sources[1])
}

// compare prints the comparison and what the gate says of it. A comparison that cannot be trusted is undecided.
func (f benchFlags) compare(std streams, old, new bench.Source) (conformance.Outcome, error) {
	c, err := bench.Compare(old, new, f.any)
	if err != nil {
		return conformance.NotDecided, err
	}
	if f.gate > 0 {
		c.RequireJudged()
	}
	if err := c.Write(std.out); err != nil {
		return conformance.NotDecided, err
	}
	var worse, unclear []string
	if f.gate > 0 {
		worse, unclear = c.Findings(f.gate)
	}
	for _, finding := range worse {
		sayf(std.out, "worse by more than %s: %s\n", f.gate, finding)
	}
	for _, finding := range unclear {
		sayf(std.out, "may be worse by more than %s: %s\n", f.gate, finding)
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
