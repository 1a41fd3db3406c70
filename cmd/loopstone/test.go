package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/spec"
)

// testFlags are the flags of loopstone test.
type testFlags struct {
	settings   conformance.Settings
	which      portFlag
	timeouts   timeouts
	failFast   bool
	most       time.Duration // of the whole run; 0 for as long as it takes
	random     bool
	strict     bool
	allowed    []spec.Feature
	known      string
	writeKnown string
	statement  string
	reports    targets
	verbose    bool
	durations  int
	lastFailed bool
	watch      bool
	list       bool
	json       bool   // list the tests as JSON
	version    string // of the suite, that it must be; empty for any

	shardStatus string            // a file by which Bazel learns that the run heeds its shards
	knownFrom   string            // what names the list of known failures: a flag, or a place in loopstone.yaml
	given       func(string) bool // whether a flag was given
}

func (f *testFlags) register(flags *pflag.FlagSet) {
	f.knownFrom, f.given = "--known", flags.Changed
	group(flags, "Which port", f.registerPort)
	group(flags, "Which cases", f.registerCases)
	group(flags, "How they are run", f.registerRun)
	group(flags, "Generated traces", f.registerTraces)
	group(flags, "What the outcome is", f.registerOutcome)
	group(flags, "Reports", f.registerReports)
}

func (f *testFlags) registerPort(flags *pflag.FlagSet) {
	f.which.register(flags)
	registerAgainst(flags, &f.settings.Against)
}

func (f *testFlags) registerCases(flags *pflag.FlagSet) {
	s := &f.settings
	selectionFlags(flags, &s.Selection)
	flags.StringVar(&s.Folder, "cases", "", "test the cases in the YAML files below `folder` instead of the suite")
	flags.BoolVar(&f.lastFailed, "last-failed", false, "only the tests that failed last time; if none failed, all tests")
	flags.BoolVar(&f.list, "list", false, "run no test; print which would run, and count them")
	flags.BoolVar(&f.json, "json", false, "with --list: one JSON object per test, with the reason if it is not checked")
	versionFlag(flags, &f.version, "suite-version", "run only if the suite is this `version`, or has this digest")
	flags.StringVar(&s.Shard, "shard", "",
		"only part `i/n` of the cases; loopstone merge combines the jsonl reports of all parts")
	flags.BoolVar(&s.LawsAlone, "laws", false,
		"test only the protocol and the laws; works for a detector that is not in the specification")
}

func (f *testFlags) registerRun(flags *pflag.FlagSet) {
	s := &f.settings
	flags.IntVar(&s.Jobs, "jobs", conformance.DefaultJobs, "how many cases to run at the same time")
	f.timeouts.register(flags)
	flags.BoolVarP(&f.failFast, "fail-fast", "x", false,
		"stop at the first test that does not pass; with --jobs above 1, finish those under way")
	flags.DurationVar(&f.most, "for", 0, "stop after this `duration`; tests that have not run by then are undecided")
	flags.BoolVar(&f.random, "random", false,
		"run the cases in a random order; --seed fixes it, without --seed each run has another order")
	flags.BoolVar(&f.watch, "watch", false,
		"test again whenever a file in this folder changes, and print what has changed")
}

func (f *testFlags) registerTraces(flags *pflag.FlagSet) {
	s := &f.settings
	flags.IntVar(&s.Checks, "checks", defaultChecks,
		fmt.Sprintf("how many traces to generate per detector, reading and seed, at most %d", mostChecks))
	flags.BoolVar(&s.Thorough, "thorough", false,
		"generate separate traces for each law, and also check each law on the traces of all cases")
	flags.BoolVar(&s.NoLaws, "no-properties", false, "leave out generated traces and laws")
	flags.Func("seed", fmt.Sprintf("`seeds` of the generated traces, comma-separated, at most %d "+
		"(default 1; --strict, --statement and a badge add a random one)", mostSeeds), addSeeds(&s.Seeds))
}

func (f *testFlags) registerOutcome(flags *pflag.FlagSet) {
	flags.BoolVar(&f.strict, "strict", false, "a test that is not run makes the run undecided")
	flags.Func("allow", "with --strict: `features` that the port may lack", f.allow)
	flags.StringVar(&f.known, "known", "",
		"accept the failures that this `file` lists; an entry that is out of date fails the run")
	flags.StringVar(&f.writeKnown, "write-known", "",
		"write the failures of this run to `file`, in the format of --known; with --known too, keep the reasons in that file")
}

func (f *testFlags) registerReports(flags *pflag.FlagSet) {
	flags.StringVar(&f.statement, "statement", "", "also write a jsonl report to `file`, for loopstone verify")
	f.reports.register(flags, "write a report")
	flags.BoolVar(&f.verbose, "verbose", false, "print every failure in full")
	flags.IntVar(&f.durations, "durations", 0, "in text reports, also list the `n` slowest tests")
}

