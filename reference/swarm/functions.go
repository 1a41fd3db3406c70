package swarm

import (
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector and its function, as [spec.NewHost] takes them in.
func Implementation() spec.Implementation {
	return implementation(func(l Limits) spec.Detector { return &detector{totals: NewTotals(l)} })
}

// Rules returns the same detector made of the plain rules, without snapshots: slow, and short enough to be believed.
func Rules() spec.Implementation {
	rules := implementation(func(l Limits) spec.Detector {
		plain := spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(l, trace) }) // SW-15
		return struct {
			spec.Detector
			Checker
		}{Detector: plain}
	})
	rules.Offer = rules.Offer.Without(spec.Snapshots)
	return rules
}

func implementation(open func(Limits) spec.Detector) spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Swarm)
	return spec.Implementation{
		Offer: definition.Offer().Without(spec.Shared), // which takes a store; package shared has one
		New: func(_ spec.Reading, config spec.Value) (spec.Detector, error) {
			limits, err := ReadLimits(config)
			if err != nil {
				return nil, err
			}
			return open(limits), nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){"swarm.merge": merge},
	}
}

// merge is the function swarm.merge: the state of a swarm whose parts have the given states. Counts add, sets of
// workers unite, so that neither order nor grouping matters; without states it is the empty state. [SW-26, SW-27]
func merge(_ spec.Reading, args spec.Value) (spec.Value, error) {
	states := args.Get("states")
	if states.Kind() != spec.Array { // SW-31
		return spec.Value{}, spec.BadParams("states: want an array, got %s", states.Kind())
	}
	sum := tallies{}
	for i, state := range states.Items() {
		part, err := readState(state)
		if err != nil { // SW-29
			return spec.Value{}, spec.BadState("states/%d: %v", i, err)
		}
		for fingerprint, t := range part {
			total := sum.of([]byte(fingerprint), t.tool)
			if total.tool != t.tool { // SW-30
				return spec.Value{}, spec.BadState("states/%d: %q is of the tools %q and %q", i, fingerprint, total.tool, t.tool)
			}
			total.add(t)
		}
	}
	return sum.value(), nil // SW-28
}
