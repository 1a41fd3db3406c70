package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Oracle returns the port that others are compared with, such that whatever goes wrong in it, but for refusals, comes
// back as a [*SuiteError]: no port answers for what the oracle does not know.
func Oracle(port spec.Port) spec.Port {
	return recoveringPort{port, func(err error) error {
		if is[*spec.Fault](err) || isNobodysFault(err) {
			return err
		}
		return &SuiteError{"the oracle has no answer", err}
	}}
}

// askOracle has the oracle carry out what the port failed. A case that not even the oracle passes tells nothing about
// the port: the case is wrong, or the oracle is, and both are ours.
func (r *runner) askOracle(ctx context.Context) error {
	hasFailed := func(t *task) bool { return t.result.Status == Failed }
	if r.options.Oracle == nil || !slices.ContainsFunc(r.tasks, hasFailed) {
		return nil
	}
	oracle := &runner{port: Oracle(r.options.Oracle)}
	description, err := oracle.port.Describe(ctx)
	if err != nil {
		return fmt.Errorf("ask the oracle what it is: %w", err)
	}
	for _, t := range r.tasks {
		if !hasFailed(t) {
			continue
		}
		asked := newTask(t.c, t.reading, description)
		if asked.result.Status == Skipped {
			continue
		}
		if gone := oracle.attempt(ctx, asked); gone != nil {
			return gone.cause
		}
		switch asked.result.Status {
		case Failed:
			t.result.Reason = "the case is wrong, or the reference is: the reference fails it too, by " +
				asked.result.Failure.inFewWords()
			t.result.Status = Faulty
		case Faulty:
			t.result.Status, t.result.Reason = Faulty, asked.result.Reason
		}
	}
	return nil
}
