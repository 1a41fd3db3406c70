// Package report renders a [conformance.Report] for people and for machines, reads back what it has written, and joins
// the reports of a run that was split.
//
// It judges nothing: what a report means, [conformance.Report.Outcome] says. Every rendering names what was not
// checked as loudly as what passed, and none of them looks like a success when nothing was checked.
package report

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Options are the settings of a rendering. The zero Options are fit for any format.
type Options struct {
	Colour  bool // text: mark failures and passes with terminal colours
	Verbose bool // text: show every failure whole and every line uncut, not only what fits one screen

	// Again is the command that repeats the run without its selection of cases: "loopstone test%s -- python3 port.py".
	// The %s is replaced by the flags that select. Without it no command is shown.
	Again string

	Started time.Time // jsonl, junit: when the run began; left out where it is zero
	Folder  string    // github, junit: where the case files lie, as seen from the root of the user's repository

	// Clause looks up what a clause says; nil means [spec.ClauseByID].
	Clause func(id string) (spec.Clause, bool)
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
		{"json", "one JSON document", document},
		{"junit", "JUnit XML, for the test views of CI systems", junit},
		{"tap", "Test Anything Protocol, version 14", tap},
		{"markdown", "for a GitHub step summary or a pull request", markdown},
		{"github", "GitHub workflow annotations", github},
		{"badge", "the JSON of a shields.io endpoint badge", badge},
	}
}

// formatOf returns the format of that name; where there is none, the error lists those that there are.
func formatOf(name string) (Format, error) {
	var known []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, fmt.Errorf("unknown report format %q; want one of %s", name, strings.Join(known, ", "))
}

// Write renders the report in the format of that name. An unknown format is an error that lists the known ones; where
// rendering fails, nothing is written.
func Write(format string, w io.Writer, r *conformance.Report, options Options) error {
	content, err := render(format, r, options)
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("write the %s report: %w", format, err)
	}
	return nil
}

func render(format string, r *conformance.Report, options Options) ([]byte, error) {
	f, err := formatOf(format)
	if err != nil {
		return nil, err
	}
	content, err := f.render(r, options)
	if err != nil {
		return nil, fmt.Errorf("render the %s report: %w", format, err)
	}
	return content, nil
}

// Target says in which format a report is wanted, and where.
type Target struct {
	Format string
	Path   string // of a file; empty for standard output
}

// ParseSpec reads what a user writes for a target: "junit=out.xml", or "tap" and "tap=-" for standard output. An
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

// ParseSpecs reads several targets. Two that go to the same place are an error, since one would overwrite the other or
// run into it.
func ParseSpecs(texts []string) ([]Target, error) {
	var targets []Target
	first := map[string]string{}
	for _, text := range texts {
		target, err := ParseSpec(text)
		if err != nil {
			return nil, err
		}
		place := target.place()
		if other, taken := first[place]; taken {
			return nil, fmt.Errorf("reports %q and %q go to the same place, %s", other, text, place)
		}
		first[place] = text
		targets = append(targets, target)
	}
	return targets, nil
}

// place returns where the report goes, such that equal places have equal names.
func (t Target) place() string {
	if t.Path == "" {
		return "standard output"
	}
	if absolute, err := filepath.Abs(t.Path); err == nil {
		return resolve(absolute)
	}
	return filepath.Clean(t.Path)
}

// resolve follows symbolic links; of a path that does not exist yet, those of its folder.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// Write renders the report to the target: to its file, or to stdout where it has none. Colours are for a terminal, and
// left out of files.
func (t Target) Write(stdout io.Writer, r *conformance.Report, options Options) error {
	if t.Path == "" {
		return Write(t.Format, stdout, r, options)
	}
	options.Colour = false
	return writeFile(t.Format, t.Path, r, options)
}

// fileMode is the mode of a new report file: reports are no secrets.
const fileMode fs.FileMode = 0o644

// writeFile renders the report to a file, whole or not at all: who reads the file finds either what was there before
// or the complete report, whatever goes wrong in between. The file's folder must exist. What is no regular file, such
// as a pipe or /dev/stderr, cannot be replaced and is written to directly.
func writeFile(format, path string, r *conformance.Report, options Options) error {
	content, err := render(format, r, options)
	if err != nil {
		return err
	}
	if err := replace(resolve(path), content); err != nil {
		return fmt.Errorf("write the %s report to %s: %w", format, path, err)
	}
	return nil
}

// replace gives the file that content, by way of a temporary file beside it, for only within a file system is renaming
// atomic.
func replace(path string, content []byte) error {
	mode := fileMode
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	case err == nil:
		mode = info.Mode().Perm()
	}
	folder := filepath.Dir(path)
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	if err := writeThrough(temporary, content, mode); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return syncFolder(folder)
}

// writeThrough writes the content through to the disk and closes the file, also where it fails.
func writeThrough(file *os.File, content []byte, mode fs.FileMode) error {
	_, err := file.Write(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// syncFolder makes a renaming within the folder last through a crash, where the system can write a folder through to
// the disk.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
