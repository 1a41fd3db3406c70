package composed

import "github.com/loopstone/loopstone/spec"

// Rules returns the detector made of the rules alone: slower with every event, and without snapshots.
func Rules() spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Composed)
	return spec.Implementation{
		Offer: definition.Offer().Without(spec.Snapshots),
		New: func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
			rules, err := ReadConfig(v)
			if err != nil {
				return nil, err
			}
			return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(rules, trace) }), nil
		},
	}
}
