package laws

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

var swarmOrder = Law{
	ID:        "swarm-order",
	Own:       map[spec.DetectorID][]string{spec.Swarm: {"SW-11"}},
	Sentence:  "The order in which workers report does not change the totals.",
	Why:       "Workers report when they can; totals that depend on who was first cannot be compared.",
	Detectors: []spec.DetectorID{spec.Swarm},
	Needs:     []spec.Feature{spec.Snapshots},
	Check: func(ctx context.Context, port spec.Port, t Trace) error {
		t = withoutResets(t.Single())
		want, err := stateAfter(ctx, port, t)
		if err != nil {
			return err
		}
		backwards := slices.Clone(t.Steps)
		slices.Reverse(backwards)
		got, err := stateAfter(ctx, port, t.with(backwards))
		if err != nil {
			return err
		}
		return sameState("swarm-order", "told backwards", want, got)
	},
}

func sameState(law, problem string, want, got spec.Value) error {
	if want.Equal(got) {
		return nil
	}
	return &Breach{Law: law, Step: -1, Want: want, Got: got, Problem: problem}
}

var mergeLaws = Law{
	ID:        "merge",
	Own:       map[spec.DetectorID][]string{spec.Swarm: {"SW-27"}},
	Sentence:  "Merging states is commutative and associative, the empty state is neutral, and merged parts are the whole.",
	Why:       "Totals that are merged along another path must not declare another loop.",
	Detectors: []spec.DetectorID{spec.Swarm},
	Needs:     []spec.Feature{spec.Snapshots, spec.Merge},
	Check: func(ctx context.Context, port spec.Port, t Trace) error {
		t = withoutResets(t.Single())
		third := len(t.Steps) / 3
		parts := [][]Step{t.Steps[:third], t.Steps[third : 2*third], t.Steps[2*third:], t.Steps, nil}
		states := make([]spec.Value, len(parts))
		for i, steps := range parts {
			state, err := stateAfter(ctx, port, t.with(steps))
			if err != nil {
				return err
			}
			states[i] = state
		}
		m := merger{ctx: ctx, port: port, reading: t.Reading}
		a, b, c, whole, empty := states[0], states[1], states[2], states[3], states[4]
		m.demand("the parts in order", whole, m.merge(a, b, c))
		m.demand("the parts in another order", whole, m.merge(c, a, b))
		m.demand("two parts first", whole, m.merge(m.merge(a, b), c))
		m.demand("the last two parts first", whole, m.merge(a, m.merge(b, c)))
		m.demand("with the empty state", whole, m.merge(empty, whole, empty))
		return m.err
	},
}

// merger merges states until something is wrong.
type merger struct {
	ctx     context.Context
	port    spec.Port
	reading spec.Reading
	err     error
}

func (m *merger) merge(states ...spec.Value) spec.Value {
	if m.err != nil {
		return spec.Value{}
	}
	args := spec.ObjectValue(spec.Member{Name: "states", Value: spec.ArrayValue(states...)})
	merged, err := m.port.Call(m.ctx, "swarm.merge", m.reading, args)
	if err != nil {
		m.err = fmt.Errorf("merge %d states: %w", len(states), err)
	}
	return merged
}

func (m *merger) demand(problem string, want, got spec.Value) {
	if m.err == nil {
		m.err = sameState("merge", problem, want, got)
	}
}
