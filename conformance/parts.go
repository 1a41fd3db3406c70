package conformance

import (
	"fmt"
	"path"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Part is what a port declares of a detector: one of its readings, features, rules, members or settings; of its own
// rules a rung or a member, too; or all of it.
type Part struct {
	Detector spec.DetectorID `json:"detector"`
	Sort     string          `json:"sort"` // reading, feature, rule, own rule, member, setting, rung, defaults or detector
	Name     string          `json:"name"`
	Why      string          `json:"why,omitempty"` // no test is about it; empty if no case of the suite happens to be
}

// String returns the part as reports name it.
func (p Part) String() string {
	if p.Sort == "detector" {
		return "detector " + string(p.Detector)
	}
	text := fmt.Sprintf("%s %s of %s", p.Sort, p.Name, p.Detector)
	if p.Why != "" {
		text += " (" + p.Why + ")"
	}
	return text
}

// Unexercised returns what the port declares and no case of the suite, asked as the port declares itself, would miss:
// nothing is known of it, however many tests pass. A list that a port does not declare stands for all there is; nothing
// is said of its items, nor of a detector that the suite has no case for.
func Unexercised(suite []cases.Case, port spec.Description) []Part {
	var list []Part
	for _, offer := range port.Detectors {
		of := lists.Filter(suite, func(c cases.Case) bool { return c.Detector == offer.Detector })
		if slices.ContainsFunc(of, func(c cases.Case) bool { return !c.IsLaw() }) {
			list = append(list, partsLeft(partsOf(offer), of, port)...)
		}
	}
	return list
}

// partsOf returns what an offer declares one by one.
func partsOf(offer spec.Offer) []Part {
	var list []Part
	add := func(sort string, names ...string) {
		for _, name := range names {
			list = append(list, Part{Detector: offer.Detector, Sort: sort, Name: name})
		}
	}
	for _, reading := range offer.Readings {
		add("reading", string(reading))
	}
	for _, feature := range offer.Features {
		add("feature", string(feature))
	}
	for _, rule := range offer.Rules {
		add("rule", string(rule))
	}
	add("member", slices.DeleteFunc(slices.Clone(offer.Members), func(name string) bool { return name == "loop" })...)
	add("setting", offer.Settings...)
	return list
}

// partsLeft returns which parts of a detector none of its cases asks for.
func partsLeft(parts []Part, suite []cases.Case, port spec.Description) []Part {
	met := map[Part]bool{}
	for _, c := range suite {
		if len(parts) == 0 {
			return nil
		}
		for _, reading := range c.Readings {
			switch t := newTask(c, reading, port); {
			case t.result.Status == Skipped || c.Refuse != nil:
			case c.IsLaw():
				t.meetsFeatures(met)
			default:
				t.meets(met, declared.LoopsOf(c.Halves()))
			}
		}
		parts = lists.Filter(parts, func(p Part) bool { return !met[p] })
	}
	return parts
}

// meets notes the parts without which a port fails the case: what it compares, the rules whose loops it wants, and the
// settings of these rules.
func (t *task) meets(met map[Part]bool, loops []spec.VerdictKind) {
	definition, _ := spec.DefinitionOf(t.c.Detector)
	needs := declared.NeedsOf(t.halves)
	add := func(sort, name string) { met[Part{Detector: t.c.Detector, Sort: sort, Name: name}] = true }
	add("reading", string(t.reading))
	t.meetsFeatures(met)
	for _, rule := range loops {
		add("rule", string(rule))
	}
	for _, member := range needs.Members {
		add("member", member)
	}
	for _, setting := range definition.Settings {
		if slices.Contains(needs.Settings, setting.Name) && slices.ContainsFunc(loops, setting.BearsOn) {
			add("setting", setting.Name)
		}
	}
}

// meetsFeatures notes the features without which a port is not asked the case, or the law. No case of a profile needs
// snapshots or evidence; its laws do.
func (t *task) meetsFeatures(met map[Part]bool) {
	for _, feature := range t.c.Needs {
		met[Part{Detector: t.c.Detector, Sort: "feature", Name: string(feature)}] = true
	}
}

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
		their, known := other.Offer(offer.Detector)
		if !known {
			list = append(list, Part{Detector: offer.Detector, Sort: "detector"})
			continue
		}
		if offer.Defaults < their.Defaults {
			list = append(list, Part{Detector: offer.Detector, Sort: "defaults", Name: "of the specification"})
		}
		list = append(list, rulesOnlyIn(offer, their)...)
		theirs := partsOf(spelled(their, offer))
		own := partsOf(spelled(offer, their))
		list = append(list, lists.Filter(own, func(p Part) bool { return !slices.Contains(theirs, p) })...)
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
