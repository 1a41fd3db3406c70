package composed

import "github.com/loopstone/loopstone/spec"

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return implementation(func(rules []rule) spec.Detector { return newDetector(rules) })
}

// Rules returns the same made of the rules alone: slower with every event, and without snapshots.
func Rules() spec.Implementation {
	rules := implementation(func(rules []rule) spec.Detector {
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(rules, trace) })
	})
	rules.Offer = rules.Offer.Without(spec.Snapshots)
	return rules
}

func implementation(open func([]rule) spec.Detector) spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Composed)
	return spec.Implementation{
		Offer: definition.Offer(),
		New: func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
			rules, err := readConfig(v)
			if err != nil {
				return nil, err
			}
			return open(rules), nil
		},
	}
}
