package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/adapters"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/processgroup"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// initCommand writes a first port into a folder, and the list of what it is known to fail.
func initCommand(flags *pflag.FlagSet) runner {
	detector := flags.String("detector", "",
		"write an empty port for the detector of this `name` (see loopstone list detectors)")
	flags.Func("profile", "write an empty port for this `profile`, such as @roo (see loopstone list profiles)",
		func(name string) error {
			_, err := profile.ByName(strings.TrimPrefix(name, "@"))
			*detector = "@" + strings.TrimPrefix(name, "@")
			return err
		})
	bare := flags.Bool("bare", false,
		"for any other language: write an adapter in pseudo-code, for the port that the command after -- starts")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		if flags.Changed("detector") && flags.Changed("profile") {
			return conformance.Usage, usagef("a port begins with one detector; leave out one of --detector, --profile")
		}
		if *bare {
			return initBare(ctx, std, c, spec.DetectorID(cmp.Or(*detector, string(spec.History))))
		}
		words := c.all()
		if len(words) != 2 {
			return conformance.Usage, usagef("want a language and a folder, got %q", words)
		}
		starter, err := starterOf(words[0], spec.DetectorID(*detector))
		if err != nil {
			return conformance.Usage, err
		}
		return runInit(ctx, std, starter, words[1], *detector)
	}
}

// initBare writes what a port in a language without a kit begins with.
func initBare(ctx context.Context, std streams, c call, detector spec.DetectorID) (conformance.Outcome, error) {
	if len(c.words) != 1 || len(c.after) == 0 {
		return conformance.Usage, usagef("want --bare DIR -- COMMAND…, such as --bare my_port -- perl my_port.pl")
	}
	for _, word := range c.after {
		if !utf8.ValidString(word) {
			return conformance.Usage, usagef("%q is not UTF-8, and %s cannot hold it", word, portconfig.FileName)
		}
	}
	starter, err := starterFor(adapters.Bare(c.after), detector)
	if err != nil {
		return conformance.Usage, err
	}
	folder := c.words[0]
	if err := writeStarter(ctx, starter, folder); err != nil {
		return conformance.NotDecided, err
	}
	sayf(std.out, "%s/adapter.txt is an adapter in pseudo-code. Write it in your language, so that this starts it:"+
		"\n\n  %s\n  %s\n\nTo test the adapter, and then the port:\n\n  loopstone check-adapter\n  loopstone test\n",
		folder, enter(folder), wording.Shell(c.after...))
	return conformance.Conformant, nil
}

func runInit(ctx context.Context, std streams, starter adapters.Starter, folder,
	detector string,
) (conformance.Outcome, error) {
	if err := writeStarter(ctx, starter, folder); err != nil {
		return conformance.NotDecided, err
	}
	has, finish := "of "+detector+" that does not report any loop yet", prepare
	if detector == "" {
		has, finish = "that has one deliberate fault", writeKnown
	}
	if err := finish(ctx, starter, folder); err != nil {
		return conformance.AdapterFault, fmt.Errorf("the port is written, but not ready: %w", err)
	}
	sayf(std.out, "%s holds a port in %s %s. %s has the command that starts it. "+
		"To test the port:\n\n  %s\n  loopstone test\n",
		folder, starter.Language, has, portconfig.FileName, enter(folder))
	return conformance.Conformant, nil
}

// enter returns the shell's command to go into a folder, whose name may look like an option.
func enter(folder string) string {
	if strings.HasPrefix(folder, "-") {
		folder = "./" + folder
	}
	return "cd " + wording.Shell(folder)
}

// starterOf returns the files of a first port in a language, of a detector where one is named.
func starterOf(language string, detector spec.DetectorID) (adapters.Starter, error) {
	starter, known := lists.Find(adapters.Starters(), func(s adapters.Starter) bool { return s.Language == language })
	if !known {
		return starter, usagef("no starter for %q; %s", language, wording.Hint(language, languages()))
	}
	if detector == "" {
		return starter, nil
	}
	return starterFor(starter, detector)
}

// starterFor returns the starter of a port of a detector or a profile.
func starterFor(starter adapters.Starter, detector spec.DetectorID) (adapters.Starter, error) {
	definition, ok := spec.DefinitionOf(detector)
	if !ok {
		return starter, usagef("no detector %q; %s", detector, wording.Hint(string(detector), detectorNames()))
	}
	if !detector.IsProfile() {
		return starter.Of(definition), nil
	}
	p, err := profile.ByName(strings.TrimPrefix(string(detector), "@"))
	var events []adapters.Mapped
	for _, e := range p.Events {
		events = append(events, adapters.Mapped{Type: e.Type, Meaning: e.Original, Rungs: e.Rungs})
	}
	return starter.OfProfile(p.Definition(), p.Needs(), events), err
}

