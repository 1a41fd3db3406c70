package minimal

import (
	"context"
	"errors"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/spec"
)

// Lint returns everything that [Needless], [Twins] and [Copies] find, joined, one problem a line. The oracle is a port
// that passes the suite; measured is what its cases kill.
func Lint(ctx context.Context, suite []cases.Case, oracle spec.Port, measured *kills.List) error {
	needless, err := Needless(ctx, suite, oracle, measured)
	if err != nil {
		return err
	}
	return errors.Join(slices.Concat(needless, Twins(suite), Copies(suite))...)
}
