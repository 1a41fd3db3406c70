package conformance

import (
	"path"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Lost returns what the old port of a comparison declares and the new one does not. Nobody can tell whether a port
// still does what it does not declare any more: it is a regression.
func (r *Report) Lost() []Part { return r.onlyIn(r.Old, r.Port) }

// Gained returns what the new port of a comparison declares and the old one does not.
func (r *Report) Gained() []Part { return r.onlyIn(r.Port, r.Old) }

// onlyIn returns the parts that one port declares and the other does not, of the detectors that the run selects.
func (r *Report) onlyIn(one, other PortInfo) []Part {
	if r.Settings.Against == nil {
		return nil
	}
	patterns := r.Settings.Selection.Detectors
	return lists.Filter(OnlyIn(one, other), func(p Part) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
			is, err := path.Match(pattern, string(p.Detector))
			return err == nil && is
		})
	})
}

// OnlyIn returns the parts that one port declares and the other does not. A detector that is missing is one part.
func OnlyIn(one, other PortInfo) []Part {
	var list []Part
	for _, offer := range one.Detectors {
		i := slices.IndexFunc(other.Detectors, func(o spec.Offer) bool { return o.Detector == offer.Detector })
		if i < 0 {
			list = append(list, Part{Detector: offer.Detector, Sort: "detector"})
			continue
		}
		if offer.Defaults < other.Detectors[i].Defaults {
			list = append(list, Part{Detector: offer.Detector, Sort: "defaults", Name: "of the specification"})
		}
		list = append(list, rulesOnlyIn(offer, other.Detectors[i])...)
		theirs := partsOf(spelled(other.Detectors[i], offer))
		for _, part := range partsOf(spelled(offer, other.Detectors[i])) {
			if !slices.Contains(theirs, part) {
				list = append(list, part)
			}
		}
	}
	return list
}

// mostOfRule is how much of a rule of a port's own names it, in characters.
const mostOfRule = 200

// rulesOnlyIn returns the rules of a port's own that another offer does not have word for word: a rule with another
// threshold is another rule. The configuration of stream is one rule.
func rulesOnlyIn(one, other spec.Offer) (list []Part) {
	rulesOf := func(o spec.Offer) []spec.Value {
		if o.Fixed.IsAbsent() || o.Detector.Row() == spec.Stream {
			return []spec.Value{o.Fixed}
		}
		return o.Fixed.Get("rules").Items()
	}
	theirs := rulesOf(other)
	for _, rule := range rulesOf(one) {
		if !rule.IsAbsent() && !slices.ContainsFunc(theirs, rule.Equal) {
			list = append(list, Part{one.Detector, "own rule", wording.Shortened(rule.String(), mostOfRule), ""})
		}
	}
	return list
}

// spelled returns an offer in which each list that stands for all there is, because it is not declared, has the names,
// where the other offer has such a list. Of a detector that the specification does not have, nobody knows all names: it
// has those of the other offer, and one for the rest.
func spelled(offer, other spec.Offer) spec.Offer {
	row, known := spec.DefinitionOf(offer.Detector)
	if offer.Rules == nil && other.Rules != nil {
		offer.Rules = allNames(known, row.Kinds(), other.Rules)
	}
	if offer.Members == nil && other.Members != nil {
		offer.Members = allNames(known, row.Members(), other.Members)
	}
	if offer.Settings == nil && other.Settings != nil {
		offer.Settings = allNames(known, row.SettingNames(), other.Settings)
	}
	return offer
}

func allNames[T ~string](known bool, all, listed []T) []T {
	if known {
		return all
	}
	return append(slices.Clone(listed), "(any other)")
}
