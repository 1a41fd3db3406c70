// Command mutation measures how many faults of a detector the suite's cases catch, and what the cases prove. It plants
// faults in the plain rules of the reference, one at a time, and lets the cases judge each of these mutants. One that
// passes them all has survived: a port can have that fault without anyone noticing. A case proves a clause that it cites
// by killing a mutant of that clause.
//
//	mutation                  plants all faults, lets all cases judge them, writes docs/dev/strength.md
//	mutation check            does the same; it is an error where the page is not up to date
//	mutation list             lists the mutants
//	mutation build -o PATH    builds a port for each of them: PATH serve N
//
// It exits with 1 where a mutant survives that is not proved to be equivalent, where such a proof is not true, and
// where a case does not prove what it cites. It must be started below the module's root.
//
// The reference itself is never touched. Mutated copies of its files are compiled into one program (see package plant),
// this one, in which a number says which fault is on. Built so, it judges its mutants ("mutation judge FIRST STRIDE") or
// serves one.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// The files of a module that the command reads and writes.
const (
	exemptionsFile = "internal/guard/mutation/equivalent.yaml"
	pageFile       = "docs/dev/strength.md"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	command, args := append(args, "")[0], args[min(1, len(args)):]
	switch command {
	case "judge":
		return judgeSome(ctx, args)
	case "serve":
		return serve(ctx, args)
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	switch command {
	case "":
		return measure(ctx, root, write)
	case "check":
		return measure(ctx, root, compare)
	case "list":
		return list(root)
	case "build":
		return buildPort(ctx, root, args)
	default:
		return fmt.Errorf("mutation: unknown command %q; want check, list, build or nothing", command)
	}
}

// judgeSome judges some of the mutants that this program carries; see [judgeFrom].
func judgeSome(ctx context.Context, args []string) error {
	all, err := mutants()
	if err != nil {
		return fmt.Errorf("mutation judge: %w", err)
	}
	if len(args) != 2 {
		return fmt.Errorf("mutation judge: want the first and the stride, got %q", args)
	}
	first, firstErr := strconv.Atoi(args[0])
	stride, strideErr := strconv.Atoi(args[1])
	if err := errors.Join(firstErr, strideErr); err != nil {
		return fmt.Errorf("mutation judge: %w", err)
	}
	return serveOutcomes(ctx, all, first, stride, os.Stdout)
}

// serve serves the rules with one of the faults.
func serve(ctx context.Context, args []string) error {
	all, err := mutants()
	if err != nil {
		return fmt.Errorf("mutation serve: %w", err)
	}
	id, err := strconv.Atoi(append(args, "")[0])
	if err != nil || len(args) != 1 || id < 0 || id > len(all) {
		return fmt.Errorf("mutation serve: want the number of a mutant, at most %d, or 0 for none; got %q", len(all), args)
	}
	plant.TurnOn(id)
	return stdio.Serve(ctx, reference.Rules(), os.Stdin, os.Stdout)
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

// judgePackages plants faults in packages of the module at root and lets the cases judge them.
func judgePackages(ctx context.Context, root string, packages ...string) ([]outcome, error) {
	folder, err := os.MkdirTemp("", "loopstone-mutation-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the mutants: %w", err)
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "mutants")
	mutants, err := build(ctx, root, program, packages...)
	if err != nil {
		return nil, err
	}
	return judgeAll(ctx, []string{program}, mutants)
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

func list(root string) error {
	program, err := plant.Mutate(root, runtimePath, packages()...)
	if err != nil {
		return err
	}
	for _, m := range program.Mutants {
		fmt.Printf("%d\t%s\t%s\n", m.ID, strings.Join(m.Clauses, " "), m)
	}
	return nil
}

// buildPort compiles a program that can serve every mutant.
func buildPort(ctx context.Context, root string, args []string) error {
	flags := flag.NewFlagSet("mutation build", flag.ContinueOnError)
	out := flags.String("o", "bin/mutants", "the `path` of the executable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, err := filepath.Abs(*out) // the build runs in the module's root
	if err != nil {
		return fmt.Errorf("mutation build: %w", err)
	}
	mutants, err := build(ctx, root, path, packages()...)
	if err == nil {
		fmt.Printf("%s serves %d mutants\n", *out, len(mutants))
	}
	return err
}
