package guards

import (
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Guards)
	return spec.Implementation{
		Offer: definition.Offer(),
		New:   func(_ spec.Reading, config spec.Value) (spec.Detector, error) { return newDetector(config) },
	}
}

// Rules returns the same detector made of the plain rules, without snapshots: slow, and short enough to be believed.
func Rules() spec.Implementation {
	rules := Implementation()
	rules.Offer = rules.Offer.Without(spec.Snapshots)
	rules.New = func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
		c, err := readConfig(v)
		if err != nil {
			return nil, err
		}
		if _, err := c.open(plainSignatures); err != nil {
			return nil, err
		}
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // GU-15
	}
	return rules
}
