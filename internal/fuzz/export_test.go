package fuzz

import (
	"context"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Accuses returns how many checks a survey of all of them does not acquit a port of. It is [Judge] without what comes
// after: nothing is shrunk.
func Accuses(ctx context.Context, port, oracle spec.Port, source Source, laws []cases.Case, budget Budget) (int, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return 0, err
	}
	port = conformance.Declared(port, description)
	j := &judging{budget: budget, together: together(port)}
	j.prepare(laws, description, func(offer spec.Offer, reading spec.Reading) (*Hunt, error) {
		return tryHunt(port, oracle, source, offer, reading)
	})
	if budget.Thorough {
		for _, t := range j.trials {
			t.memory = nil
		}
	}
	j.surveyAll(ctx)
	accused := 0
	for _, t := range j.trials {
		if t.result.Status == "" {
			accused++
		}
	}
	return accused, nil
}
