package conformance

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Declared returns the port as it declares itself: a session of a detector with defaults of its own is opened with
// those of the specification, and a verdict has no member that is not declared. So what a port does not declare, nobody
// can hold against it.
func Declared(port spec.Port, description spec.Description) spec.Port {
	if !slices.ContainsFunc(description.Detectors, func(o spec.Offer) bool {
		return o.Members != nil || o.Defaults == spec.OwnDefaults
	}) {
		return port
	}
	p := declaredPort{port, description}
	if adapter, ok := port.(*Adapter); ok {
		return declaredAdapter{p, adapter}
	}
	return p
}

type declaredPort struct {
	spec.Port
	description spec.Description
}

// declaredAdapter can be started anew, and be told a trace in one go.
type declaredAdapter struct {
	declaredPort
	adapter *Adapter
}

// Restart implements [Restarter].
func (p declaredAdapter) Restart(ctx context.Context) error { return p.adapter.Restart(ctx) }

// Play implements [spec.Player].
func (p declaredAdapter) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	offer, _ := p.description.Offer(detector)
	verdicts, err := p.adapter.Play(ctx, detector, reading, offer.Config(reading, config), events)
	return declaredVerdicts(offer, verdicts), err
}

// Open implements [spec.Port].
func (p declaredPort) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	offer, _ := p.description.Offer(detector) // of a detector that is not there, nothing is left out
	session, err := p.Port.Open(ctx, detector, reading, offer.Config(reading, config))
	if err != nil {
		return nil, err
	}
	return declaredSession{session, offer}, nil
}

type declaredSession struct {
	spec.Session
	offer spec.Offer
}

// Observe implements [spec.Session].
func (s declaredSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	return declaredVerdicts(s.offer, verdicts), err
}

func declaredVerdicts(offer spec.Offer, verdicts []spec.Value) []spec.Value {
	left := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		left[i] = offer.Declared(v)
	}
	return left
}

// Spawner is a Port of which there may be several instances, each in a process of its own. Of a Port that is none, every
// session counts as an instance: a store cannot tell the sessions of one process from those of several.
type Spawner interface {
	spec.Port
	// Spawn starts another instance. Whoever asked for it ends it.
	Spawn(ctx context.Context) (port spec.Port, end func(), err error)
}

// instance is a process of the port beside the first.
type instance struct {
	spec.Port
	close func()
}

// instance returns the instance of that number, which is started when it is first asked.
func (j *judge) instance(ctx context.Context, number int) (spec.Port, error) {
	if number <= 1 {
		return j.port, nil
	}
	if other, started := j.others[number]; started {
		return other, nil
	}
	spawner, can := j.port.(Spawner)
	if !can {
		return j.port, nil
	}
	port, end, err := spawner.Spawn(ctx)
	if err == nil {
		j.others[number] = instance{port, end}
	}
	return port, err
}

// ownSwarm returns the configuration of a case, in which the swarm of several instances has a name that no other run has:
// a store remembers what earlier ones reported.
func ownSwarm(c cases.Case) spec.Value {
	name, named := c.Config.Get("swarm").Str()
	if c.Instances == 0 || !named {
		return c.Config
	}
	return c.Config.With("swarm", spec.StringValue(name+" "+rand.Text()))
}

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
