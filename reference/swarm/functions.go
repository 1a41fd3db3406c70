package swarm

import (
	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"swarm.merge": merge}

// merge is the function swarm.merge: it returns the state of a swarm whose parts have the given states. It adds counts
// and unites sets of workers, so neither order nor grouping matters. Without states it returns the empty state.
func merge(_ spec.Reading, args spec.Value) (spec.Value, error) { // SW-26, SW-27
	states := args.Get("states")
	if states.Kind() != spec.Array { // SW-31
		return spec.Value{}, spec.BadParams("states: want an array, got %s", states.Kind())
	}
	sum := Tallies{}
	for i, state := range states.Items() {
		part, err := ReadState(state)
		if err != nil { // SW-29
			return spec.Value{}, spec.BadState("states/%d: %v", i, err)
		}
		for fingerprint, t := range part {
			total := sum.Of([]byte(fingerprint), t.Tool)
			if total.Tool != t.Tool { // SW-30
				return spec.Value{}, spec.BadState("states/%d: %q is of the tools %q and %q", i, fingerprint, total.Tool, t.Tool)
			}
			total.add(t)
		}
	}
	return sum.Value(), nil // SW-28
}
