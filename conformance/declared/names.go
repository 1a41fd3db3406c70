// Package declared reads what a port declares of itself: whether the names are those of the specification, what a case
// needs of it, and a port as no more than it declares.
package declared

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// CheckNames returns what is wrong with the names that a port declares, one problem a line; nil where there is nothing.
// A name that is mistyped leaves cases unasked, and what nobody asked would pass: so each must be one that the
// specification has, and no detector may stand there twice.
func CheckNames(port spec.Description) error { return checkNames(port, false) }

// CheckOwnNames is [CheckNames] of a port that may have detectors of its own, whose rules, members and settings are
// called as their authors like.
func CheckOwnNames(port spec.Description) error { return checkNames(port, true) }

func checkNames(port spec.Description, own bool) error {
	var problems []error
	seen := map[spec.DetectorID]bool{}
	for _, offer := range port.Detectors {
		profile, known := spec.DefinitionOf(offer.Detector)
		switch {
		case !known && own:
			profile = offer.Definition()
			profile.Features = allFeatures()
		case !known:
			problems = append(problems, CheckDetector(offer.Detector))
			continue
		}
		switch {
		case seen[offer.Detector]:
			problems = append(problems, fmt.Errorf("the port declares the detector %s twice", offer.Detector))
		case len(offer.Readings) == 0:
			problems = append(problems, fmt.Errorf("the port declares the detector %s in no reading", offer.Detector))
		}
		seen[offer.Detector] = true
		if !offer.Detector.IsProfile() && !offer.Fixed.IsAbsent() {
			problems = append(problems, fmt.Errorf("the port declares a config for %s; "+
				"only rules of your own have one, under an id that begins with @", offer.Detector))
		}
		of := fmt.Sprintf("for %s the ", offer.Detector)
		problems = append(problems, checkAll(of+"reading", offer.Readings, profile.Readings),
			checkAll(of+"feature", offer.Features, profile.Features))
		if known { // what only some ports declare
			problems = append(problems, checkAll(of+"rule", offer.Rules, profile.Kinds()),
				checkAll(of+"member", offer.Members, profile.Members()),
				checkAll(of+"setting", offer.Settings, profile.SettingNames()))
		}
		if d := offer.Defaults; known && d != spec.SpecifiedDefaults {
			problems = append(problems, checkName(of+"defaults", d, []spec.Defaults{spec.OwnDefaults}))
		}
	}
	return errors.Join(problems...)
}

// checkAll checks each of the names that a port declares of one kind.
func checkAll[T ~string](what string, names, known []T) error {
	var problems []error
	for _, name := range names {
		problems = append(problems, checkName(what, name, known))
	}
	return errors.Join(problems...)
}

func checkName[T ~string](what string, name T, known []T) error {
	if slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("the port declares %s %q, which the specification does not have; %s",
		what, string(name), words.Hint(name, known))
}

// CheckDetector returns what is wrong with the name of a detector.
func CheckDetector(id spec.DetectorID) error {
	return checkName("the detector", string(id), detectorIDs())
}

func detectorIDs() []string {
	return words.By(spec.Detectors(), func(d spec.Definition) spec.DetectorID { return d.ID })
}

// allFeatures lists the features of all detectors.
func allFeatures() []spec.Feature {
	var features []spec.Feature
	for _, p := range spec.Detectors() {
		features = append(features, p.Features...)
	}
	slices.Sort(features)
	return slices.Compact(features)
}

// CheckFeatures returns which of the names no detector has as a feature, rule, setting or member.
func CheckFeatures(names []spec.Feature) error {
	var others []spec.Feature
	for _, p := range spec.Detectors() {
		for _, name := range slices.Concat(words.Of(p.Kinds()), p.SettingNames(), p.Members()) {
			others = append(others, spec.Feature(name))
		}
	}
	known := slices.Concat(allFeatures(), others)
	var problems []error
	for _, f := range names {
		if !slices.Contains(known, f) {
			problems = append(problems, fmt.Errorf("no detector has the feature %q; %s", string(f), words.Hint(f, known)))
		}
	}
	return errors.Join(problems...)
}
