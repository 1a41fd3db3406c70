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
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// fuzzFlags are the flags of loopstone fuzz.
type fuzzFlags struct {
	duration  time.Duration
	detectors patterns
	readings  patterns
	seed      uint64
	jobs      int
	out       string
	known     string
	against   []string
	config    string
	which     portFlag
	timeouts  timeouts
	own       bool // detectors that the reference does not have are looked at, too
}

func (f *fuzzFlags) register(flags *pflag.FlagSet) {
	flags.DurationVar(&f.duration, "for", time.Minute, "how long to search; faults found by then are still shrunk")
	flags.Func("detector", "only these `detectors`", f.detectors.add)
	flags.Func("reading", "only these `readings`", f.readings.add)
	flags.Uint64Var(&f.seed, "seed", 1, "`seed` of the first round of traces; each further round takes the next seed")
	flags.IntVar(&f.jobs, "jobs", defaultFuzzJobs(),
		fmt.Sprintf("how many processes of the port to run at once, at most %d", mostJobs))
	flags.StringVar(&f.out, "out", "", "write each counterexample as a case file into `folder`")
	flags.StringVar(&f.known, "known", "",
		"skip counterexamples that this `file` of known failures lists")
	flags.StringVar(&f.config, "config", "",
		"open every session with this configuration: `CONFIG` is "+configUsage+" (default: a random one)")
	f.which.register(flags)
	f.timeouts.register(flags)
	registerAgainst(flags, &f.against)
}

func (f *fuzzFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	if err := f.check(); err != nil {
		return conformance.Usage, err
	}
	f.own = f.against != nil
	search, err := f.search(ctx)
	if err != nil {
		return conformance.Usage, err
	}
	port, err := f.which.of(ctx, c, f.timeouts)
	if err != nil {
		return conformance.Usage, err
	}
	var old *launch.Target
	if f.own {
		another, err := targetOf(f.against, f.timeouts)
		if err != nil {
			return conformance.Usage, err
		}
		old = &another.Target
	}
	if err := search.Start(ctx, std.ports, port.Target, old); err != nil {
		return faultOf(err), err
	}
	return f.look(ctx, std, search.Campaign)
}

// mostFuzzJobs bounds the default of --jobs: each is a process, and the port may be a large one. mostJobs bounds what a
// user asks for, of check-shared, too: all of them are started before anything is asked.
const (
	mostFuzzJobs = 8
	mostJobs     = 128
)

// defaultFuzzJobs returns how many processes keep this machine busy: one for each core, and one that goes on while
// another waits.
func defaultFuzzJobs() int { return min(runtime.GOMAXPROCS(0)+1, mostFuzzJobs) }

// search returns what the flags ask for, without its ports.
func (f *fuzzFlags) search(ctx context.Context) (c porttest.Search, err error) {
	c = porttest.Search{Campaign: fuzz.Campaign{Seed: f.seed, For: f.duration}, Jobs: f.jobs}
	if c.Detectors, c.Readings, err = f.wanted(); err != nil {
		return c, err
	}
	if f.config != "" {
		config, err := configOf(ctx, f.config)
		if err != nil {
			return c, ofConfig(f.config, fmt.Errorf("--config %s: %w", f.config, err))
		}
		if len(config.Members()) == 0 {
			config = spec.Value{} // of the defaults
		}
		c.Config = &config
	}
	if f.known != "" {
		list, err := readList(ctx, "--known", f.known)
		if err != nil {
			return c, err
		}
		now := time.Now()
		c.Known = func(id string, reading spec.Reading) bool { return list.Names(id, reading, now) }
	}
	return c, nil
}

func (f *fuzzFlags) look(ctx context.Context, std streams, campaign fuzz.Campaign) (conformance.Outcome, error) {
	line := newProgress(std.err)
	campaign.Progress = func(p fuzz.Progress) {
		line.line(fmt.Sprintf("%s, %s left", p, max(f.duration-p.Elapsed, 0).Round(time.Second)))
	}
	found, progress, err := campaign.Run(ctx)
	line.clear()
	if refused, ok := errors.AsType[*fuzz.ConfigError](err); ok {
		err = ofConfig(f.config, fmt.Errorf("--config: %w; choose a --detector that takes it", refused))
		return faultOf(err), err
	}
	writeErr := f.tell(std.out, found)
	fmt.Fprintf(std.out, "%s in %.1f s, from seed %d\n", progress, progress.Elapsed.Seconds(), f.seed)
	fmt.Fprint(std.out, changesOf(found))
	if f.known != "" {
		fmt.Fprintf(std.out, "known failures that were met again: %d\n", progress.Known)
	}
	for _, loss := range progress.Losses {
		fmt.Fprintf(std.out, "LOST, and no trace alone shows why: %s\n", wording.Line(loss))
	}
	open := cmp.Or(err, writeErr)
	if open == nil && progress.Traces > 0 && progress.Verdicts == 0 {
		open = fmt.Errorf("the port gave no verdict within %s", f.duration)
	}
	if ctx.Err() != nil {
		open = judgedError{errors.Join(writeErr, fmt.Errorf(
			"after %.1f s of %s; the counterexamples above were found by then", progress.Elapsed.Seconds(), f.duration))}
	}
	return outcomeOfFound(found, open != nil || progress.Lost > 0), open
}

