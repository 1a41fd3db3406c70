package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func versionCommand(*pflag.FlagSet) runner {
	return func(_ context.Context, io streams, c call) (conformance.Outcome, error) {
		if err := c.nothing(); err != nil {
			return conformance.Usage, err
		}
		_, err := fmt.Fprintf(io.out, "loopstone %s\n", spec.Version)
		return conformance.Conformant, err
	}
}

// tellVersion says which suite this program holds, and what it was built from.
func tellVersion(io streams) (conformance.Outcome, error) {
	all, err := builtInSuite()
	if err != nil {
		return conformance.SuiteFault, err
	}
	_, err = fmt.Fprintf(io.out, "loopstone %s\ncommit %s\nsuite of %d cases, digest %s\nprotocol %d\n",
		spec.Version, commit(), len(all), cases.Digest(all), protocolVersion)
	return conformance.Conformant, err
}

// protocolVersion is the protocol that adapters speak.
const protocolVersion = 1

// commit returns the revision that this program was built from, where Go knows it.
func commit() string {
	settings := buildSettings()
	switch {
	case settings["vcs.revision"] == "":
		return "unknown"
	case settings["vcs.modified"] == "true":
		return settings["vcs.revision"] + ", with changes"
	default:
		return settings["vcs.revision"]
	}
}

func buildSettings() map[string]string {
	settings := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
	}
	return settings
}

// manCommand writes the manual pages, which bear the date of the commit, so that they are the same whenever they are
// written.
func manCommand(*pflag.FlagSet) runner {
	return func(_ context.Context, io streams, c call) (conformance.Outcome, error) {
		if len(c.words) != 1 || c.dash {
			return conformance.Usage, usagef("want one folder, got %q", c.words)
		}
		if err := os.MkdirAll(c.words[0], 0o755); err != nil {
			return conformance.Usage, usageError{err}
		}
		date, err := time.Parse(time.RFC3339, buildSettings()["vcs.time"])
		if err != nil {
			date = time.Unix(0, 0).UTC()
		}
		root, _ := newRoot(&io)
		root.DisableAutoGenTag = true
		header := &doc.GenManHeader{Section: "1", Source: "loopstone " + spec.Version, Manual: "Loopstone", Date: &date}
		if err := doc.GenManTree(root, header, c.words[0]); err != nil {
			return conformance.NotDecided, fmt.Errorf("write the manual pages: %w", err)
		}
		return conformance.Conformant, nil
	}
}
