package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
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

// formats are the ways to render a report, the one for people first.
var formats = []struct {
	name   string // as in --report NAME=FILE
	render func(*conformance.Report, Options) ([]byte, error)
}{
	{"text", text},         // for people at a terminal
	{"jsonl", jsonl},       // one JSON document per line; the source of all others
	{"junit", junit},       // JUnit XML, for the test views of CI systems
	{"markdown", markdown}, // for a GitHub step summary or a pull request
	{"github", github},     // GitHub workflow annotations
	{"badge", badge},       // the JSON of a shields.io endpoint badge
}

// Formats lists the names of the formats.
func Formats() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// unknownFormat returns the error of a name that no format has.
func unknownFormat(name string) error {
	return fmt.Errorf("unknown report format %q; %s", name, wording.Hint(name, Formats()))
}

// Write renders the report in the format of that name. An unknown format is an error that lists the known ones; where
// rendering fails, nothing is written.
func Write(format string, w io.Writer, r *conformance.Report, options Options) error {
	i := slices.Index(Formats(), format)
	if i < 0 {
		return unknownFormat(format)
	}
	content, err := formats[i].render(bounded(r), options)
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
	if !slices.Contains(Formats(), name) {
		return Target{}, unknownFormat(name)
	}
	if hasPath && path == "" {
		return Target{}, fmt.Errorf("report %q names no file; write %s=FILE, or %s for standard output", text, name, name)
	}
	if path == "-" {
		path = ""
	}
	return Target{name, path}, nil
}

// scales are how much of a failure is shown where there are few failures with much in them, and where there are many:
// the characters of a text, and the differences.
var scales = []struct{ text, differences int }{{4000, 100}, {1000, 50}, {250, 20}, {120, 5}}

// maxShown bounds what the failures of one report may take, in bytes: a report of 1 MB is read by nobody, and refused
// by some CI systems.
const maxShown = 250_000

// bounded returns the report as every format has it: with long texts and lists of its failures cut, each with a mark,
// so that a port which says much does not make the report large. A report that was read back is cut already.
func bounded(r *conformance.Report) *conformance.Report {
	b := *r
	for _, scale := range scales {
		size := 0
		b.Results = slices.Clone(r.Results)
		for i := range b.Results {
			result := &b.Results[i]
			result.Reason = wording.Shortened(result.Reason, scale.text)
			size += len(result.Reason)
			if result.Failure != nil {
				f := boundedFailure(*result.Failure, scale.text, scale.differences)
				result.Failure = &f
				size += len(f.Problem) + len(f.Action)
				for _, d := range f.Differences {
					size += len(d.Path) + len(d.Want) + len(d.Got)
				}
			}
		}
		if size <= maxShown {
			break
		}
	}
	return &b
}

func boundedFailure(f conformance.Failure, text, differences int) conformance.Failure {
	f.Problem, f.Action = wording.Shortened(f.Problem, text), wording.Shortened(f.Action, text)
	f.Differences = slices.Clone(f.Differences)
	if n := len(f.Differences) - differences; n > 0 {
		f.Differences = f.Differences[:differences]
		f.Problem += fmt.Sprintf(", and in %s", wording.Count(n, "member")+" more")
	}
	for i := range f.Differences {
		d := &f.Differences[i]
		d.Path, d.Want = wording.Shortened(d.Path, text), wording.Shortened(d.Want, text)
		d.Got = wording.Shortened(d.Got, text)
	}
	return f
}