// allow takes in features that may be missing.
func (f *testFlags) allow(text string) error {
	for _, name := range strings.Split(text, ",") {
		f.allowed = append(f.allowed, spec.Feature(name))
	}
	return declared.CheckFeatures(f.allowed)
}

func (f *testFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	if f.list {
		return f.listTests(ctx, std, c)
	}
	if f.watch {
		return f.runAgain(ctx, std, c)
	}
	r, err := f.once(ctx, std, c)
	return outcomeOf(r, err), err
}

// outcomeOf returns the outcome of a run: that of its report, or where there is none, the one whose fault that is.
func outcomeOf(r *conformance.Report, err error) conformance.Outcome {
	if r == nil {
		return faultOf(err)
	}
	return r.Outcome()
}

// testRun is all that a run needs to know before the port is started.
type testRun struct {
	port       target
	all        []cases.Case
	known, old *knownfailures.List
	started    time.Time
}

// once judges the port. Without a report, [faultOf] the error says whose fault that is.
func (f *testFlags) once(ctx context.Context, std streams, c call) (*conformance.Report, error) {
	run, err := f.prepare(ctx, std, c)
	if err != nil {
		return nil, err
	}
	run.started = time.Now()
	plan, err := planOf(f.settled(), run.all)
	if err != nil {
		return nil, usageError{err}
	}
	plan.FailFast, plan.Seed = f.failFast, f.orderSeed(run.started)
	asking, stop := f.bounded(ctx)
	defer stop()
	r, err := judge(asking, std, run.port, plan)
	if err != nil {
		fault := faultOf(err)
		if fault != conformance.Usage {
			none := conformance.ReportNotStarted(fault, plan.Options(), err)
			err = errors.Join(err, f.report(ctx, std, none, run))
		}
		return nil, err
	}
	if asking.Err() != nil {
		tellInterrupted(asking, std, r)
	}
	r.Strict, r.Allowed = f.strict, f.allowed
	r.PartAlone = f.strict && f.settings.ShardBy != "" && !f.reportsTo("jsonl")
	run.excuse(asking, r, plan.All)
	if file := run.port.file; file != nil && asking.Err() == nil {
		keepFailed(ctx, std, file.Folder, r)
	}
	return r, f.write(ctx, std, r, run)
}

// excuse applies the known failures to the report.
func (run testRun) excuse(asking context.Context, r *conformance.Report, all []cases.Case) {
	switch {
	case run.known == nil:
	case asking.Err() != nil:
		run.known.ApplyToEnded(r, all, run.started)
	default:
		run.known.Apply(r, all, run.started)
	}
}

// prepare reads and checks all that the flags and loopstone.yaml say.
func (f *testFlags) prepare(ctx context.Context, std streams, c call) (run testRun, err error) {
	if run.port, err = f.which.of(ctx, c, f.timeouts); err != nil {
		return run, err
	}
	if run.port.file != nil {
		f.orFile(*run.port.file)
	}
	if f.statement != "" {
		f.reports = append(f.reports.orText(), report.Target{Format: "jsonl", Path: f.statement})
	}
	if err := f.orEnvironment(); err != nil {
		return run, err
	}
	if err := f.check(run.port); err != nil {
		return run, err
	}
	if run.all, err = suiteOf(ctx, f.settings); err != nil {
		return run, err
	}
	if f.lastFailed {
		if err := f.chooseLastFailed(ctx, std, run.port.file.Folder, run.all); err != nil {
			return run, err
		}
	}
	if err := checkOutputs(f.outputs(), f.inputs(run.port, run.all)); err != nil {
		return run, err
	}
	if f.shardStatus != "" {
		if err := userfiles.Create(f.shardStatus, nil); err != nil && !errors.Is(err, fs.ErrExist) {
			return run, fmt.Errorf("TEST_SHARD_STATUS_FILE: %w", err)
		}
	}
	run.known, run.old, err = f.readKnown(ctx)
	return run, err
}

// bounded returns a context that ends when the whole run has taken as long as it may.
func (f *testFlags) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.most == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.most, fmt.Errorf("--for %s is over", f.most))
}

// tellInterrupted says how far a run came that was ended.
func tellInterrupted(ctx context.Context, std streams, r *conformance.Report) {
	asked := len(r.Results) - r.Count(conformance.Skipped)
	done := asked - r.Count(conformance.Undecided)
	why := fmt.Sprintf("interrupted (%v)", context.Cause(ctx))
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		why = context.Cause(ctx).Error()
	}
	fmt.Fprintf(std.err, "loopstone test: %s after %d of %d\n", why, done, asked)
}

