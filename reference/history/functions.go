package history

import (
	"crypto/md5"

	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return implementation(func(c config) spec.Detector { return newDetector(c) })
}

// Rules returns the same made of the rules alone: slower with every event, and without snapshots.
func Rules() spec.Implementation {
	impl := implementation(func(c config) spec.Detector {
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) })
	})
	impl.Offer = impl.Offer.Without(spec.Snapshots)
	return impl
}

func implementation(open func(config) spec.Detector) spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.History)
	return spec.Implementation{
		Offer: definition.Offer(),
		New: func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
			c, err := readConfig(v)
			if err != nil {
				return nil, err
			}
			return open(c), nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){"history.hash": hash},
	}
}

// hash is history.hash {tool, args} → string: a call's hash as D4#how-hashing-works computes it in Python. [HI-27]
func hash(_ spec.Reading, v spec.Value) (spec.Value, error) {
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // HI-28
	}
	args := v.Get("args")
	if args.Kind() != spec.Object {
		return spec.Value{}, spec.BadParams("args: want an object, got %s", args.Kind()) // HI-28
	}
	call := spec.Event{Tool: tool, Args: args}
	return spec.StringValue(digest(md5.Sum(new(config).appendText(nil, call))).String()), nil
}
