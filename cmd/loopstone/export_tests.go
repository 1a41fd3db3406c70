package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/exporttests"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// exportCommand writes the suite as plain files or, with --as, the tests of a detector for a test runner.
func exportCommand(flags *pflag.FlagSet) runner {
	var f exportFlags
	flags.StringVar(&f.as, "as", "", "write the tests of --detector for a test `runner`: "+
		wording.Join(exporttests.RunnerNames(), ", "))
	flags.Func("detector", "with --as: tests of detectors or profiles that match `pattern`, such as @roo",
		(*patterns)(&f.Detectors).add)
	flags.Func("reading", "with --as: tests of this `reading`, text or code", (*patterns)(&f.Readings).add)
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		folders := c.all()
		switch {
		case len(folders) != 1:
			return conformance.Usage, usagef("want one folder, got %q", folders)
		case f.as != "":
			return f.run(ctx, std, folders[0])
		case !f.IsAll():
			return conformance.Usage, usagef("--detector and --reading are for --as; without it, everything is written")
		}
		return runExport(ctx, std, folders[0])
	}
}

// exportFlags say which tests are written for which test runner.
type exportFlags struct {
	cases.Selection
	as string
}

func (f exportFlags) run(ctx context.Context, std streams, folder string) (conformance.Outcome, error) {
	runner, known := exporttests.RunnerByName(f.as)
	if !known {
		return conformance.Usage, usagef("--as %s: %s", f.as, wording.Hint(f.as, exporttests.RunnerNames()))
	}
	dataPath := filepath.Join(folder, exporttests.DataFile)
	if err := checkOurs(ctx, dataPath); err != nil {
		return conformance.Usage, err
	}
	tests, err := f.tests(ctx)
	if err != nil {
		return conformance.Usage, err
	}
	tests.Command = f.again(folder)
	content := map[string][]byte{}
	if runner.File != "" {
		if content[runner.File], err = runner.TestFile(tests); err != nil {
			return conformance.SuiteFault, err
		}
	}
	return writeTests(ctx, std, folder, tests, content)
}

// again returns the command that writes the same tests.
func (f exportFlags) again(folder string) string {
	words := []string{"loopstone", "export", "--as", f.as}
	for _, pattern := range f.Detectors {
		words = append(words, "--detector", pattern)
	}
	for _, reading := range f.Readings {
		words = append(words, "--reading", reading)
	}
	return wording.Shell(append(words, filepath.ToSlash(folder))...)
}

// checkOurs refuses a data file that Loopstone did not write.
func checkOurs(ctx context.Context, path string) error {
	text, err := userfiles.Read(ctx, path, userfiles.MostText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !exporttests.IsData(text):
		return usagef("%s is there already, and is no file of tests; nothing was written", path)
	}
	return nil
}

// writeTests writes the data anew, and the files of the user that are not there yet.
func writeTests(
	ctx context.Context, std streams, folder string, tests exporttests.Tests, yours map[string][]byte,
) (conformance.Outcome, error) {
	var written tree
	for name, text := range yours {
		path := filepath.Join(folder, name)
		if _, err := os.Lstat(path); err == nil {
			sayf(std.out, "%s is there already, and stays as it is\n", path)
			continue
		}
		if err := written.add(ctx, path, text); err != nil {
			return conformance.NotDecided, errors.Join(err, written.remove())
		}
		sayf(std.out, "%s: call your detector there\n", path)
	}
	data, path := tests.Data(), filepath.Join(folder, exporttests.DataFile)
	if err := written.add(ctx, path, data); err != nil {
		return conformance.NotDecided, errors.Join(err, written.remove())
	}
	skipped := tests.Skipped()
	sayf(std.out, "%s: %d tests, %d kB\n", path, len(tests.Tests)-skipped, (len(data)+999)/1000)
	if skipped > 0 {
		fmt.Fprintf(std.out, "  and %d tests that are not checked there: a runner skips them, with the reason\n", skipped)
	}
	return conformance.Conformant, nil
}

// tests returns the tests of the detectors that are asked for.
func (f exportFlags) tests(ctx context.Context) (exporttests.Tests, error) {
	offers, err := f.offers()
	if err != nil {
		return exporttests.Tests{}, err
	}
	suite, err := builtInSuite()
	if err != nil {
		return exporttests.Tests{}, err
	}
	port := spec.Description{Detectors: offers}
	plan := &porttest.Plan{All: suite, Settings: conformance.Settings{Selection: f.Selection}}
	if err := plan.Choose(ctx, port); err != nil {
		return exporttests.Tests{}, err
	}
	_, digest, err := cases.Summary()
	if err != nil {
		return exporttests.Tests{}, suiteError{err}
	}
	tests := exporttests.Tests{Version: spec.Version, Digest: digest, Detectors: lists.Map(offers, exporttests.DetectorOf)}
	tests.Tests, err = plan.Freeze(ctx, port)
	return tests, err
}

// offers returns the detectors that match the patterns, each in one reading.
func (f exportFlags) offers() ([]spec.Offer, error) {
	if len(f.Detectors) == 0 {
		return nil, usagef("--as %s: say whose tests, as in --detector @roo", f.as)
	}
	profiles, err := profile.Named(f.Detectors)
	if err != nil {
		return nil, usageError{err}
	}
	offers := lists.Map(profiles, profile.Profile.Offer)
	for _, d := range spec.Detectors() {
		if !slices.Contains(f.Detectors, string(d.ID)) {
			continue
		}
		offer := d.Offer()
		offer.Readings = lists.Filter(offer.Readings, func(r spec.Reading) bool {
			return len(f.Readings) == 0 || slices.Contains(f.Readings, string(r))
		})
		if len(offer.Readings) != 1 {
			return nil, usagef("%s has the readings %s; choose one with --reading", d.ID,
				wording.Join(d.Readings, ", "))
		}
		offers = append(offers, offer)
	}
	for _, pattern := range f.Detectors {
		if !profile.IsName(pattern) && !slices.Contains(detectorNames(), pattern) {
			return nil, usagef("--detector %s: %s", pattern, wording.Hint(pattern, detectorsAndProfiles()))
		}
	}
	return offers, nil
}
