package fingerprint

import (
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return implementation(func(c config) spec.Detector { return &detector{config: c} })
}

// Rules returns the same made of the rules alone: slower with every event, and without snapshots.
func Rules() spec.Implementation {
	impl := implementation(func(c config) spec.Detector { return &rules{config: c} })
	impl.Offer = impl.Offer.Without(spec.Snapshots)
	return impl
}

// rules asks the rules anew after every event.
type rules struct {
	config
	trace []spec.Event
}

// Observe implements [spec.Detector].
func (r *rules) Observe(e spec.Event) spec.Verdict {
	r.trace = append(r.trace, e)
	return verdict(r.config, r.trace)
}

// Reset implements [spec.Detector].
func (r *rules) Reset() { r.trace = nil }

// State implements [spec.Stater].
func (r *rules) State() spec.Value { return state(r.config, r.trace) }

func implementation(open func(config) spec.Detector) spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Fingerprint)
	return spec.Implementation{
		Offer: definition.Offer(),
		New: func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
			c, err := readConfig(v)
			if err != nil {
				return nil, err
			}
			return open(c), nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){
			"fingerprint.compute": callCompute,
			"fingerprint.nudge":   callNudge,
		},
	}
}

// callCompute is fingerprint.compute {tool, args} → string. [FP-45]
func callCompute(_ spec.Reading, v spec.Value) (spec.Value, error) {
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // FP-47
	}
	args := v.Get("args")
	if args.Kind() != spec.Object {
		return spec.Value{}, spec.BadParams("args: want an object, got %s", args.Kind()) // FP-47
	}
	return spec.StringValue(compute(tool, args)), nil
}

// callNudge is fingerprint.nudge {tool, count} → string. [FP-46]
func callNudge(_ spec.Reading, v spec.Value) (spec.Value, error) {
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // FP-47
	}
	count, _ := v.Get("count").Int() // 0 where it is none
	if count < 1 {
		return spec.Value{}, spec.BadParams("count: want an integer of at least 1, got %s", v.Get("count")) // FP-47
	}
	return spec.StringValue(nudge(tool, count)), nil
}
