package conformance

import (
	"context"
	"fmt"
	"slices"
)

// askOracle has the oracle carry out what the port failed. A case that not even the oracle passes tells nothing about the
// port: the case is wrong, or the oracle is, and both are ours.
func (r *runner) askOracle(ctx context.Context) error {
	if r.options.Oracle == nil || !slices.ContainsFunc(r.tasks, (*task).hasFailed) {
		return nil
	}
	oracle := Oracle(r.options.Oracle)
	description, err := oracle.Describe(ctx)
	if err != nil {
		return fmt.Errorf("ask the oracle what it is: %w", err)
	}
	for _, t := range r.tasks {
		if !t.hasFailed() {
			continue
		}
		second := &task{c: t.c, reading: t.reading}
		if second.skip(description); second.result.Status == Skipped {
			continue // it has no opinion
		}
		opinion := &runner{port: oracle}
		if err := opinion.run(ctx, second); err != nil {
			return err
		}
		if why := second.whyFaulty(); why != "" {
			t.result.Status, t.result.Reason = Faulty, why
		}
	}
	return nil
}

func (t *task) hasFailed() bool { return t.result.Status == Failed }

// whyFaulty says, of a task that the oracle carried out, what is wrong with the case; nothing where all is well.
func (t *task) whyFaulty() string {
	switch t.result.Status {
	case Failed:
		return "the case is wrong, or the reference is: the reference fails it too, by " + oneFailure(t.result.Failure)
	case Faulty:
		return t.result.Reason
	default:
		return ""
	}
}

// oneFailure returns a failure in a few words.
func oneFailure(f *Failure) string {
	text := f.Problem
	if len(f.Differences) > 0 {
		d := f.Differences[0]
		text += fmt.Sprintf(" (%s)", beside(d.Path, "want "+orNothing(d.Want)+", got "+orNothing(d.Got)))
	}
	if f.Step > 0 {
		text = fmt.Sprintf("step %d: %s", f.Step, text)
	}
	return text
}

func orNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}
