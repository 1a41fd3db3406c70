package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/outfile"
)

// targets is the flag --report, which may be given any number of times.
type targets []report.Target

// String implements [flag.Value].
func (t *targets) String() string { return "" }

// Set implements [flag.Value].
func (t *targets) Set(text string) error {
	specs := []string{text}
	for _, other := range *t {
		specs = append(specs, other.Format+"="+orStdout(other.Path))
	}
	if _, err := report.ParseSpecs(specs); err != nil {
		return err
	}
	target, err := report.ParseSpec(text)
	if err == nil {
		*t = append(*t, target)
	}
	return err
}

func orStdout(path string) string {
	if path == "" {
		return "-"
	}
	return path
}

func formats() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
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