// orEnvironment takes over what the environment says where no flag says otherwise: LOOPSTONE_SHARD, or a test runner by
// Bazel's protocol, which part of the suite is wanted; the latter also where the JUnit report belongs.
func (f *testFlags) orEnvironment() error {
	const own, bazels = "LOOPSTONE_SHARD", "TEST_TOTAL_SHARDS"
	shard, total := os.Getenv(own), os.Getenv(bazels)
	switch {
	case f.settings.Shard != "":
	case shard != "":
		f.settings.Shard, f.settings.ShardBy = shard, own
	case total != "":
		index, err := strconv.Atoi(os.Getenv("TEST_SHARD_INDEX"))
		if err != nil {
			return usagef("%s is %q, but TEST_SHARD_INDEX is %q: want a number, from 0", bazels, total,
				os.Getenv("TEST_SHARD_INDEX"))
		}
		f.settings.Shard, f.settings.ShardBy = fmt.Sprintf("%d/%s", index+1, total), bazels
		f.shardStatus = os.Getenv("TEST_SHARD_STATUS_FILE")
	}
	if by := f.settings.ShardBy; by != "" {
		if _, err := cases.ParseShard(f.settings.Shard); err != nil {
			return usagef("the environment variable %s: %w", by, err)
		}
	}
	path := os.Getenv("XML_OUTPUT_FILE")
	if path == "" || f.reportsTo("junit") {
		return nil
	}
	f.reports = append(f.reports.orText(), report.Target{Format: "junit", Path: path})
	return nil
}

func (f *testFlags) reportsTo(format string) bool {
	return slices.ContainsFunc(f.reports, func(t report.Target) bool { return t.Format == format })
}

// check refuses flags that make no sense, alone, together or with the words that start the port.
func (f *testFlags) check(port target) error {
	switch {
	case f.writeKnown != "" && port.reference:
		return usagef("--write-known %s would write what the reference fails; leave out one of --write-known, --reference",
			f.writeKnown)
	case f.json && !f.list:
		return usagef("--json is for --list; the format of reports for programs is --report jsonl")
	case f.settings.Jobs < 1:
		return usagef("--jobs %d: want at least 1", f.settings.Jobs)
	case f.most < 0:
		return usagef("--for %s: want a duration above 0", f.most)
	case f.statement != "" && f.most > 0:
		return usagef("--for may leave tests undecided, which verify could not repeat; leave out one of --statement, --for")
	case f.durations < 0:
		return usagef("--durations %d: want a number that is not below 0", f.durations)
	case f.settings.Checks < 1:
		return usagef("--checks %d: want at least 1; --no-properties leaves them out", f.settings.Checks)
	case f.known != "" && f.failFast:
		return usagef("--fail-fast stops at the first known failure; leave out one of --known, --fail-fast")
	}
	return cmp.Or(f.checkLastFailed(port.file != nil), f.checkOther(), f.checkSuiteVersion())
}

// checkLastFailed refuses --last-failed where nothing can be known of it, and beside what it chooses itself.
func (f *testFlags) checkLastFailed(byFile bool) error {
	switch {
	case !f.lastFailed:
		return nil
	case !byFile:
		return usagef("--last-failed needs the port of %s, which keeps the record; leave out the command, or --reference",
			portconfig.FileName)
	case len(f.settings.Selection.Cases) > 0:
		return usagef("--last-failed chooses the cases; leave out one of --case, --last-failed")
	case f.settings.LawsAlone || f.settings.Against != nil:
		return usagef("--last-failed is about the suite; leave out --last-failed, or --laws and --against")
	default:
		return nil
	}
}

// checkOther refuses what makes no sense for a port that is not judged by the specification.
func (f *testFlags) checkOther() error {
	s := f.settings
	mode := "--laws"
	switch {
	case s.LawsAlone && s.Against != nil:
		return usagef("--laws judges one port; leave out one of --laws, --against")
	case s.Against != nil:
		mode = "--against"
	case !s.LawsAlone:
		return nil
	}
	switch {
	case f.statement != "":
		return usagef("%s does not test the suite, which loopstone verify repeats; leave out one of --statement, %s",
			mode, mode)
	case s.Shard != "":
		return usagef("%s cannot be split; leave out one of --shard, %s", mode, mode)
	case s.NoLaws:
		return usagef("%s plays generated traces; leave out one of --no-properties, %s", mode, mode)
	case s.Folder != "" && s.LawsAlone:
		return usagef("--laws tests no cases; leave out one of --cases, --laws")
	case (f.random || f.failFast) && s.Against != nil:
		return usagef("--against compares all cases, in the order of the suite; leave out --random and --fail-fast")
	}
	return nil
}

