package laws

import (
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
	check: func(a *asking, t Trace) {
		t = withoutResets(t.Single())
		backwards := slices.Clone(t.Steps)
		slices.Reverse(backwards)
		a.sameState("in reverse order", a.stateAfter(t), a.stateAfter(t.with(backwards)))
	},
}

func (a *asking) sameState(problem string, want, got spec.Value) {
	if !want.Equal(got) {
		a.breach(-1, problem, want, got)
	}
}

var mergeLaws = Law{
	ID:  "merge",
	Own: map[spec.DetectorID][]string{spec.Swarm: {"SW-27"}},
	Sentence: "Merging states is commutative and associative, the empty state is neutral, and merged parts are " +
		"the whole.",
	Why:       "Totals that are merged along another path must not declare another loop.",
	Detectors: []spec.DetectorID{spec.Swarm},
	Needs:     []spec.Feature{spec.Snapshots, spec.Merge},
	check: func(a *asking, t Trace) {
		t = withoutResets(t.Single())
		third := len(t.Steps) / 3
		after := func(steps []Step) spec.Value { return a.stateAfter(t.with(steps)) }
		merge := func(states ...spec.Value) spec.Value { return a.merge(t.Reading, states) }
		one, two, three := after(t.Steps[:third]), after(t.Steps[third:2*third]), after(t.Steps[2*third:])
		whole, empty := after(t.Steps), after(nil)
		a.sameState("the parts in order", whole, merge(one, two, three))
		a.sameState("the parts in another order", whole, merge(three, one, two))
		a.sameState("two parts first", whole, merge(merge(one, two), three))
		a.sameState("the last two parts first", whole, merge(one, merge(two, three)))
		a.sameState("with the empty state", whole, merge(empty, whole, empty))
	},
}

// merge has the port merge states.
func (a *asking) merge(reading spec.Reading, states []spec.Value) spec.Value {
	if a.err != nil {
		return spec.Value{}
	}
	args := spec.ObjectValue(spec.Member{Name: "states", Value: spec.ArrayValue(states...)})
	merged, err := a.port.Call(a.ctx, "swarm.merge", reading, args)
	if err != nil {
		a.err = fmt.Errorf("merge %d states: %w", len(states), err)
	}
	return merged
}
