// Command strength measures how many faults of the reference the suite's cases catch.
//
//	strength                  plants all faults, lets the cases judge them, writes docs/strength.md
//	strength list             lists the mutants
//	strength serve --mutant N serves a mutant over the stdio protocol, as any port is served
//	strength guards           does the same with the code that decides between pass and fail, judged by its unit tests,
//	                          and writes docs/guards.md
//
// It exits with 1 where a mutant survives that is not proved to be equivalent, or where such a proof is not true. It
// must be started below the module's root.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/loopstone/loopstone/conformance/strength"
	"github.com/loopstone/loopstone/conformance/strength/mutation"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	root, err := strength.Root()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return measure(ctx, root)
	}
	switch args[0] {
	case "list":
		return list(ctx, root)
	case "serve":
		return serve(ctx, root, args[1:])
	case "guards":
		return guards(ctx, root)
	default:
		return fmt.Errorf("strength: unknown command %q; want list, serve, guards or nothing", args[0])
	}
}

// The files of a module that the command reads and writes.
const (
	exemptionsFile = "conformance/strength/equivalent.yaml"
	pageFile       = "docs/strength.md"
)

// measure judges all mutants, prints the figures and writes the page.
func measure(ctx context.Context, root string) error {
	start := time.Now()
	text, err := os.ReadFile(filepath.Join(root, exemptionsFile))
	if err != nil {
		return fmt.Errorf("read the exemptions: %w", err)
	}
	exempt, err := strength.ReadExemptions(exemptionsFile, text)
	if err != nil {
		return err
	}
	outcomes, err := judge(ctx, root)
	if err != nil {
		return err
	}
	v := strength.Assess(outcomes, exempt)
	for _, r := range v.ByPackage() {
		fmt.Printf("%-12s %5d mutants, %5d killed, %4d equivalent, %4d out of scope, %3d survived\n", r.Name, r.All(),
			r.Counts[strength.Killed], r.Counts[strength.Equivalent], r.Counts[strength.OutOfScope], r.Counts[strength.Survived])
	}
	fmt.Printf("%d mutants in %.0f s\n", len(outcomes), time.Since(start).Seconds())
	if err := os.WriteFile(filepath.Join(root, pageFile), strength.Page(v, exempt), 0o644); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return v.Err()
}

func judge(ctx context.Context, root string) ([]strength.Outcome, error) {
	build, err := strength.Compile(ctx, root, strength.Packages...)
	if err != nil {
		return nil, err
	}
	defer build.Close()
	return build.Judge(ctx, build.Program.Mutants)
}

func list(_ context.Context, root string) error {
	program, err := mutation.Mutate(root, strength.RuntimePath, strength.Packages...)
	if err != nil {
		return err
	}
	for _, m := range program.Mutants {
		fmt.Printf("%d\t%s\t%s\n", m.ID, m.Clause, m)
	}
	return nil
}

// serve builds the mutants and lets the worker serve one of them.
func serve(ctx context.Context, root string, args []string) error {
	flags := flag.NewFlagSet("strength serve", flag.ContinueOnError)
	id := flags.Int("mutant", 0, "the `number` of the mutant; 0 is the original")
	if err := flags.Parse(args); err != nil {
		return err
	}
	build, err := strength.Compile(ctx, root, strength.Packages...)
	if err != nil {
		return err
	}
	defer build.Close()
	if *id < 0 || *id > len(build.Program.Mutants) {
		return fmt.Errorf("strength serve: no mutant %d; there are %d", *id, len(build.Program.Mutants))
	}
	worker := exec.CommandContext(ctx, build.Worker, "serve", strconv.Itoa(*id))
	worker.Stdin, worker.Stdout, worker.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := worker.Run(); err != nil {
		return fmt.Errorf("serve mutant %d: %w", *id, err)
	}
	return nil
}
