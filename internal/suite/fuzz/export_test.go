package fuzz

import (
	"context"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/spec"
)

// Look runs each check on so many generated subjects. It returns a counterexample for each check that fails. The same
// seed gives the same subjects. The error is one of asking: then nothing is known.
func (h *Fuzzer) Look(ctx context.Context, checks int, seed uint64) ([]Counterexample, error) {
	var found []Counterexample
	for _, check := range h.Checks {
		c, err := h.look(ctx, check, checks, seed)
		if err != nil {
			return found, err
		}
		if c != nil {
			found = append(found, *c)
		}
	}
	return found, nil
}

// look runs one check on generated subjects.
func (h *Fuzzer) look(ctx context.Context, check Check, checks int, seed uint64) (*Counterexample, error) {
	return h.lookAt(ctx, check, h.drawn(check, checks, seed))
}

// Accuses returns how many checks a scan of all of them does not acquit a port of. It is [Judge] without what comes
// after: nothing is shrunk.
func Accuses(ctx context.Context, port, oracle spec.Port, source Source, laws []cases.Case, budget Budget) (int, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return 0, err
	}
	port = declared.Port(port, description)
	j := &judging{budget: budget, together: together(port)}
	j.prepare(laws, description, func(offer spec.Offer, reading spec.Reading) (*Fuzzer, error) {
		return tryFuzzer(port, oracle, source, offer, reading)
	})
	if budget.Thorough {
		for _, t := range j.trials {
			t.cache = nil
		}
	}
	j.scanAll(ctx)
	accused := 0
	for _, t := range j.trials {
		if t.result.Status == "" {
			accused++
		}
	}
	return accused, nil
}
