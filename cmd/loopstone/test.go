package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/knownfailures"
	"github.com/loopstone/loopstone/internal/statement"
	"github.com/loopstone/loopstone/spec"
)

// defaultChecks is how many generated traces a run tries: enough for most faults, few enough that the run takes seconds
// with a port in any language. loopstone fuzz goes on for longer.
const defaultChecks = 100

// testFlags are the flags of loopstone test.
type testFlags struct {
	selection  conformance.Selection
	folder     string
	shard      string
	jobs       int
	timeouts   timeouts
	failFast   bool
	random     bool
	seed       int64
	checks     int
	noLaws     bool
	strict     bool
	allowed    patterns
	known      string
	writeKnown string
	statement  string
	reports    targets
	verbose    bool
}

func (f *testFlags) register(flags *flag.FlagSet) {
	selectionFlags(flags, &f.selection)
	flags.StringVar(&f.folder, "cases", "", "the cases of the YAML files below `folder`, instead of the suite's own")
	flags.StringVar(&f.shard, "shard", "", "only part `i/n` of the cases; loopstone merge puts the parts' jsonl reports together")
	flags.IntVar(&f.jobs, "jobs", conformance.DefaultJobs, "how many cases are under way at once")
	f.timeouts.register(flags)
	flags.BoolVar(&f.failFast, "fail-fast", false, "stop at the first case that does not pass")
	flags.BoolVar(&f.random, "random", false, "run the cases in a random order")
	flags.IntVar(&f.checks, "checks", defaultChecks, "how many generated traces each detector and reading gets")
	flags.BoolVar(&f.noLaws, "no-properties", false, "check nothing on generated traces")
	flags.Int64Var(&f.seed, "seed", 0, "the `seed` of generated traces (0: 1) and of the random order (0: from the clock)")
	flags.BoolVar(&f.strict, "strict", false, "what is not checked makes the run undecided")
	flags.Var(&f.allowed, "allow", "with --strict: `features` that may be missing")
	flags.StringVar(&f.known, "known", "", "the `file` of the port's known failures, which are excused as long as it tells the truth")
	flags.StringVar(&f.writeKnown, "write-known", "", "write the failures of this run to `file`, for --known")
	flags.StringVar(&f.statement, "statement", "", "write a conformance statement to `file`, for loopstone verify")
	flags.Var(&f.reports, "report", "a report as `format[=file]`, any number of them: "+formats())
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
	port, err := targetOf(words, f.timeouts)
	if err != nil {
		return conformance.Usage, err
	}
	all, err := f.suite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	if f.checks < 1 {
		return conformance.Usage, usagef("--checks %d: want at least 1; --no-properties leaves them out", f.checks)
	}
	if f.known != "" && f.failFast {
		return conformance.Usage, usagef("--fail-fast stops at the first known failure; leave out one of --known, --fail-fast")
	}
	known, err := f.readKnown()
	if err != nil {
		return conformance.Usage, err
	}
	selected, err := f.choose(all)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	started := time.Now()
	r, outcome, err := judge(ctx, io, port, work{selected, f.options(all, selected, port, started), f.budget()})
	if err != nil {
		return outcome, err
	}
	r.Strict, r.Allowed = f.strict, f.allowedFeatures()
	if known != nil {
		known.Apply(r, all, started)
	}
	return r.Outcome(), f.write(ctx, io, r, port, started)
}

// suite returns the cases to choose from: the built-in ones, or those of a folder.
func (f *testFlags) suite() ([]cases.Case, error) {
	if f.folder == "" {
		all, err := builtInSuite()
		if err != nil || f.noLaws {
			return all, err
		}
		return slices.Concat(all, fuzz.Cases()), nil
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
		return nil, suiteError{fmt.Errorf("the suite is wrong:\n%w", err)}
	}
	return all, nil
}

// suiteError is an error of the suite itself.
type suiteError struct{ error }

func (f *testFlags) readKnown() (*knownfailures.Ledger, error) {
	if f.known == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.known)
	if err != nil {
		return nil, usagef("--known: %w", err)
	}
	known, err := knownfailures.Read(f.known, text)
	if err != nil {
		return nil, usagef("--known: the file is wrong:\n%w", err)
	}
	return known, nil
}

// choose returns the cases that the flags select.
func (f *testFlags) choose(all []cases.Case) ([]cases.Case, error) {
	selected, err := f.selection.Select(all)
	if err != nil || f.shard == "" {
		return selected, err
	}
	shard, err := conformance.ParseShard(f.shard)
	if err != nil {
		return nil, err
	}
	return shard.Take(selected)
}

func (f *testFlags) options(all, selected []cases.Case, port target, started time.Time) conformance.Options {
	info := conformance.InfoOfPart(all, selected)
	if f.noLaws && f.folder == "" {
		info.UncheckedLaws = len(fuzz.Cases())
	}
	options := conformance.Options{Jobs: f.jobs, FailFast: f.failFast, Command: port.words(), Suite: info}
	if f.random {
		options.Seed = f.seed
		if f.seed == 0 {
			options.Seed = started.UnixNano()
		}
	}
	return options
}

func (f *testFlags) budget() fuzz.Budget {
	return fuzz.Budget{Checks: f.checks, Seed: uint64(max(f.seed, 1))}
}

func (f *testFlags) allowedFeatures() []spec.Feature {
	var features []spec.Feature
	for _, name := range f.allowed {
		features = append(features, spec.Feature(name))
	}
	return features
}

// write writes everything that was asked for. Where one cannot be written the others are, and the error says which.
func (f *testFlags) write(ctx context.Context, io streams, r *conformance.Report, port target, started time.Time) error {
	options := report.Options{
		Verbose: f.verbose, Again: "loopstone test%s" + port.again, Started: started, Folder: f.caseFolder(),
	}
	if len(f.reports) == 0 {
		f.reports = targets{{Format: "text"}}
	}
	var problems problems
	for _, t := range f.reports {
		options.Colour = t.Path == "" && colourful(io.out)
		problems.add(t.Write(io.out, r, options))
	}
	if f.writeKnown != "" {
		problems.add(writeFile(ctx, f.writeKnown, func(b *buffer) error { return knownfailures.Write(b, r) }))
	}
	if f.statement != "" {
		problems.add(writeFile(ctx, f.statement, func(b *buffer) error {
			return statement.Write(b, statement.New(r, started))
		}))
	}
	return problems.err()
}

// caseFolder is where the case files lie for those who follow a report: in the suite's repository, or where they were
// read from.
func (f *testFlags) caseFolder() string {
	if f.folder == "" {
		return "cases"
	}
	return f.folder
}
