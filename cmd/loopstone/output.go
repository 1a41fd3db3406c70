package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/outfile"
)

// targets is the flag --report, which may be given any number of times.
type targets []report.Target

// Type implements [pflag.Value].
func (t *targets) Type() string { return "report" }

// String implements [pflag.Value].
func (t *targets) String() string { return "" }

// Set implements [pflag.Value].
func (t *targets) Set(text string) error {
	target, err := report.ParseSpec(text)
	if err == nil {
		*t = append(*t, target)
	}
	return err
}

// write writes each report; where one cannot be written the others are.
func (t targets) write(ctx context.Context, io streams, r *conformance.Report, options report.Options) error {
	var problems problems
	for _, target := range t {
		options.Colour, options.Width = false, 0
		if target.Path == "" {
			options.Colour, options.Width = colourful(io), widthOf(io, 0)
		}
		problems.add(target.Write(ctx, io.out, r, options))
	}
	return problems.err()
}

// file is one that a command reads or writes.
type file struct{ what, path string }

// files returns the reports as files; that of standard output has no path.
func (t targets) files() []file {
	var list []file
	for _, target := range t {
		list = append(list, file{"--report " + target.Format, target.Path})
	}
	return list
}

// checkPlaces refuses outputs of which one would overwrite another, or an input, whatever links lead there.
func checkPlaces(outputs, inputs []file) error {
	taken := map[string]string{}
	for _, in := range inputs {
		taken[outfile.Place(in.path)] = in.what
	}
	for _, out := range outputs {
		place := "standard output"
		if out.path != "" {
			place = outfile.Place(out.path)
		}
		if other, ok := taken[place]; ok {
			return usagef("%s would overwrite %s: both are %s", out.what, other, place)
		}
		taken[place] = out.what
	}
	return nil
}

// commandFiles returns the files that stand among the words of a command, such as a port's program.
func commandFiles(words []string) []file {
	var list []file
	for _, word := range words {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			list = append(list, file{"a file of the port's command", word})
		}
	}
	return list
}

// buffer holds a file's content until it is whole.
type buffer struct{ bytes.Buffer }

// writeFile writes a file whole or not at all; what is no regular file is written to.
func writeFile(ctx context.Context, path string, write func(*buffer) error) error {
	var content buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return outfile.Write(ctx, path, content.Bytes())
}

// problems collects errors, so that one does not keep the rest from being tried.
type problems []error

func (p *problems) add(err error) { *p = append(*p, err) }

func (p problems) err() error { return errors.Join(p...) }

// indent puts four spaces before each line.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

// isTerminal reports whether w is a terminal that understands control characters.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// colourful reports whether standard output has colours: as --color says, else where it is a terminal that wants them.
func colourful(io streams) bool {
	switch io.colour {
	case "always":
		return true
	case "never":
		return false
	default:
		return isTerminal(io.out) && os.Getenv("NO_COLOR") == ""
	}
}

// progressPause is how often the line changes: often enough to look alive, seldom enough to cost nothing.
const progressPause = 100 * time.Millisecond

// progress is one line at a terminal that is written over; in a pipe it is nothing.
type progress struct {
	w         io.Writer // nil where there is no terminal
	done, all int       // tests
	shown     time.Time
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w}
}

// test says that one test more is done.
func (p *progress) test() {
	p.done++
	if p.done == p.all || time.Since(p.shown) >= progressPause {
		p.shown = time.Now()
		p.line(fmt.Sprintf("%d of %d tests ", p.done, p.all))
	}
}

// skip says that so many tests are done that were carried out beside the others.
func (p *progress) skip(n int) { p.done += n }

// line shows a line of its own making.
func (p *progress) line(text string) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K%s", text)
	}
}

func (p *progress) clear() { p.line("") }
