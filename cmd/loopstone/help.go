package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

const about = "loopstone tests loop detectors of AI agents, in any language, against a specification."

const exitCodes = `Exit codes:
  0   conformant, or success
  1   not conformant: the port is wrong, or a gate of the command is not met
  2   undecided: an answer is missing, a file cannot be read or written, or the run was interrupted
  3   the adapter is at fault: it does not start, or breaks the protocol
  4   the suite is at fault
  5   improved: with --against, the new port differs, and each difference is an improvement
  64  usage error
  141 the reader of the output ended first`

const terms = `Terms:
  port       an implementation of detectors; its adapter is the part that uses the protocol
  reference  the port that comes with loopstone
  clause     one numbered sentence of the specification
  reading    one version of a detector's specification: text (its document's prose) or code
             (its document's example code)
  trace      a list of events
  case       a trace with the expected verdicts
  law        a property of every trace
  claim      a statement of a source document that can be true or false
  profile    a known agent's detector, written as a configuration of 'composed' or 'stream'`

// writeHelp prints the help of a command, or of the tool.
func writeHelp(w io.Writer, c *cobra.Command, width int) {
	if !c.HasParent() {
		fmt.Fprintf(w, "%s\n\nUsage:\n  loopstone COMMAND [flags]\n", about)
		listGroups(w, c)
		fmt.Fprintf(w, "\n%s\nFlags of all commands:\n%s",
			"loopstone COMMAND --help shows the flags of a command, with examples.\n"+
				"Guides: https://github.com/loopstone/loopstone/tree/main/docs\n",
			c.PersistentFlags().FlagUsagesWrapped(width))
		fmt.Fprintf(w, "\n%s\n\n%s\n", terms, exitCodes)
		return
	}
	fmt.Fprintf(w, "%s: %s\n\nUsage:\n  %s\n", c.CommandPath(), c.Short, c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		listCommands(w, c, "")
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	writeFlags(w, c.NonInheritedFlags(), width)
	fmt.Fprintf(w, "\nFlags of all commands:\n%s", c.InheritedFlags().FlagUsagesWrapped(width))
}

// listGroups prints the commands by their purpose, with an example of each.
func listGroups(w io.Writer, root *cobra.Command) {
	for _, g := range groups() {
		fmt.Fprintf(w, "\n%s:\n", g.heading)
		listCommands(w, root, g.heading)
		fmt.Fprintf(w, "  Example: loopstone %s\n", g.example)
	}
}

// listCommands prints the commands of a group below a command, or those of none.
func listCommands(w io.Writer, c *cobra.Command, group string) {
	for _, each := range c.Commands() {
		if each.GroupID == group {
			fmt.Fprintf(w, "  %-14s %s\n", each.Name(), each.Short)
		}
	}
}

// writeFlags prints flags below their headings, in the order in which both were registered.
func writeFlags(w io.Writer, flags *pflag.FlagSet, width int) {
	parts := map[string]*pflag.FlagSet{}
	var headings []string
	flags.SortFlags = false
	flags.VisitAll(func(f *pflag.Flag) {
		heading := "Flags"
		if named := f.Annotations[groupKey]; len(named) > 0 {
			heading = named[0]
		}
		if parts[heading] == nil {
			parts[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			parts[heading].SortFlags = false
			headings = append(headings, heading)
		}
		parts[heading].AddFlag(f)
	})
	for _, heading := range headings {
		fmt.Fprintf(w, "\n%s:\n%s", heading, parts[heading].FlagUsagesWrapped(width))
	}
}

func runVersion(_ context.Context, std streams, c call) (conformance.Outcome, error) {
	if err := c.nothing(); err != nil {
		return conformance.Usage, err
	}
	_, err := fmt.Fprintf(std.out, "loopstone %s\n", spec.Version)
	return conformance.Conformant, err
}

// tellVersion says which suite this program holds, and what it was built from.
func tellVersion(std streams) (conformance.Outcome, error) {
	count, digest, err := cases.Summary()
	if err != nil {
		return conformance.SuiteFault, err
	}
	_, err = fmt.Fprintf(std.out, "loopstone %s\ncommit %s\nsuite of %d cases, digest %s\nprotocol %d\n",
		spec.Version, commit(), count, digest, protocolVersion)
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

// runMan writes the manual pages, and refuses to overwrite any. They bear the date of the commit, so that they are the
// same whenever they are written.
func runMan(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	words := c.all()
	if len(words) != 1 {
		return conformance.Usage, usagef("want one folder, got %q", words)
	}
	date, err := time.Parse(time.RFC3339, buildSettings()["vcs.time"])
	if err != nil {
		date = time.Unix(0, 0).UTC()
	}
	root, _ := newRoot(&std, nil)
	pages := map[string][]byte{}
	addManual(pages, root, date)
	if err := writeNew(ctx, words[0], pages); err != nil {
		return conformance.NotDecided, err
	}
	return conformance.Conformant, nil
}

// manualWidth is that of the lines of a manual page: they are not filled, and a terminal has at least 80 columns.
const manualWidth = 78

// addManual adds the pages of a command, and of those below it, by the names of their files.
func addManual(pages map[string][]byte, c *cobra.Command, date time.Time) {
	for _, each := range c.Commands() {
		if each.IsAvailableCommand() {
			addManual(pages, each, date)
		}
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	var help bytes.Buffer
	writeHelp(&help, c, manualWidth)
	text := regexp.MustCompile(`(?m)^[.']`).ReplaceAllString(strings.ReplaceAll(help.String(), `\`, `\e`), `\&$0`)
	pages[name+".1"] = fmt.Appendf(nil, ".TH %s 1 %s \"loopstone %s\" Loopstone\n.SH NAME\n%s \\- %s\n"+
		".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n.nf\n%s.fi\n.SH SEE ALSO\nloopstone(1)\n",
		strings.ToUpper(name), date.Format(time.DateOnly), spec.Version, name, c.Short, c.UseLine(), text)
}
