// Command worker judges mutants of the reference. It is built by conformance/strength, with mutated copies in place of
// the reference's files; built as it stands here, it knows only the original.
//
//	worker judge      reads {"mutant":17,"detectors":["crow"]} from each line, writes {"mutant":17,"killers":[…]}
//	worker serve 17   serves the mutant over the stdio protocol
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/conformance/strength"
	"github.com/loopstone/loopstone/conformance/strength/mutant"
	"github.com/loopstone/loopstone/reference"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx := context.Background()
	switch {
	case len(args) == 1 && args[0] == "judge":
		return judge(ctx, os.Stdin, os.Stdout)
	case len(args) == 2 && args[0] == "serve":
		id, err := strconv.Atoi(args[1])
		if err != nil {
			return fmt.Errorf("serve %q: want a mutant's number", args[1])
		}
		mutant.Set(id)
		return stdio.Serve(ctx, reference.Port(), os.Stdin, os.Stdout)
	default:
		return fmt.Errorf("want judge or serve with a mutant's number, got %q", args)
	}
}

// maxSteps is many times what the longest case takes of the original: a mutant that needs more never ends.
const maxSteps = 2_000_000

// judge answers requests until the input ends.
func judge(ctx context.Context, in io.Reader, out io.Writer) error {
	suite, err := cases.All()
	if err != nil {
		return err
	}
	mutant.Limit(maxSteps)
	answers := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var request strength.Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		answer, err := execute(ctx, request, suite)
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return nil
}

// chunk is how many cases are run before it is looked at whether the mutant is dead.
const chunk = 32

// execute looks for cases that the mutant does not pass: all those that cite its clause, and where none of them does
// it, some of the others. The rest are not run.
func execute(ctx context.Context, request strength.Request, suite []cases.Case) (strength.Answer, error) {
	mutant.Set(request.Mutant)
	var citing, others []cases.Case
	for _, c := range suite {
		switch {
		case !slices.Contains(request.Detectors, c.Detector):
		case slices.Contains(c.Clauses, request.Clause):
			citing = append(citing, c)
		default:
			others = append(others, c)
		}
	}
	killers, err := failing(ctx, citing)
	answer := strength.Answer{Mutant: request.Mutant, ByItsClause: len(killers) > 0}
	for part := range slices.Chunk(others, chunk) {
		if err != nil || len(killers) > 0 {
			break
		}
		killers, err = failing(ctx, part)
	}
	answer.Killers = killers
	return answer, err
}

// failing runs cases on a fresh port and returns those that do not pass.
func failing(ctx context.Context, suite []cases.Case) ([]string, error) {
	report, err := conformance.Run(ctx, reference.Port(), suite, conformance.Options{
		Jobs: 1, Suite: conformance.SuiteInfo{Version: "-"}, Progress: func(int, int) { mutant.Begin() },
	})
	if err != nil {
		return nil, err
	}
	killers := []string{}
	for _, r := range report.Results {
		if r.Status != conformance.Passed && !slices.Contains(killers, r.Case) {
			killers = append(killers, r.Case)
		}
	}
	return killers, nil
}
