// Command originalmutants plants faults in the detectors that real agents run, and looks at how many of them the suite
// finds. Each original is a port of its profile; each mutant is the original with one change. A mutant that gives other
// verdicts than the original on generated traces can be told from it, and the default run of loopstone test should kill
// it.
//
// The sources are not part of this repository: they are read from a folder, whose files must be those of the commits
// that the table originals.yaml names. See docs/dev/originals.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const page = "../docs/dev/originals.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("originals", flag.ContinueOnError)
	var tools place
	flags.StringVar(&tools.from, "from", "", "the `folder` with the projects, each in one with the name of the original")
	flags.StringVar(&tools.modules, "modules", "", "the `folder` node_modules: esbuild, vitest, safe-stable-stringify")
	flags.StringVar(&tools.python, "python", "python3", "the `program`")
	flags.StringVar(&tools.loopstone, "loopstone", "../bin/loopstone", "the `program` to run")
	flags.BoolVar(&tools.noOwn, "no-own", false, "do not run the projects' own tests")
	traces := flags.Int("traces", 5000, "how many traces to draw for each profile")
	only := flags.String("only", "", "plant in these originals alone, and write no page; `names`, joined by commas")
	var s results
	flags.StringVar(&s.folder, "results", "", "the `folder` with what is known, so that a run that was stopped goes on")
	verbose := flags.Bool("v", false, "print every mutant")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list, err := readOriginals("originals.yaml", table)
	if err != nil {
		return err
	}
	if *only != "" {
		list = slices.DeleteFunc(list, func(o original) bool { return !slices.Contains(strings.Split(*only, ","), o.name) })
	}
	if len(list) == 0 {
		return fmt.Errorf("there is no original %s", *only)
	}
	if err := tools.find(ctx); err != nil {
		return err
	}
	records, err := judgeAll(ctx, list, tools, *traces, &s, *verbose)
	if err != nil {
		return err
	}
	if *only != "" {
		return show(records)
	}
	return errors.Join(write(records), assess(records))
}

// show prints the part of the page about some originals.
func show(records []record) error {
	fmt.Print(part(records, time.Now()))
	var problems []error
	for _, r := range records {
		problems = append(problems, r.reasons()...)
	}
	return errors.Join(problems...)
}

// find makes the paths absolute: the ports are started in folders of their own.
func (p *place) find(ctx context.Context) error {
	// What is called python3 may be a script that looks for one, which takes longer than a port.
	python, err := exec.CommandContext(ctx, p.python, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return fmt.Errorf("find Python: %w", err)
	}
	p.python = strings.TrimSpace(string(python))
	for _, path := range []*string{&p.from, &p.modules, &p.loopstone} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		if _, err := os.Stat(absolute); err != nil {
			return err
		}
		*path = absolute
	}
	return nil
}

func judgeAll(
	ctx context.Context, list []original, tools place, traces int, s *results, verbose bool,
) ([]record, error) {
	folder, err := os.MkdirTemp("", "originals")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var records []record
	for _, o := range list {
		began := time.Now()
		r, err := o.judge(ctx, tools, folder, traces, s, func(v verdict) {
			if verbose || v.Starts && v.Differs && !v.Cases {
				fmt.Printf("  %s: starts %t, differs %t, cases %t %s, run %t, own %t\n",
					v, v.Starts, v.Differs, v.Cases, v.First, v.Run, v.Own)
			}
		})
		if err != nil {
			return nil, err
		}
		records = append(records, r)
		t := r.tally()
		fmt.Printf("%s: %d mutants, %d differ, %d killed, %d by cases, %d by its own tests; %.0f s\n",
			t.name, t.planted, t.differ, t.run, t.cases, t.own, time.Since(began).Seconds())
	}
	return records, nil
}

func write(records []record) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	now, err := written(string(text), records, time.Now())
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(now), 0o644)
}
