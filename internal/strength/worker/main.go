// Command worker judges mutants of the reference. It is built by internal/strength, with mutated copies in place of
// the reference's files; built as it stands here, it knows only the original.
//
// It reads a [strength.Request] from each line, and writes a [strength.Answer] on a line for each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength"
)

func main() {
	if err := serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
}

// serve answers requests until the input ends.
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	suite, err := cases.All()
	if err != nil {
		return err
	}
	c, err := newCourt(ctx, suite)
	if err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, strength.LongestLine)
	for lines.Scan() {
		var request strength.Request
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		answer, err := c.answer(ctx, request, func(caseID string) error {
			return answers.Encode(strength.Answer{Trying: caseID})
		})
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return lines.Err()
}
