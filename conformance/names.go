package conformance

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/nearest"
	"github.com/loopstone/loopstone/spec"
)

// CheckNames returns what is wrong with the names that a port declares, one problem a line; nil where there is nothing.
// A name that is mistyped leaves cases unasked, and what nobody asked would pass: so each must be one that the
// specification has, and no detector may stand there twice.
func CheckNames(port spec.Description) error {
	var problems []error
	seen := map[spec.DetectorID]bool{}
	for _, offer := range port.Detectors {
		profile, known := spec.DefinitionOf(offer.Detector)
		switch {
		case !known:
			problems = append(problems, checkName("the detector", offer.Detector, detectorIDs()))
			continue
		case seen[offer.Detector]:
			problems = append(problems, fmt.Errorf("the port declares the detector %s twice", offer.Detector))
		case len(offer.Readings) == 0:
			problems = append(problems, fmt.Errorf("the port declares the detector %s in no reading", offer.Detector))
		}
		seen[offer.Detector] = true
		for _, r := range offer.Readings {
			problems = append(problems, checkName(fmt.Sprintf("for %s the reading", offer.Detector), r, profile.Readings))
		}
		for _, f := range offer.Features {
			problems = append(problems, checkName(fmt.Sprintf("for %s the feature", offer.Detector), f, profile.Features))
		}
	}
	return errors.Join(problems...)
}

func checkName[T ~string](what string, name T, known []T) error {
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("the port declares %s %q, which the specification does not have; %s",
		what, string(name), nearest.Hint(name, known))
}

func detectorIDs() []spec.DetectorID {
	var ids []spec.DetectorID
	for _, p := range spec.Detectors() {
		ids = append(ids, p.ID)
	}
	return ids
}

// CheckFeatures returns which of the features no detector has.
func CheckFeatures(features []spec.Feature) error {
	var known []spec.Feature
	for _, p := range spec.Detectors() {
		known = append(known, p.Features...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	var problems []error
	for _, f := range features {
		if !slices.Contains(known, f) {
			problems = append(problems, fmt.Errorf("no detector has the feature %q; %s", string(f), nearest.Hint(f, known)))
		}
	}
	return errors.Join(problems...)
}
