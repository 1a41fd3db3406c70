package reference

import "github.com/loopstone/loopstone/spec"

// fixed returns the detectors that the offers stand for: those of composed, each with the configuration that the offer
// has.
func fixed(composed spec.Implementation, offers []spec.Offer) []spec.Implementation {
	var list []spec.Implementation
	for _, offer := range offers {
		row, _ := spec.DefinitionOf(offer.Detector)
		impl := composed
		impl.Offer = row.Offer()
		impl.Features = composed.Features
		impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			if _, err := impl.Read(r, config); err != nil { // it takes no settings
				return nil, err
			}
			return composed.New(r, offer.Fixed)
		}
		list = append(list, impl)
	}
	return list
}