// outcomeOfFound says whose fault the counterexamples are: that of an adapter that breaks the protocol, that of a port
// or, where all of them only had no answer in time, nobody knows. A search that is open was not carried out to its end,
// or lost a port for no reason that it found.
func outcomeOfFound(found []fuzz.Found, isOpen bool) conformance.Outcome {
	var others conformance.Report
	if isOpen {
		others.Results = append(others.Results, conformance.Result{Status: conformance.Undecided})
	}
	for _, each := range found {
		if each.Change != conformance.Fixed {
			others.Results = append(others.Results, conformance.Result{Status: each.Finding.Status()})
		}
	}
	switch {
	case len(found) == 0 && !isOpen:
		return conformance.Conformant
	case len(others.Results) == 0:
		return conformance.Improved
	default:
		return others.Outcome()
	}
}

// changesOf counts the differences between two ports by what they mean, on a line; it is empty where there are none.
func changesOf(found []fuzz.Found) string {
	counts := map[conformance.Change]int{}
	for _, each := range found {
		if each.Change != "" {
			counts[each.Change]++
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return report.Changes(counts) + "\n"
}

// wanted returns the detectors and readings to look at, which must exist.
func (f *fuzzFlags) wanted() ([]spec.DetectorID, []spec.Reading, error) {
	var detectors []spec.DetectorID
	for _, name := range f.detectors {
		if _, ok := spec.DefinitionOf(spec.DetectorID(name)); !ok && !f.own {
			return nil, nil, usagef("--detector %q: no such detector; %s", name, wording.Hint(name, detectorNames()))
		}
		detectors = append(detectors, spec.DetectorID(name))
	}
	var readings []spec.Reading
	for _, name := range f.readings {
		if r := spec.Reading(name); r != spec.Text && r != spec.Code && !f.own {
			return nil, nil, usagef("--reading %q: want text or code", name)
		}
		readings = append(readings, spec.Reading(name))
	}
	return detectors, readings, nil
}

// check refuses wrong flags, and makes the folder of counterexamples: a wrong path is told before anything runs.
func (f *fuzzFlags) check() error {
	switch {
	case f.duration <= 0:
		return usagef("--for %s: want more than 0", f.duration)
	case f.jobs < 1 || f.jobs > mostJobs:
		return usagef("--jobs %d: want 1 to %d", f.jobs, mostJobs)
	case f.out == "":
		return nil
	}
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return userfiles.Wrong(fmt.Errorf("--out: %w", err))
	}
	return nil
}

// tell prints each counterexample, and writes it where a folder is given.
func (f *fuzzFlags) tell(w io.Writer, found []fuzz.Found) error {
	var problem error
	for _, each := range found {
		what := each.Finding.Error()
		if each.Change != "" {
			what = each.Finding.Place()
		}
		sayf(w, "%s %s (%s)  %s\n", voiceOf(each), each.Case.Detector, each.Subject.Reading, what)
		for _, side := range each.Sides {
			sayf(w, "  %-9s  %s\n", side.Who, side.Says)
		}
		text := cases.Write(each.Case)
		_, isSpecified := spec.DefinitionOf(each.Case.Detector)
		if f.out != "" && isSpecified {
			problem = errors.Join(problem, f.keep(w, each.Case.ID+".yaml", text))
			continue
		}
		sayf(w, "%s\n", indent(string(text)))
		if f.out != "" { // a case of it would keep the whole folder from being read
			fmt.Fprintf(w, "  not written: no case file can be about %s, which is not specified\n", each.Case.Detector)
		}
	}
	return problem
}

// keep writes a counterexample into the folder. A file of its name, which may bear notes by now, is never overwritten.
func (f *fuzzFlags) keep(w io.Writer, name string, text []byte) error {
	path := filepath.Join(f.out, name)
	err := userfiles.Create(path, text)
	switch {
	case err == nil:
		sayf(w, "  written to %s\n", path)
	case errors.Is(err, fs.ErrExist):
		sayf(w, "  %s exists already and was kept\n%s\n", path, indent(string(text)))
		err = nil
	}
	return err
}

func voiceOf(each fuzz.Found) string {
	switch {
	case each.Finding.Status() == conformance.Undecided:
		return "UNDECIDED"
	case each.Finding.Status() == conformance.Broken:
		return "ADAPTER"
	case each.Change == conformance.Fixed, each.Change == conformance.Regressed:
		return strings.ToUpper(string(each.Change))
	case each.Finding.Check == fuzz.AgreementID:
		return "DIFFERS"
	default:
		return "BREAKS " + each.Finding.Check
	}
}
