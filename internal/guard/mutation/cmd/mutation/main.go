// Command mutation measures how many faults of the reference the suite's cases catch, and what the cases prove.
//
//	mutation                  plants all faults, lets all cases judge them, writes docs/dev/strength.md
//	mutation check            does the same; it is an error where the page is not up to date
//	mutation list             lists the mutants
//	mutation build -o PATH    builds a port for each of them: PATH serve N
//
// It exits with 1 where a mutant survives that is not proved to be equivalent, where such a proof is not true, and
// where a case does not prove what it cites. It must be started below the module's root. (Built of mutated copies, it
// judges them or serves one: that is what "mutation judge" and "mutation serve" are for.)
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
	"github.com/loopstone/loopstone/internal/guard/mutation"
	"github.com/loopstone/loopstone/internal/guard/mutation/mutant"
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
		fmt.Fprintf(os.Stderr, "%v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	command := append(args, "")[0]
	if command == "judge" {
		return mutation.Serve(ctx, os.Stdin, os.Stdout)
	}
	if command == "serve" {
		return serve(ctx, args[1:])
	}
	root, err := mutation.Root()
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
		return build(ctx, root, args[1:])
	default:
		return fmt.Errorf("mutation: unknown command %q; want check, list, build or nothing", command)
	}
}

// planted is how many faults the reference in this program has; the build with mutants sets it.
var planted = "0"

// serve serves the reference with one of the faults.
func serve(ctx context.Context, args []string) error {
	most, err := strconv.Atoi(planted)
	if err != nil || most == 0 {
		return errors.New("mutation serve: this program carries no mutants; mutation build makes one that does")
	}
	id, err := strconv.Atoi(append(args, "")[0])
	if err != nil || len(args) != 1 || id < 0 || id > most {
		return fmt.Errorf("mutation serve: want the number of a mutant, at most %d, or 0 for none; got %q", most, args)
	}
	mutant.Set(id)
	return stdio.Serve(ctx, reference.Port(), os.Stdin, os.Stdout)
}

// measure judges all mutants, prints the figures, and keeps the page that is made of them.
func measure(ctx context.Context, root string, keep func(root, name string, text []byte) error) error {
	start := time.Now()
	text, err := os.ReadFile(filepath.Join(root, exemptionsFile))
	if err != nil {
		return fmt.Errorf("read the exemptions: %w", err)
	}
	exempt, err := mutation.ReadExemptions(exemptionsFile, text)
	if err != nil {
		return err
	}
	suite, err := cases.All()
	if err != nil {
		return err
	}
	b, err := mutation.Compile(ctx, root, mutation.Packages()...)
	if err != nil {
		return err
	}
	defer b.Close()
	outcomes, err := b.Judge(ctx)
	if err != nil {
		return err
	}
	v := mutation.Assess(outcomes, exempt)
	for _, r := range v.Rows() {
		fmt.Printf("%-12s %5d mutants, %5d killed, %4d equivalent, %4d out of scope, %3d survived\n", r.Name, r.All(),
			r.Counts[mutation.Killed], r.Counts[mutation.Equivalent], r.Counts[mutation.OutOfScope], r.Counts[mutation.Survived])
	}
	fmt.Printf("%d mutants judged in %.0f s\n", len(outcomes), time.Since(start).Seconds())
	proof := v.Prove(suite)
	problems := append(proof.Check(suite, spec.Clauses()), proof.CheckPurposes(suite)...)
	return errors.Join(v.Err(), errors.Join(problems...), keep(root, pageFile, mutation.Page(v)))
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
	mutants, err := mutation.List(root, mutation.Packages()...)
	for _, m := range mutants {
		fmt.Printf("%d\t%s\t%s\n", m.ID, strings.Join(m.Clauses, " "), m)
	}
	return err
}

// build compiles a program that can serve every mutant.
func build(ctx context.Context, root string, args []string) error {
	flags := flag.NewFlagSet("mutation build", flag.ContinueOnError)
	out := flags.String("o", "bin/mutants", "the `path` of the executable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, err := filepath.Abs(*out) // the build runs in the module's root
	if err != nil {
		return fmt.Errorf("mutation build: %w", err)
	}
	n, err := mutation.CompileServer(ctx, root, path)
	if err == nil {
		fmt.Printf("%s serves %d mutants\n", *out, n)
	}
	return err
}
