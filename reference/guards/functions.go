package guards

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Guards)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New:   func(_ spec.Reading, config spec.Value) (spec.Detector, error) { return newDetector(config) },
	}
}

// Rules returns the same detector made of the plain rules, without snapshots: slow, and short enough to be believed.
func Rules() spec.Implementation {
	rules := Implementation()
	rules.Features = slices.DeleteFunc(rules.Features, func(f spec.Feature) bool { return f == spec.Snapshots })
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
