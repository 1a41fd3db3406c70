package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/mutation/plant"
)

// judgeSome judges every stride-th of this program's mutants from the first on, and prints the [outcome] of each as
// JSON, after that of the original.
func judgeSome(ctx context.Context, first, stride string) error {
	from, fromErr := strconv.Atoi(first)
	by, byErr := strconv.Atoi(stride)
	var mutants []plant.Mutant
	if err := errors.Join(fromErr, byErr, json.Unmarshal([]byte(planted), &mutants)); err != nil {
		return fmt.Errorf("mutation judge %s %s: %w", first, stride, err)
	}
	all := append(broken(), mutants...)
	debug.SetGCPercent(garbage)
	suite, err := cases.All()
	if err != nil {
		return err
	}
	var j judge
	if err := j.rehearse(ctx, suite); err != nil {
		return err
	}
	answers := json.NewEncoder(os.Stdout)
	if err := answers.Encode(outcome{}); err != nil {
		return fmt.Errorf("write that the original passes: %w", err)
	}
	for i := from; i < len(all); i += by {
		o, err := j.answer(ctx, all[i])
		if err != nil {
			return err
		}
		if err := answers.Encode(o); err != nil {
			return fmt.Errorf("write an outcome: %w", err)
		}
	}
	return nil
}

// garbage is how much garbage there may be beside what is in use, in percent: there is little, and it comes fast.
const garbage = 1000

// judge lets cases judge mutants of the reference, and breaches.
type judge struct {
	port    spec.Port  // made with the mutant that is on
	initial *plant.Set // the mutants that decide something before a case begins: all cases must be run with them
	probes  []probe
}

// probe is a case, and what the original does in it.
type probe struct {
	c       cases.Case
	comesBy *plant.Set // the mutants that could make a difference
	steps   int
}

// A mutant may take so many steps in a case: a few times what the original takes, and then some. One that needs more
// never ends.
const (
	stepsFactor = 5
	stepsMargin = 20_000
)

// rehearse runs every case with the original, which must pass them all: else they would kill everything.
func (j *judge) rehearse(ctx context.Context, suite []cases.Case) error {
	j.initial = plant.ReachedBy(j.makePort)
	for _, c := range suite {
		if takenAtItsWord(c) {
			continue
		}
		t := probe{c: c}
		if err := j.try(ctx, &t); err != nil {
			return err
		}
		j.probes = append(j.probes, t)
	}
	return nil
}

// try runs a case with the original, and notes what it does.
func (j *judge) try(ctx context.Context, t *probe) error {
	plant.TurnOn(plant.Original) // the case finds nothing that an earlier one has left
	var status conformance.Status
	var err error
	t.comesBy = plant.ReachedBy(func() { status, err = j.run(ctx, *t) })
	t.steps = plant.Steps()
	if err == nil && status != conformance.Passed {
		err = fmt.Errorf("the original does not pass %s: %s", t.c.ID, status)
	}
	return err
}

// makePort makes the port with the mutant that is on.
func (j *judge) makePort() { j.port = reference.Port() }

// run runs a case, in all its readings, and returns the first status that is no pass.
func (j *judge) run(ctx context.Context, t probe) (conformance.Status, error) {
	report, err := conformance.Run(ctx, j.port, []cases.Case{copied(t.c)}, conformance.Options{
		Jobs: 1, Suite: conformance.SuiteInfo{Version: spec.Version},
	})
	if err != nil {
		return "", fmt.Errorf("run %s: %w", t.c.ID, err)
	}
	for _, result := range report.Results {
		if result.Status != conformance.Passed {
			return result.Status, nil
		}
	}
	return conformance.Passed, nil
}

// long is how many steps make a case long: it judges the mutants of its clauses, and those that no other case notices.
const long = 100_000

// answer finds the cases that notice a mutant.
func (j *judge) answer(ctx context.Context, m plant.Mutant) (outcome, error) {
	o := outcome{Killers: []string{}}
	if o.Ended = j.turnOn(m.ID); o.Ended != "" {
		return o, nil
	}
	for _, t := range j.probesOf(m) {
		if t.steps > long && len(o.Killers) > 0 && !t.cites(m.Clauses) {
			continue
		}
		plant.Begin(stepsFactor*t.steps + stepsMargin)
		status, err := j.run(ctx, t)
		if err != nil {
			return o, err
		}
		if status != conformance.Passed {
			o.Killers = append(o.Killers, t.c.ID)
		}
	}
	return o, nil
}

// probesOf returns the probes that can tell of a mutant, those of its clauses first. A case that never comes by the
// place of the fault is none: it does what it does with the original. Of a breach, the cases of its clauses tell.
func (j *judge) probesOf(m plant.Mutant) []probe {
	isBreach, everywhere := m.ID < 0, j.initial.Has(m.ID) || plant.Initial(m.ID)
	var first, others []probe
	for _, t := range j.probes {
		switch {
		case !isBreach && !t.comesBy.Has(m.ID) && !(everywhere && t.isOf(m)):
		case t.cites(m.Clauses):
			first = append(first, t)
		case !isBreach:
			others = append(others, t)
		}
	}
	return append(first, others...)
}

// isOf reports whether the case is about a detector that is made of the mutant's package.
func (t probe) isOf(m plant.Mutant) bool {
	return slices.ContainsFunc(m.Users, func(user string) bool { return path.Base(user) == string(t.c.Detector) })
}

// cites reports whether the case cites one of the clauses.
func (t probe) cites(clauses []string) bool {
	return slices.ContainsFunc(clauses, func(id string) bool { return slices.Contains(t.c.Clauses, id) })
}

// turnOn turns a mutant on, and all others off. It returns how the mutant panics before any case is run, where it does.
func (j *judge) turnOn(id int) (panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint("it panics at its start: ", p)
		}
	}()
	plant.TurnOn(max(id, plant.Original))
	j.makePort()
	if id < 0 {
		j.port = faultyPort{j.port, breaches[-id-1]}
	}
	return ""
}

// copied returns the case with its own copy of everything that a port is given: a mutant may change that in place, and
// would spoil the case for those after it.
func copied(c cases.Case) cases.Case {
	c.Config, c.Sessions = copyOf(c.Config), copyOf(c.Sessions)
	c.Contrast = nil // a case proves its clauses by its own trace
	if c.Call != nil {
		call := *c.Call
		call.Args = copyOf(call.Args)
		if call.Result != nil {
			want := *call.Result
			want.SameAs, want.NotSameAs = copyOf(want.SameAs), copyOf(want.NotSameAs)
			call.Result = &want
		}
		c.Call = &call
	}
	c.Steps = slices.Clone(c.Steps)
	for i := range c.Steps {
		step := &c.Steps[i]
		step.State = copyOf(step.State)
		step.Events = slices.Clone(step.Events)
		for k := range step.Events {
			step.Events[k] = copyOf(step.Events[k])
		}
	}
	return c
}

// copyOf returns a value that shares no items and members with the original.
func copyOf(v spec.Value) spec.Value { return v.Map(copyOf) }
