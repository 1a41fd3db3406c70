package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// selectionFlags adds the flags that select cases.
func selectionFlags(flags *pflag.FlagSet, s *cases.Selection) {
	flags.Func("case", "only cases whose id matches `pattern` (* matches any text)", (*patterns)(&s.Cases).add)
	flags.Func("detector", "only cases of detectors that match `pattern`", (*patterns)(&s.Detectors).add)
	flags.Func("reading", "only cases in readings that match `pattern`", (*patterns)(&s.Readings).add)
	flags.Func("clause", "only cases that test clauses that match `pattern`", (*patterns)(&s.Clauses).add)
	flags.Func("tag", "only cases with tags that match `pattern`", (*patterns)(&s.Tags).add)
}

// The usual settings of generated traces: enough for most faults, few enough that a run takes seconds with a port in
// any language. loopstone fuzz goes on for longer.
const (
	defaultChecks = 100
	defaultSeed   = conformance.FixedSeed
)

// withTraces adds what is usual to the settings of generated traces. A port may have learned the traces of the usual
// seed; a fresh one, beside the others, is one that nobody knows before.
func withTraces(s conformance.Settings, fresh bool) conformance.Settings {
	if s.NoLaws || s.Folder != "" {
		s.Checks, s.Seeds, s.Thorough = 0, nil, false
		return s
	}
	if s.Checks == 0 {
		s.Checks = defaultChecks
	}
	s.Seeds = slices.Clone(s.Seeds)
	if len(s.Seeds) == 0 {
		s.Seeds = []int64{defaultSeed}
	}
	if fresh {
		s.Seeds = append(s.Seeds, freshSeed())
	}
	return s
}

// freshSeed returns a seed that is short enough to be typed, and one of too many to learn the traces of all.
func freshSeed() int64 { return 2 + rand.Int64N(1<<32) }

// againFlags returns the flags that repeat the settings, but for those that select and the seeds.
func againFlags(s conformance.Settings) string {
	flags := ""
	for _, f := range []struct {
		isSet bool
		text  string
	}{
		{s.Folder != "", " --cases " + wording.Shell(s.Folder)},
		{s.Checks > 0 && s.Checks != defaultChecks, fmt.Sprintf(" --checks %d", s.Checks)},
		{s.Thorough, " --thorough"},
		{s.LawsAlone, " --laws"},
		{s.Timeout != "", " --timeout " + s.Timeout},
		{s.StartTimeout != "", " --start-timeout " + s.StartTimeout},
		{len(s.Against) > 0, " --against " + wording.Shell(s.Against...)},
	} {
		if f.isSet {
			flags += f.text
		}
	}
	return flags
}

// suiteOf returns the cases to choose from: the built-in ones with those that stand for laws, or those of a folder.
func suiteOf(ctx context.Context, s conformance.Settings) ([]cases.Case, error) {
	if s.Folder != "" {
		if err := checkFolder(s.Folder); err != nil {
			return nil, fmt.Errorf("--cases: %w", err)
		}
		all, err := cases.Load(userfiles.Folder(ctx, s.Folder, userfiles.MostFolder))
		if err != nil {
			return nil, suiteError{fmt.Errorf("the case files below %s are wrong:\n%w", s.Folder, err)}
		}
		return all, nil
	}
	all, err := builtInSuite()
	if err != nil || s.NoLaws || s.LawsAlone || s.Against != nil {
		return all, err
	}
	return slices.Concat(all, fuzz.Cases()), nil
}

// checkFolder returns the error of a folder that there is not.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("there is no folder %s", path)
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%s is a file; want the folder that it lies in", path)
	}
	return userfiles.Wrong(err)
}

func builtInSuite() ([]cases.Case, error) {
	all, err := cases.All()
	if err != nil {
		return nil, suiteError{fmt.Errorf("the suite is wrong:\n%w", err)}
	}
	return all, nil
}

// mostChecks bounds the generated traces of a seed, mostSeeds the seeds, and mostTraces the traces of all seeds: a
// statement that a stranger wrote must not fill the memory of who verifies it. A strict run adds a seed, so that twice
// as many traces as mostChecks are allowed.
const (
	mostChecks = 100_000
	mostSeeds  = 100
	mostTraces = 2 * mostChecks
)

// planOf returns what the settings ask for, out of all cases.
func planOf(s conformance.Settings, all []cases.Case) (*porttest.Plan, error) {
	plan := &porttest.Plan{Settings: s, All: all}
	switch seeds := len(s.Seeds); {
	case s.Checks < 0:
		return nil, fmt.Errorf("--checks %d: want at least 0", s.Checks)
	case s.Checks > mostChecks:
		return nil, fmt.Errorf("--checks %d: want at most %d; loopstone fuzz --for goes on for longer", s.Checks, mostChecks)
	case seeds > mostSeeds:
		return nil, fmt.Errorf("--seed with %d seeds: want at most %d; loopstone fuzz --for goes on for longer", seeds,
			mostSeeds)
	case s.Checks*seeds > mostTraces:
		return nil, fmt.Errorf("--checks %d for each of %d seeds: want at most %d traces for all of them; "+
			"loopstone fuzz --for goes on for longer", s.Checks, seeds, mostTraces)
	}
	return plan, plan.Select()
}
