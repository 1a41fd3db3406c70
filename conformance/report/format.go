package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Options are the settings of a rendering. The zero Options are fit for any format.
type Options struct {
	Colour  bool // text: mark failures and passes with terminal colours
	Verbose bool // text: show every failure whole and every line uncut; jsonl: add what text shows of a failure

	Durations int // text: so many of the slowest tests are listed

	// Width is how many characters a line of a text report may have; 0 stands for 118. Below 50 it is 50, above 120 it is
	// 120: nobody reads shorter or longer lines.
	Width int

	// Again is the command that repeats the run without its selection of cases: "loopstone test%s -- python3 port.py".
	// The %s is replaced by the flags that select. Without it no command is shown.
	Again string

	// Known is the file of known failures, if there is one: text shows the command that writes it again.
	Known string

	// Site is the address of the site, with a slash at its end: a failure then names the page of its case.
	Site string

	// Floor returns the floor of a detector of which the port has less than all; nil: none is shown for it. That of a
	// whole detector is known.
	Floor func(spec.Offer) cases.Floor

	Started time.Time // jsonl, junit: when the run began; left out where it is zero

	// Clause looks up what a clause says; nil means [spec.ClauseByID].
	Clause func(id string) (spec.Clause, bool)
}

// The widths of a text report.
const (
	leastWidth = 50
	usualWidth = 118
	mostWidth  = 120
)

func (o Options) width() int {
	if o.Width == 0 {
		return usualWidth
	}
	return min(max(o.Width, leastWidth), mostWidth)
}

func (o Options) clause(id string) (spec.Clause, bool) {
	if o.Clause == nil {
		return spec.ClauseByID(id)
	}
	return o.Clause(id)
}

// Format is one way to render a report.
type Format struct {
	Name    string // as in --report NAME=FILE
	Summary string // who it is for, in a few words

	render func(*conformance.Report, Options) ([]byte, error)
}

// Formats lists the formats, the one for people first.
func Formats() []Format {
	return []Format{
		{"text", "for people at a terminal", text},
		{"jsonl", "one JSON document per line; the source of all others", jsonl},
		{"junit", "JUnit XML, for the test views of CI systems", junit},
		{"markdown", "for a GitHub step summary or a pull request", markdown},
		{"github", "GitHub workflow annotations", github},
		{"badge", "the JSON of a shields.io endpoint badge", badge},
	}
}

// formatOf returns the format of that name; where there is none, the error lists those that there are.
func formatOf(name string) (Format, error) {
	formats := Formats()
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		known := lists.Map(formats, func(f Format) string { return f.Name })
		return Format{}, fmt.Errorf("unknown report format %q; %s", name, wording.Hint(name, known))
	}
	return formats[i], nil
}

// Write renders the report in the format of that name. An unknown format is an error that lists the known ones; where
// rendering fails, nothing is written.
func Write(format string, w io.Writer, r *conformance.Report, options Options) error {
	f, err := formatOf(format)
	if err != nil {
		return err
	}
	content, err := f.render(bounded(r), options)
	if err != nil {
		return fmt.Errorf("render the %s report: %w", format, err)
	}
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("write the %s report: %w", format, err)
	}
	return nil
}

// Target says in which format a report is wanted, and where.
type Target struct {
	Format string
	Path   string // of a file; empty for standard output
}

// ParseSpec reads what a user writes for a target: "junit=out.xml", or "jsonl" and "jsonl=-" for standard output. An
// unknown format is an error that lists the known ones.
func ParseSpec(text string) (Target, error) {
	name, path, hasPath := strings.Cut(text, "=")
	if _, err := formatOf(name); err != nil {
		return Target{}, err
	}
	if hasPath && path == "" {
		return Target{}, fmt.Errorf("report %q names no file; write %s=FILE, or %s for standard output", text, name, name)
	}
	if path == "-" {
		path = ""
	}
	return Target{name, path}, nil
}
