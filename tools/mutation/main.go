// Command mutation measures how many faults of a detector the suite's cases catch, and what the cases prove. It plants
// faults in the reference, one at a time, and lets the cases judge each of these mutants. One that
// passes them all has survived: a port can have that fault without anyone noticing. A case proves a clause that it
// cites by killing a mutant of that clause.
//
//	mutation                  plants all faults, lets all cases judge them, writes docs/dev/strength.md
//	mutation check            does the same; it is an error where the page is not up to date
//
// It exits with 1 where a mutant survives that is not proved to be equivalent, where such a proof is not true, and
// where a case does not prove what it cites. It must be started in the folder tools.
//
// The reference itself is never touched. Mutated copies of its files are compiled into one program (see package plant),
// this one, in which a number says which fault is on. Built so, it judges its mutants: "mutation judge FIRST STRIDE".
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// The files of the project that the command reads and writes.
const (
	exemptionsFile = "tools/mutation/equivalent.yaml"
	pageFile       = "docs/dev/strength.md"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 3 && args[0] == "judge" {
		return judgeSome(ctx, args[1], args[2])
	}
	keep := write
	switch {
	case len(args) == 1 && args[0] == "check":
		keep = compare
	case len(args) > 0:
		return fmt.Errorf("mutation: unknown arguments %q; want check or nothing", args)
	}
	root, err := projectRoot()
	if err != nil {
		return err
	}
	return measure(ctx, root, keep)
}

// measure judges all mutants, prints the figures, and keeps the page that is made of them.
func measure(ctx context.Context, root string, keep func(root, name string, text []byte) error) error {
	start := time.Now()
	text, err := os.ReadFile(filepath.Join(root, exemptionsFile))
	if err != nil {
		return fmt.Errorf("read the exemptions: %w", err)
	}
	exempt, err := readExemptions(exemptionsFile, text)
	if err != nil {
		return err
	}
	suite, err := cases.All()
	if err != nil {
		return err
	}
	outcomes, err := judgePackages(ctx, root, packages()...)
	if err != nil {
		return err
	}
	v, problems := assess(outcomes, exempt)
	for _, r := range v.rows() {
		fmt.Printf("%-12s %5d mutants, %5d killed, %4d equivalent, %4d out of scope, %3d survived\n", r.name, r.all(),
			r.counts[killed], r.counts[equivalent], r.counts[outOfScope], r.counts[survived])
	}
	fmt.Printf("%d mutants judged in %.0f s\n", len(outcomes), time.Since(start).Seconds())
	return errors.Join(problems, v.prove(suite).check(suite, spec.Clauses()), keep(root, pageFile, v.page()))
}

// write writes a generated file.
func write(root, name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	return nil
}

// compare returns an error where a generated file is not what it would be now.
func compare(root, name string, text []byte) error {
	old, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return fmt.Errorf("read what was measured: %w", err)
	}
	if !bytes.Equal(old, text) {
		return fmt.Errorf("%s is not up to date; run: make mutation", name)
	}
	return nil
}
