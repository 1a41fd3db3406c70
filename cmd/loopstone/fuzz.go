package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/fuzz"
	"github.com/loopstone/loopstone/conformance/generate"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// fuzzFlags are the flags of loopstone fuzz.
type fuzzFlags struct {
	duration  time.Duration
	detectors patterns
	readings  patterns
	seed      uint64
	out       string
	timeouts  timeouts
}

// runFuzz looks for faults on generated traces until the time is up.
func runFuzz(ctx context.Context, io streams, args []string) (conformance.Outcome, error) {
	flags := flag.NewFlagSet("fuzz", flag.ContinueOnError)
	var f fuzzFlags
	flags.DurationVar(&f.duration, "for", time.Minute, "how long to look")
	flags.Var(&f.detectors, "detector", "only these `detectors`")
	flags.Var(&f.readings, "reading", "only these `readings`")
	flags.Uint64Var(&f.seed, "seed", 1, "the first `seed`; every round takes the next")
	flags.StringVar(&f.out, "out", "", "write each counterexample as a case file into `folder`")
	f.timeouts.register(flags)
	words, err := parse(io, flags, args)
	if err != nil {
		return conformance.Usage, err
	}
	if f.duration <= 0 {
		return conformance.Usage, usagef("--for %s: want more than 0", f.duration)
	}
	command, against := splitAt(words, "--against")
	port, err := targetOf(command, f.timeouts)
	if err != nil {
		return conformance.Usage, err
	}
	adapter, err := port.start(ctx)
	if err != nil {
		return conformance.AdapterFault, explainStart(err)
	}
	defer adapter.Close()
	oracle, stop, err := f.oracle(ctx, against)
	if err != nil {
		return conformance.AdapterFault, err
	}
	defer stop()
	return f.look(ctx, io, adapter, oracle)
}

// splitAt cuts a list of words at a word, which belongs to neither part.
func splitAt(words []string, at string) (before, after []string) {
	i := slices.Index(words, at)
	if i < 0 {
		return words, nil
	}
	return words[:i], words[i+1:]
}

// oracle returns what the port is compared with: the reference, or another port.
func (f *fuzzFlags) oracle(ctx context.Context, command []string) (spec.Port, func() stdio.Ending, error) {
	if command == nil {
		return reference.Port(), func() stdio.Ending { return stdio.Ending{} }, nil
	}
	port, err := targetOf(command, f.timeouts)
	if err != nil {
		return nil, nil, err
	}
	adapter, err := port.start(ctx)
	if err != nil {
		return nil, nil, explainStart(err)
	}
	return adapter, adapter.Close, nil
}

func (f *fuzzFlags) look(ctx context.Context, io streams, port, oracle spec.Port) (conformance.Outcome, error) {
	detectors, readings, err := f.wanted()
	if err != nil {
		return conformance.Usage, err
	}
	line := newProgress(io.err)
	found, progress, err := fuzz.Campaign{
		Port: port, Oracle: oracle, Source: generate.For, Detectors: detectors, Readings: readings,
		Seed: f.seed, For: f.duration, Progress: func(p fuzz.Progress) { line.line(p.String()) },
	}.Run(ctx)
	line.clear()
	writeErr := f.tell(io.out, found)
	fmt.Fprintf(io.out, "%s in %.1f s, from seed %d\n", progress, progress.Elapsed.Seconds(), f.seed)
	switch {
	case err != nil:
		return conformance.NotDecided, err
	case writeErr != nil:
		return conformance.NotDecided, writeErr
	case len(found) > 0:
		return conformance.NotConformant, nil
	default:
		return conformance.Conformant, nil
	}
}

// wanted returns the detectors and readings to look at, which must exist.
func (f *fuzzFlags) wanted() ([]spec.DetectorID, []spec.Reading, error) {
	var detectors []spec.DetectorID
	for _, name := range f.detectors {
		if _, ok := spec.ProfileOf(spec.DetectorID(name)); !ok {
			return nil, nil, usagef("--detector %q: no such detector", name)
		}
		detectors = append(detectors, spec.DetectorID(name))
	}
	var readings []spec.Reading
	for _, name := range f.readings {
		if r := spec.Reading(name); r != spec.Text && r != spec.Code {
			return nil, nil, usagef("--reading %q: want text or code", name)
		}
		readings = append(readings, spec.Reading(name))
	}
	return detectors, readings, nil
}

// tell prints each counterexample, and writes it where a folder is given.
func (f *fuzzFlags) tell(w io.Writer, found []fuzz.Found) error {
	var problems problems
	for _, each := range found {
		fmt.Fprintf(w, "%s %s (%s)  %s\n", voiceOf(each), each.Case.Detector, each.Subject.Reading, each.Finding.Error())
		text := cases.Write(each.Case)
		if f.out == "" {
			fmt.Fprintf(w, "%s\n", indent(string(text)))
			continue
		}
		path := filepath.Join(f.out, each.Case.ID+".yaml")
		problems.add(os.MkdirAll(f.out, 0o755))
		problems.add(writeFile(path, func(b *buffer) error { _, err := b.Write(text); return err }))
		fmt.Fprintf(w, "  written to %s\n", path)
	}
	return problems.err()
}

func voiceOf(each fuzz.Found) string {
	if each.Finding.Check == fuzz.AgreementID {
		return "DIFFERS"
	}
	return "BREAKS " + each.Finding.Check
}
