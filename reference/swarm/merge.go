package swarm

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Merge returns the state of a swarm whose parts have the given states: counts add, sets of workers unite. It is
// commutative and associative, and the empty state is neutral; without states it returns the empty state. The error is
// a [*spec.Fault] of kind [spec.InvalidState] where one of the states could not have been written, or where two of
// them know a fingerprint by different tools.
func Merge(states ...spec.Value) (spec.Value, error) {
	sum := tallies{}
	for i, state := range states {
		part, err := readState(state)
		if err != nil {
			return spec.Value{}, spec.BadState("states/%d: %v", i, err) // SW-29
		}
		if err := sum.add(part); err != nil {
			return spec.Value{}, spec.BadState("states/%d: %v", i, err)
		}
	}
	return sum.value(), nil // SW-28
}

// add counts all calls of the other tallies, too.
func (ts tallies) add(other tallies) error {
	for fingerprint, t := range other {
		sum := ts.of([]byte(fingerprint), t.tool)
		if sum.tool != t.tool { // SW-30
			return fmt.Errorf("%q is of the tools %q and %q", fingerprint, sum.tool, t.tool)
		}
		sum.add(t)
	}
	return nil
}

// merge is the protocol's function swarm.merge.
func merge(_ spec.Reading, args spec.Value) (spec.Value, error) {
	states := args.Get("states")
	if states.Kind() != spec.Array { // SW-31
		return spec.Value{}, spec.BadParams("states: want an array, got %s", states.Kind())
	}
	return Merge(states.Items()...)
}
