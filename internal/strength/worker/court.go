package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/strength"
	"github.com/loopstone/loopstone/internal/strength/mutant"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// court lets cases judge mutants.
type court struct {
	port       spec.Port    // made with the mutant that is on
	initial    map[int]bool // the mutants that decide something before a case begins: all cases must be run with them
	rehearsals []rehearsal
	byID       map[string]int // position among the rehearsals
}

// rehearsal is a case and what the original does in it.
type rehearsal struct {
	c       cases.Case
	comesBy map[int]bool // the mutants that could make a difference
	steps   int
}

// A mutant may take so many steps in a case: many times what the original takes, and then some. One that needs more
// never ends.
const (
	stepsFactor = 20
	stepsMargin = 20_000
)

// newCourt rehearses every case with the original, which must pass them all: else they would kill everything.
func newCourt(ctx context.Context, suite []cases.Case) (*court, error) {
	t := &court{byID: map[string]int{}}
	t.initial = mutant.Watch(func() { t.port = reference.Port() })
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			continue
		}
		r, passes, err := t.rehearse(ctx, c)
		if err != nil {
			return nil, err
		}
		if !passes {
			return nil, fmt.Errorf("the original does not pass %s", c.ID)
		}
		t.byID[c.ID] = len(t.rehearsals)
		t.rehearsals = append(t.rehearsals, r)
	}
	return t, nil
}

// rehearse runs a case with the original.
func (t *court) rehearse(ctx context.Context, c cases.Case) (r rehearsal, passes bool, err error) {
	if panicked := t.turnOn(mutant.Original); panicked != "" {
		return r, false, fmt.Errorf("the original panics: %s", panicked)
	}
	r.c = c
	r.comesBy = mutant.Watch(func() { passes, err = t.passes(ctx, c) })
	r.steps = mutant.Steps()
	return r, passes, err
}

// passes runs a case, in all its readings, with the mutant that is on.
func (t *court) passes(ctx context.Context, c cases.Case) (bool, error) {
	report, err := conformance.Run(ctx, t.port, []cases.Case{copied(c)}, conformance.Options{
		Jobs: 1, Suite: conformance.SuiteInfo{Version: spec.Version},
	})
	if err != nil {
		return false, fmt.Errorf("run %s: %w", c.ID, err)
	}
	return report.Count(conformance.Passed) == len(report.Results), nil
}

// kills reports whether a case notices the mutant that is on. One that never comes by the place of the fault is not
// run: it does what it does with the original.
func (t *court) kills(ctx context.Context, r rehearsal, id int) (bool, error) {
	if !r.comesBy[id] && !t.initial[id] && !mutant.Initial(id) {
		return false, nil
	}
	mutant.Limit(stepsFactor*r.steps + stepsMargin)
	mutant.Begin()
	passes, err := t.passes(ctx, r.c)
	return !passes, err
}

// answer carries out a request.
func (t *court) answer(ctx context.Context, request strength.Request, trying func(caseID string) error) (strength.Answer, error) {
	if request.Case != "" {
		return t.needed(ctx, request)
	}
	answer := strength.Answer{Mutant: request.Mutant, Killers: []string{}}
	if answer.NoStart = t.turnOn(request.Mutant); answer.NoStart != "" {
		return answer, nil
	}
	for _, r := range t.rehearsals {
		if !slices.Contains(request.Detectors, r.c.Detector) || slices.Contains(request.Without, r.c.ID) {
			continue
		}
		if request.Aloud {
			if err := trying(r.c.ID); err != nil {
				return answer, err
			}
		}
		killed, err := t.kills(ctx, r, request.Mutant)
		if err != nil {
			return answer, err
		}
		if killed {
			answer.Killers = append(answer.Killers, r.c.ID)
		}
	}
	return answer, nil
}

// turnOn turns a mutant on, and all others off. It returns how the mutant panics before any case is run, where it does.
func (t *court) turnOn(id int) (panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint(p)
		}
	}()
	mutant.Set(id)
	t.port = reference.Port()
	return ""
}
