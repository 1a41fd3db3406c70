// Command strength measures how many faults of the reference the suite's cases catch.
//
//	strength                  plants all faults, lets the cases judge them, writes docs/strength.md and kills.json
//	strength check            does the same and writes nothing; it is an error where the files are not up to date
//	strength list             lists the mutants
//	strength build -o PATH    builds a loopstone that serves any of them: PATH serve --mutant N
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
	"path/filepath"
	"strings"

	"github.com/loopstone/loopstone/internal/strength"
	"github.com/loopstone/loopstone/internal/strength/mutation"
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
		return measure(ctx, root, false)
	}
	switch args[0] {
	case "check":
		return measure(ctx, root, true)
	case "list":
		return list(ctx, root)
	case "build":
		return build(ctx, root, args[1:])
	case "guards":
		return guards(ctx, root)
	default:
		return fmt.Errorf("strength: unknown command %q; want check, list, build, guards or nothing", args[0])
	}
}

func list(_ context.Context, root string) error {
	program, err := mutation.Mutate(root, strength.RuntimePath, strength.Packages...)
	if err != nil {
		return err
	}
	for _, m := range program.Mutants {
		fmt.Printf("%d\t%s\t%s\n", m.ID, strings.Join(m.Clauses, " "), m)
	}
	return nil
}

// build compiles a loopstone that can serve every mutant.
func build(ctx context.Context, root string, args []string) error {
	flags := flag.NewFlagSet("strength build", flag.ContinueOnError)
	out := flags.String("o", "bin/loopstone-mutants", "the `path` of the executable")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, err := filepath.Abs(*out) // the build runs in the module's root
	if err != nil {
		return fmt.Errorf("strength build: %w", err)
	}
	mutants, err := strength.CompileTool(ctx, root, path, strength.Packages...)
	if err != nil {
		return err
	}
	fmt.Printf("%s serves %d mutants\n", *out, len(mutants))
	return nil
}