// writeStarter writes the files of a starter, and refuses to overwrite any.
func writeStarter(ctx context.Context, starter adapters.Starter, folder string) error {
	starter.Install = installed(isRelease(), buildSettings()["vcs.revision"])
	files, err := starter.Files()
	if err != nil {
		return err
	}
	if starter.Language == "go" {
		maps.Copy(files, goModule())
	}
	return writeNew(ctx, folder, files, "known.yaml")
}

// goModule returns the module files of a port in Go. A tool that was built from a checkout points the module there,
// since its version is in no registry.
func goModule() map[string][]byte {
	mod := "module example.com/my_port\n\ngo 1.26.0\n\nrequire github.com/loopstone/loopstone v" + spec.Version + "\n"
	files := map[string][]byte{}
	if checkout, ok := ownCheckout(); ok {
		mod += "\nreplace github.com/loopstone/loopstone => " + checkout + "\n"
		if sums, err := os.ReadFile(filepath.Join(checkout, "go.sum")); err == nil {
			files["go.sum"] = sums
		}
	}
	files["go.mod"] = []byte(mod)
	return files
}

// installed returns what go install gets to have this program again: the version of a release, else the commit that it
// was built from or, where nobody knows that, the main branch.
func installed(isRelease bool, revision string) string {
	if isRelease {
		return "v" + spec.Version
	}
	return cmp.Or(revision, "main")
}

// isRelease reports whether this program was built from a version that has a tag.
func isRelease() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && strings.HasPrefix(info.Main.Version, "v") && !strings.ContainsAny(info.Main.Version, "-+")
}

// ownCheckout returns the folder that this program was built from, where it is still there and not a released version.
func ownCheckout() (string, bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != "github.com/loopstone/loopstone" || isRelease() {
		return "", false
	}
	_, file, _, ok := runtime.Caller(0)
	folder := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); !ok || err != nil {
		return "", false
	}
	return folder, true
}

// prepare does what has to be done once in the port's folder.
func prepare(ctx context.Context, starter adapters.Starter, folder string) error {
	if starter.Prepare == nil {
		return nil
	}
	command := exec.Command(starter.Prepare[0], starter.Prepare[1:]...)
	var printed bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = folder, &printed, &printed
	err := processgroup.Run(ctx, command)
	if err == nil {
		return nil
	}
	out := printed.String()
	if lib := starter.Lacks; lib != nil && strings.Contains(out, lib.Absent) {
		return fmt.Errorf("%s finds no %s\n  install it in %s: %s\n  then: %s && %s && loopstone test", starter.Prepare[0],
			lib.Name, wording.Shell(folder), lib.Remedy, enter(folder), wording.Shell(starter.Prepare...))
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(starter.Prepare, " "), err, indent(beginningOf(out)))
}

// mostOutput is how many lines of a build that failed are shown: what failed first is what is to be repaired.
const mostOutput = 20

// beginningOf returns the first lines of what a build printed.
func beginningOf(out string) string {
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(lines) <= mostOutput {
		return out
	}
	more := fmt.Sprintf("… and %d more lines", len(lines)-mostOutput+1)
	return strings.Join(append(lines[:mostOutput-1:mostOutput-1], more), "\n")
}

// writeKnown judges the port and writes what it fails.
func writeKnown(ctx context.Context, starter adapters.Starter, folder string) error {
	if err := prepare(ctx, starter, folder); err != nil {
		return err
	}
	words := strings.Fields(starter.Command)
	port, err := targetOf(words, timeouts{start: time.Minute, request: stdio.DefaultRequestTimeout})
	if err != nil {
		return err
	}
	port.Command.Dir = folder
	settings := withTraces(conformance.Settings{}, false)
	all, err := suiteOf(ctx, settings)
	if err != nil {
		return err
	}
	r, err := judge(ctx, streams{err: io.Discard}, port, &porttest.Plan{Settings: settings, All: all})
	if err != nil {
		return err
	}
	return userfiles.Stream(ctx, filepath.Join(folder, "known.yaml"),
		func(w io.Writer) error { return knownfailures.Write(w, r, nil) })
}
