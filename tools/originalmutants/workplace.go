package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// What the ports consist of besides the originals and the kits: of those in TypeScript a folder each.
//
//go:embed ports
var ports embed.FS

// Where the kits are, seen from the folder of this module.
const kits = "../conformance/adapters"

// workplace is a folder with the port of an original, in which mutants are planted one after the other.
type workplace struct {
	original

	folder string
	text   string // of the original's file
	tools  place

	hasExported bool // the tests that loopstone export writes are there
}

// place is where the programs are that a workplace needs.
type place struct {
	from      string // the folder of the projects
	modules   string // the folder node_modules, with esbuild, vitest and what Roo Code imports
	python    string
	loopstone string
	noOwn     bool // the projects' own tests are not run
}

// patience is how long an answer may take: a mutant may be a loop without an end, and the machine busy.
const patience = 20 * time.Second

// newWorkplace lays the port of an original into a folder.
func newWorkplace(o original, tools place, folder string) (*workplace, error) {
	text, err := o.read(tools.from)
	if err != nil {
		return nil, err
	}
	w := &workplace{original: o, folder: folder, text: text, tools: tools}
	mine, kit := "ports/"+o.name, "typescript/loopstone.js"
	if o.isPython() {
		mine, kit = "ports/python", "python/loopstone.py"
	}
	files, err := fs.Sub(ports, mine)
	if err == nil {
		err = os.CopyFS(folder, files)
	}
	if err == nil && !o.isPython() {
		err = os.Symlink(tools.modules, filepath.Join(folder, "node_modules"))
	}
	err = errors.Join(err, copyFile(filepath.Join(kits, kit), filepath.Join(folder, filepath.Base(kit))))
	return w, errors.Join(err, w.copyTests())
}

// copyTests copies those of the project's own tests that are there.
func (w *workplace) copyTests() error {
	for _, t := range w.tests {
		if w.tools.noOwn {
			break
		}
		source := filepath.Join(w.tools.from, w.name, t)
		if _, err := os.Stat(source); err != nil {
			continue
		}
		if err := copyFile(source, filepath.Join(w.folder, t)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(source, target string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, text, 0o600)
}

// plant writes another text as the file of the original, and builds the port. It reports whether that is possible.
func (w *workplace) plant(ctx context.Context, text string) (bool, error) {
	path := filepath.Join(w.folder, w.file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return false, err
	}
	if w.isPython() {
		return true, nil
	}
	build := exec.CommandContext(ctx, filepath.Join(w.tools.modules, ".bin", "esbuild"), "port.ts", "--bundle",
		"--platform=node", "--format=esm", "--outfile=port.mjs", "--log-level=error")
	build.Dir = w.folder
	err := build.Run()
	if _, refused := errors.AsType[*exec.ExitError](err); refused {
		return false, nil
	}
	return err == nil, err
}

// command returns what starts the port.
func (w *workplace) command() stdio.Command {
	if w.isPython() {
		return stdio.Command{Path: w.tools.python, Args: []string{w.module() + ".py"}, Dir: w.folder}
	}
	return stdio.Command{Path: "node", Args: []string{"port.mjs"}, Dir: w.folder}
}

// module is the name of the port in Python.
func (w *workplace) module() string { return strings.ReplaceAll(w.name, "-", "_") }

// start starts the port.
func (w *workplace) start(ctx context.Context) (*stdio.Adapter, error) {
	return stdio.StartAdapter(ctx, w.command(), stdio.Options{StartTimeout: patience, RequestTimeout: patience})
}

// failing returns the lines that say which of the project's own tests fail.
func (w *workplace) failing(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*patience) // a test may hang
	defer cancel()
	name, args := w.tools.python, append([]string{"own_tests.py", w.module()}, w.tests...)
	if !w.isPython() {
		name, args = filepath.Join(w.tools.modules, ".bin", "vitest"),
			append([]string{"run", "--globals", "--reporter=tap-flat", "--pool=threads"}, w.tests...)
	}
	run := exec.CommandContext(ctx, name, args...)
	run.Dir = w.folder
	out, err := run.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return "", fmt.Errorf("run the tests of %s: %w", w.name, err)
	}
	return outcomesOf(string(out)), nil
}

// outcomesOf returns the lines of a run of tests that name a test, with whether it passed, and nothing else of it.
func outcomesOf(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " # time=")
		if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "not ok ") || strings.HasPrefix(line, "FAIL ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
