package mutation

import (
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// copied returns the case with its own copy of everything that a port is given: a mutant may change that in place, and
// would spoil the case for those after it.
func copied(c cases.Case) cases.Case {
	c.Config = copyOf(c.Config)
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
func copyOf(v spec.Value) spec.Value {
	switch v.Kind() {
	case spec.Array:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = copyOf(items[i])
		}
		return spec.ArrayValue(items...)
	case spec.Object:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = copyOf(members[i].Value)
		}
		return spec.ObjectValue(members...)
	default:
		return v
	}
}
