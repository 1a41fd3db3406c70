package mutation

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/guard/mutation/mutant"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// Serve judges mutants: it reads a request from each line and writes the [Outcome] on a line for each, after an empty
// one that says that the original passes. In a program that is not built of mutated copies, all pass.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	debug.SetGCPercent(garbage)
	suite, err := cases.All()
	if err != nil {
		return err
	}
	j := &judge{}
	if err := j.rehearse(ctx, suite); err != nil {
		return err
	}
	fmt.Fprintln(out)
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		answer, err := j.answer(ctx, r)
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return lines.Err()
}

// garbage is how much garbage there may be beside what is in use, in percent: there is little, and it comes fast.
const garbage = 1000

// judge lets cases judge mutants, first on the detectors, and where they show nothing, on the plain rules.
type judge struct {
	ports   []spec.Port     // made with the mutant that is on
	initial *mutant.Mutants // the mutants that decide something before a case begins: all cases must be run with them
	trials  []trial
}

// trial is a case on one of the ports, and what the original does in it.
type trial struct {
	c       cases.Case
	port    int
	status  conformance.Status // passed, or skipped: the rules have no snapshots
	comesBy *mutant.Mutants    // those that could make a difference
	steps   int
}

// A mutant may take so many steps in a case: a few times what the original takes, and then some. One that needs more
// never ends.
const (
	stepsFactor = 5
	stepsMargin = 20_000
)

// makePorts makes the ports with the mutant that is on.
func (j *judge) makePorts() { j.ports = []spec.Port{reference.Port(), reference.Rules()} }

// rehearse runs every case with the original, which must pass them all: else they would kill everything.
func (j *judge) rehearse(ctx context.Context, suite []cases.Case) error {
	j.initial = mutant.Watch(j.makePorts)
	for port := range j.ports {
		for _, c := range suite {
			if takenAtItsWord(c) || port > 0 && !isForRules(c) {
				continue
			}
			t := trial{c: c, port: port}
			mutant.Set(mutant.Original) // the case finds nothing that an earlier one has left
			var err error
			t.comesBy = mutant.Watch(func() { t.status, err = j.run(ctx, t) })
			if err != nil {
				return err
			}
			if t.status != conformance.Passed && (t.status != conformance.Skipped || port == 0) {
				return fmt.Errorf("the original does not pass %s", c.ID)
			}
			t.steps = mutant.Steps()
			j.trials = append(j.trials, t)
		}
	}
	return nil
}

// longestTrace is how many events a case may have to be run on the plain rules: their cost grows with the square.
const longestTrace = 150

// isForRules reports whether a case is run on the plain rules, too.
func isForRules(c cases.Case) bool {
	events := 0
	for _, s := range c.Steps {
		events += s.Times * len(s.Events)
	}
	return events <= longestTrace
}

// run runs a case, in all its readings, and returns the first status that is no pass.
func (j *judge) run(ctx context.Context, t trial) (conformance.Status, error) {
	report, err := conformance.Run(ctx, j.ports[t.port], []cases.Case{copied(t.c)}, conformance.Options{
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

// answer finds the cases that notice a mutant. What the rules have in common with the detector, they need not show,
// too.
func (j *judge) answer(ctx context.Context, r request) (Outcome, error) {
	o := Outcome{Killers: []string{}}
	if o.Ended = j.turnOn(r.Mutant); o.Ended != "" {
		return o, nil
	}
	trials := j.trialsOf(r)
	for port := range j.ports {
		for _, t := range trials {
			if t.port != port {
				continue
			}
			mutant.Limit(stepsFactor*t.steps + stepsMargin)
			mutant.Begin()
			status, err := j.run(ctx, t)
			if err != nil {
				return o, err
			}
			if status != t.status {
				o.Killers = append(o.Killers, t.c.ID)
			}
		}
		if len(o.Killers) > 0 {
			break
		}
	}
	return o, nil
}

// trialsOf returns the trials that can tell of a mutant, those of its clauses first. A case that never comes by the
// place of the fault is none: it does what it does with the original. Of a breach, the cases of its clauses tell.
func (j *judge) trialsOf(r request) []trial {
	everywhere := j.initial.Has(r.Mutant) || mutant.Initial(r.Mutant)
	var first, others []trial
	for _, t := range j.trials {
		switch {
		case !slices.Contains(r.Detectors, t.c.Detector):
		case r.Mutant > 0 && !everywhere && !t.comesBy.Has(r.Mutant):
		case t.cites(r.Clauses):
			first = append(first, t)
		case r.Mutant > 0:
			others = append(others, t)
		}
	}
	return append(first, others...)
}

// cites reports whether the case cites one of the clauses.
func (t trial) cites(clauses []string) bool {
	return slices.ContainsFunc(clauses, func(id string) bool { return slices.Contains(t.c.Clauses, id) })
}

// turnOn turns a mutant on, and all others off. It returns how the mutant panics before any case is run, where it does.
func (j *judge) turnOn(id int) (panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprint("it panics at its start: ", p)
		}
	}()
	mutant.Set(max(id, mutant.Original))
	j.makePorts()
	if id < 0 {
		b := breaches[-id-1]
		j.ports = []spec.Port{faultyPort{j.ports[0], b}, faultyPort{j.ports[1], b}}
	}
	return ""
}

// copied returns the case with its own copy of everything that a port is given: a mutant may change that in place, and
// would spoil the case for those after it.
func copied(c cases.Case) cases.Case {
	c.Config, c.Sessions = copyOf(c.Config), copyOf(c.Sessions)
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
