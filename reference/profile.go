package reference

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// fixed returns the detectors that the offers stand for: each is one of the given detectors with the configuration that
// the offer has.
func fixed(detectors []spec.Implementation, offers []spec.Offer) []spec.Implementation {
	var list []spec.Implementation
	for _, offer := range offers {
		isBase := func(d spec.Implementation) bool { return d.Detector == offer.Detector.Row() }
		base := detectors[slices.IndexFunc(detectors, isBase)]
		row, _ := spec.DefinitionOf(offer.Detector)
		impl := base
		impl.Offer = row.Offer()
		impl.Features = base.Features
		impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			if _, err := impl.Read(r, config); err != nil { // it takes no settings
				return nil, err
			}
			return base.New(r, offer.Fixed)
		}
		list = append(list, impl)
	}
	return list
}