// checkSuiteVersion refuses a run that is to be by another suite than this program's.
func (f *testFlags) checkSuiteVersion() error {
	if f.version == "" {
		return nil
	}
	if f.settings.Folder != "" {
		return usagef("--suite-version is about the built-in suite; leave out one of --suite-version, --cases")
	}
	v, err := knownVersions()
	if err == nil && !v.isOwn(f.version) {
		err = usagef("--suite-version %s: the suite of this loopstone is %s", f.version, v.own())
	}
	return err
}

// settled returns the settings of this run, without those that are usual. A strict run, unless it has more than one
// seed, takes a fresh one beside the other, which is that of every run: a port may have learned what comes of it. A
// statement and a badge always do, since the port's authors choose the other seeds.
func (f *testFlags) settled() conformance.Settings {
	published := f.statement != "" || f.reportsTo("badge")
	s := withTraces(f.settings, published || f.strict && len(f.settings.Seeds) < 2)
	f.timeouts.note(&s)
	if s.Jobs == conformance.DefaultJobs {
		s.Jobs = 0
	}
	return s
}

// orderSeed returns the seed of the order of the cases; 0 for that of the suite.
func (f *testFlags) orderSeed(now time.Time) int64 {
	switch {
	case !f.random:
		return 0
	case len(f.settings.Seeds) > 0:
		return f.settings.Seeds[0]
	default:
		return now.UnixNano()
	}
}

// readKnown reads the list of known failures, and the one whose words the list that is written keeps: the same, or what
// the file to be written holds by now.
func (f *testFlags) readKnown(ctx context.Context) (known, old *knownfailures.List, err error) {
	if f.known != "" {
		known, err = readList(ctx, f.knownFrom, f.known)
		return known, known, err
	}
	if at, err := userfiles.Find(f.writeKnown); err == nil && at.HasContent() {
		old, err = readList(ctx, "--write-known", f.writeKnown)
		return nil, old, err
	}
	return nil, nil, nil
}

func readList(ctx context.Context, flag, path string) (*knownfailures.List, error) {
	text, err := userfiles.Read(ctx, path, userfiles.MostText)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	list, err := knownfailures.Read(path, text)
	if err != nil {
		return nil, userfiles.Wrong(fmt.Errorf("%s: the file is wrong:\n%w", flag, err))
	}
	return list, nil
}

// outputs returns the files that the run writes. A list of known failures may be written over the one that was read.
func (f *testFlags) outputs() []file {
	return append(f.reports.orText().files(),
		given(file{"--write-known", f.writeKnown}, file{"TEST_SHARD_STATUS_FILE", f.shardStatus})...)
}

// inputs returns the files that the run reads.
func (f *testFlags) inputs(port target, all []cases.Case) []file {
	list := append(port.files(), commandFiles("", f.settings.Against)...)
	if f.known != "" && !f.rewritesKnown() {
		list = append(list, file{f.knownFrom, f.known})
	}
	for _, c := range all {
		if f.settings.Folder != "" {
			list = append(list, file{"a file of --cases", filepath.Join(f.settings.Folder, c.Place.File)})
		}
	}
	return list
}

// rewritesKnown reports whether --write-known names the file that --known reads, which it is made for.
func (f *testFlags) rewritesKnown() bool {
	known, errKnown := userfiles.Find(f.known)
	written, errWritten := userfiles.Find(f.writeKnown)
	return errKnown == nil && errWritten == nil && known.Is(written)
}

// write writes everything that was asked for. Where one cannot be written the others are, and the error says which.
func (f *testFlags) write(ctx context.Context, std streams, r *conformance.Report, run testRun) error {
	f.reports = f.reports.orText()
	err := f.report(ctx, std, r, run)
	if f.writeKnown != "" {
		write := func(w io.Writer) error { return knownfailures.Write(w, r, run.old) }
		wrong := userfiles.Stream(ctx, f.writeKnown, write)
		if wrong == nil {
			sayf(std.err, "loopstone test: wrote %s: %s\n", f.writeKnown, entries(knownfailures.Entries(r, run.old)))
		}
		err = errors.Join(err, wrong)
	}
	return err
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// report writes the reports that were asked for.
func (f *testFlags) report(ctx context.Context, std streams, r *conformance.Report, run testRun) error {
	known := f.known
	if f.writeKnown != "" {
		known = "" // this run writes it
	}
	return f.reports.write(ctx, std, r, report.Options{
		Verbose: f.verbose, Durations: f.durations, Site: siteBase(), Started: run.started, Known: known,
		Again: "loopstone test%s" + againFlags(r.Settings) + run.port.again,
	})
}
