package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// orFile takes over what loopstone.yaml says, where no flag says otherwise.
func (f *testFlags) orFile(file portconfig.File) {
	var narrowing []string
	for _, member := range []struct {
		flag    string
		narrows bool
		take    func()
	}{
		{"detector", len(file.Detectors) > 0, func() { f.settings.Selection.Detectors = file.Detectors }},
		{"reading", len(file.Readings) > 0, func() { f.settings.Selection.Readings = file.Readings }},
		{"strict", false, func() { f.strict = file.Strict }},
		{"allow", false, func() { f.allowed = file.Allow }},
		{"known", false, func() { f.known = file.Known }},
		{"report", false, func() { f.reports = file.Reports }},
	} {
		if f.given(member.flag) {
			continue
		}
		if member.take(); member.narrows {
			narrowing = append(narrowing, member.flag+"s")
		}
	}
	if narrowing != nil {
		f.settings.SelectedBy = strings.Join(narrowing, " and ") + " of " + portconfig.FileName
	}
	if f.known != "" && !f.given("known") {
		f.knownFrom = fmt.Sprintf("%s: known", file.KnownAt)
	}
}

// chooseLastFailed selects the cases that did not pass when they were last run. Where there are none, all are run: what
// was fixed is not all that there is.
func (f *testFlags) chooseLastFailed(ctx context.Context, std streams, folder string, all []cases.Case) error {
	tests, err := portconfig.ReadFailed(ctx, folder)
	if err != nil {
		return err
	}
	ids := lists.Map(all, func(c cases.Case) string { return c.ID })
	f.settings.Selection.Cases = portconfig.CasesOf(tests, ids)
	if len(f.settings.Selection.Cases) == 0 {
		fmt.Fprintln(std.err, "loopstone test: nothing is known that failed last; all cases are run")
	}
	return nil
}

// keepFailed leaves what failed beside loopstone.yaml, for --last-failed. A folder that cannot be written changes
// nothing about the port.
func keepFailed(ctx context.Context, std streams, folder string, r *conformance.Report) {
	if r.Settings.LawsAlone || r.Settings.Against != nil {
		return
	}
	if err := portconfig.WriteFailed(ctx, folder, r.Results); err != nil {
		sayf(std.err, "loopstone test: what failed is not kept for --last-failed: %v\n", err)
	}
}

// clearScreen makes a terminal empty, what was scrolled away included, so that a page begins at its top.
const clearScreen = "\x1b[H\x1b[2J\x1b[3J"

// runAgain judges the port, and again whenever a file changes, until it is interrupted. The outcome is that of the last
// run. A wrong call or file ends it at once; what goes wrong later, the next edit may fix.
func (f *testFlags) runAgain(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	folder, err := f.watched(c, filesOf(std.out, std.err))
	if err != nil {
		return conformance.NotDecided, err
	}
	var last *conformance.Report
	for first := true; ; first = false {
		run := *f
		r, err := run.once(ctx, std, c)
		outcome := outcomeOf(r, err)
		if ctx.Err() != nil || first && (outcome == conformance.Usage || r == nil && userfiles.IsWrong(err)) {
			return outcome, err
		}
		if err != nil {
			sayf(std.err, "loopstone test: %v\n", err)
		}
		if r != nil {
			run.tellChanges(std.out, last, r)
			last = r
		}
		folder.Ignore(lists.Map(run.outputs(), func(out file) string { return out.path }))
		fmt.Fprintf(std.out, "\nwatching %d files; Ctrl-C ends\n", folder.Files())
		changed, err := folder.Changed(ctx)
		if ctx.Err() != nil {
			return outcome, nil
		}
		if err != nil {
			return conformance.NotDecided, err
		}
		if isTerminal(std.out) {
			fmt.Fprint(std.out, clearScreen)
		}
		fmt.Fprintf(std.out, "again, since %s changed\n", enumerated(changed))
	}
}

// watched begins to watch the folder of the port: that of loopstone.yaml where this names the port, else this one.
func (f *testFlags) watched(c call, open []fs.FileInfo) (*portconfig.Watch, error) {
	root := "."
	if len(c.all()) == 0 && !f.which.reference {
		if folder, err := portconfig.Find(); err == nil {
			root = folder
		}
	}
	return portconfig.OpenWatch(root, open...)
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

func enumerated(names []string) string { return wording.Some(names, mostShown, ", ") }

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
