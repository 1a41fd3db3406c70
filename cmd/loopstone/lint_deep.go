package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/floor"
)

// lintDeep checks what takes longer: that no case is a copy of another, and that guessing does not pass them. That each
// of them proves what it cites, only planted faults can show: see the command internal/mutation/cmd/mutation.
func lintDeep(ctx context.Context, all []cases.Case) error {
	table, err := floor.Of(ctx, all)
	if err != nil {
		return fmt.Errorf("find the floor: %w", err)
	}
	return errors.Join(append(cases.Copies(all), table.TooHigh()...)...)
}
