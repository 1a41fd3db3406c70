package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/files"
	"github.com/loopstone/loopstone/internal/suite/portfolder"
	"github.com/loopstone/loopstone/spec/words"
)

// port returns the words that start the port: those of the call, or where there are none those of loopstone.yaml, which
// is returned beside them. Of a call that names its port, the file is not read.
func (c call) port(ctx context.Context) ([]string, *portfolder.File, error) {
	words, err := c.command()
	if err != nil {
		return nil, nil, err
	}
	return orPortFile(ctx, words)
}

// orPortFile returns the words, or where there are none, and there is a loopstone.yaml, those that stand there.
func orPortFile(ctx context.Context, words []string) ([]string, *portfolder.File, error) {
	if len(words) > 0 {
		return words, nil, nil
	}
	text, err := files.Read(ctx, portfolder.FileName, files.MostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, usageError{err}
	}
	file, err := portfolder.ReadFile(portfolder.FileName, text)
	if err != nil {
		return nil, nil, usagef("%s is wrong:\n%w", portfolder.FileName, err)
	}
	return file.Command, &file, nil
}

// orFile takes over what loopstone.yaml says, where no flag says otherwise.
func (f *testFlags) orFile(file portfolder.File) {
	for _, member := range []struct {
		flag string
		take func()
	}{
		{"detector", func() { f.settings.Selection.Detectors = file.Detectors }},
		{"reading", func() { f.settings.Selection.Readings = file.Readings }},
		{"strict", func() { f.strict = file.Strict }},
		{"allow", func() { f.allowed = file.Allow }},
		{"known", func() { f.known = file.Known }},
		{"report", func() { f.reports = file.Reports }},
	} {
		if !f.given(member.flag) {
			member.take()
		}
	}
	var narrowing []string
	if len(file.Detectors) > 0 && !f.given("detector") {
		narrowing = append(narrowing, "detectors")
	}
	if len(file.Readings) > 0 && !f.given("reading") {
		narrowing = append(narrowing, "readings")
	}
	if narrowing != nil {
		f.settings.SelectedBy = strings.Join(narrowing, " and ") + " of " + portfolder.FileName
	}
	if f.known != "" && !f.given("known") {
		f.knownFrom = fmt.Sprintf("%s: known", file.KnownAt)
	}
}

// chooseLastFailed selects the cases that did not pass when they were last run. Where there are none, all are run: what
// was mended is not all that there is.
func (f *testFlags) chooseLastFailed(ctx context.Context, io streams, all []cases.Case) error {
	tests, err := portfolder.ReadFailed(ctx, ".")
	if err != nil {
		return err
	}
	ids := words.By(all, func(c cases.Case) string { return c.ID })
	f.settings.Selection.Cases = portfolder.CasesOf(tests, ids)
	if len(f.settings.Selection.Cases) == 0 {
		fmt.Fprintln(io.err, "loopstone test: nothing is known that failed last; all cases are run")
	}
	return nil
}

// keepFailed leaves what failed beside loopstone.yaml, for --last-failed. A folder that cannot be written changes
// nothing about the port.
func keepFailed(ctx context.Context, io streams, r *conformance.Report) {
	if r.Settings.LawsAlone || r.Settings.Against != nil {
		return
	}
	if err := portfolder.WriteFailed(ctx, ".", r.Results); err != nil {
		fmt.Fprintf(io.err, "loopstone test: what failed is not kept for --last-failed: %v\n", err)
	}
}

// clearScreen makes a terminal empty, what was scrolled away included, so that a page begins at its top.
const clearScreen = "\x1b[H\x1b[2J\x1b[3J"

// runAgain judges the port, and again whenever a file changes, until it is interrupted. The outcome is that of the last
// run. A wrong call ends it at once; what goes wrong later, the next edit may mend.
func (f *testFlags) runAgain(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
	folder, err := portfolder.OpenWatch(".", filesOf(io.out, io.err)...)
	if err != nil {
		return conformance.NotDecided, err
	}
	var last *conformance.Report
	for first := true; ; first = false {
		run := *f
		r, err := run.once(ctx, io, c)
		outcome := outcomeOf(r, err)
		if ctx.Err() != nil || first && outcome == conformance.Usage {
			return outcome, err
		}
		if err != nil {
			fmt.Fprintf(io.err, "loopstone test: %v\n", err)
		}
		if r != nil {
			run.tellChanges(io.out, last, r)
			last = r
		}
		folder.Ignore(words.By(run.outputs(), func(out file) string { return out.path }))
		fmt.Fprintf(io.out, "\nwatching %d files; Ctrl-C ends\n", folder.Files())
		changed, err := folder.Changed(ctx)
		if ctx.Err() != nil {
			return outcome, nil
		}
		if err != nil {
			return conformance.NotDecided, err
		}
		if isTerminal(io.out) {
			fmt.Fprint(io.out, clearScreen)
		}
		fmt.Fprintf(io.out, "again, since %s changed\n", enumerated(changed))
	}
}

// filesOf returns the files among the streams.
func filesOf(streams ...io.Writer) []fs.FileInfo {
	var files []fs.FileInfo
	for _, stream := range streams {
		if file, ok := fileOf(stream); ok {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				files = append(files, info)
			}
		}
	}
	return files
}

// mostShown is how many names of a list are shown: as many as are read at a glance.
const mostShown = 8

func enumerated(names []string) string {
	if more := len(names) - mostShown; more > 0 {
		names = append(names[:mostShown:mostShown], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// tellChanges tells how the tests went since the run before, if there is one.
func (f *testFlags) tellChanges(w io.Writer, before, now *conformance.Report) {
	if before == nil {
		return
	}
	fmt.Fprint(w, "\nSINCE THE RUN BEFORE\n")
	trend, err := report.NewTrend(before, now)
	if err == nil {
		err = trend.Write(w, f.verbose)
	}
	if err != nil { // after an edit of what is asked
		fmt.Fprintln(w, err)
	}
}
