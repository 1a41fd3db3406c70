package declared

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// CheckNames returns what is wrong with the names that a port declares, one problem a line; nil where there is nothing.
// A name that is mistyped leaves cases unasked, and what nobody asked would pass: so each must be one that the
// specification has, and no detector may stand there twice.
func CheckNames(port spec.Description) error { return checkNames(port, false) }

// CheckOwnNames is [CheckNames] of a port that may have detectors of its own, whose rules, members and settings are
// called as their authors like.
func CheckOwnNames(port spec.Description) error { return checkNames(port, true) }

func checkNames(port spec.Description, own bool) error {
	var found problems
	seen := map[spec.DetectorID]bool{}
	for _, offer := range port.Detectors {
		row, known := spec.DefinitionOf(offer.Detector)
		if !known {
			row = offer.Definition()
			row.Features = allFeatures()
		}
		err := spec.CheckID(offer.Detector)
		switch {
		case err != nil:
			found.add(fmt.Errorf("the port declares a detector whose name is wrong: %w", err))
			continue
		case !known && !own:
			found.check("the detector", string(offer.Detector), detectorIDs())
			continue
		case seen[offer.Detector]:
			found.add(fmt.Errorf("the port declares the detector %s twice", offer.Detector))
		case len(offer.Readings) == 0:
			found.add(fmt.Errorf("the port declares the detector %s in no reading", offer.Detector))
		}
		seen[offer.Detector] = true
		found.checkOffer(offer, row, known)
	}
	return found.all()
}

// checkOffer checks what a port declares of one detector, by the detector's row. What only some ports declare is
// checked if the specification has the detector.
func (p *problems) checkOffer(offer spec.Offer, row spec.Definition, known bool) {
	of := fmt.Sprintf("for %s the ", offer.Detector)
	if !offer.Detector.IsProfile() && !offer.Fixed.IsAbsent() {
		p.add(fmt.Errorf("the port declares a config for %s; "+
			"only rules of your own have one, under an id that begins with @", offer.Detector))
	}
	checkAll(p, of+"reading", offer.Readings, row.Readings)
	checkAll(p, of+"feature", offer.Features, row.Features)
	if !known {
		for _, name := range slices.Concat(lists.Strings(offer.Rules), offer.Members, offer.Settings) {
			if err := spec.CheckName(name); err != nil {
				p.add(fmt.Errorf("the port declares %sname: %w", of, err))
			}
		}
		return
	}
	checkAll(p, of+"rule", offer.Rules, row.Kinds())
	checkAll(p, of+"member", offer.Members, row.Members())
	checkAll(p, of+"setting", offer.Settings, row.SettingNames())
	switch d := offer.Defaults; {
	case d == spec.SpecifiedDefaults:
	case offer.Detector.IsProfile():
		p.add(fmt.Errorf("the port declares defaults for %s; its rules are fixed, so that nothing has a default",
			offer.Detector))
	default:
		p.check(of+"defaults", string(d), []string{string(spec.OwnDefaults)})
	}
}

// mostProblems bounds how many problems of a declaration are told: a list of any length can be wrong in each item.
const mostProblems = 10

// problems are what is wrong with a declaration: the first of it, and how much there is.
type problems struct {
	first []error
	n     int
}

func (p *problems) add(err error) {
	if p.n++; p.n <= mostProblems {
		p.first = append(p.first, err)
	}
}

// check notes that a name is not one of those known.
func (p *problems) check(what, name string, known []string) {
	switch {
	case slices.Contains(known, name):
	case p.n >= mostProblems: // the nearest name costs more than to count
		p.n++
	default:
		p.add(fmt.Errorf("the port declares %s %q, which the specification does not have; %s",
			what, wording.Shortened(name, spec.MostID), wording.Hint(name, known)))
	}
}

// checkAll checks each of the names that a port declares of one kind.
func checkAll[T ~string](p *problems, what string, names, known []T) {
	list := lists.Strings(known)
	for _, name := range names {
		p.check(what, string(name), list)
	}
}

// all returns the problems as one error, a line each.
func (p *problems) all() error {
	if more := p.n - len(p.first); more > 0 {
		return errors.Join(append(p.first, fmt.Errorf("and %d more", more))...)
	}
	return errors.Join(p.first...)
}

// CheckDetector returns what is wrong with the name of a detector.
func CheckDetector(id spec.DetectorID) error {
	var p problems
	p.check("the detector", string(id), detectorIDs())
	return p.all()
}

func detectorIDs() []string {
	return lists.Map(spec.Detectors(), func(d spec.Definition) string { return string(d.ID) })
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
		for _, name := range slices.Concat(lists.Strings(p.Kinds()), p.SettingNames(), p.Members()) {
			others = append(others, spec.Feature(name))
		}
	}
	known := slices.Concat(allFeatures(), others)
	var problems []error
	for _, f := range names {
		if !slices.Contains(known, f) {
			problems = append(problems, fmt.Errorf("no detector has the feature %q; %s", string(f), wording.Hint(f, known)))
		}
	}
	return errors.Join(problems...)
}
