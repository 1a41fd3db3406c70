package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/cover"
	"github.com/loopstone/loopstone/internal/floor"
	"github.com/loopstone/loopstone/internal/minimal"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// lintDeep checks what only shows when the cases are run: that they exercise the clauses that they cite and notice
// faults against them, that none of them and nothing in them is superfluous, and that guessing does not pass them.
func lintDeep(ctx context.Context, all []cases.Case) error {
	observed, err := cover.Observe(ctx, all, reference.Implementations())
	if err != nil {
		return err
	}
	table, err := floor.Of(ctx, all)
	if err != nil {
		return fmt.Errorf("find the floor: %w", err)
	}
	return errors.Join(
		cover.Check(all, spec.Clauses(), observed, kills.Measured()),
		errors.Join(kills.Measured().Check(all)...),
		minimal.Lint(ctx, all, reference.Port(), kills.Measured()),
		errors.Join(table.TooHigh()...),
	)
}
