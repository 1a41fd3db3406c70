package spec

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
)

// Offer is the part of one detector that a port declares. A nil list of rules, members or settings means all that the
// specification has.
type Offer struct {
	Detector DetectorID `json:"detector"`
	Readings []Reading  `json:"readings"`
	Features []Feature  `json:"features"`

	Rules    []VerdictKind `json:"rules,omitzero"`    // the kinds of loop that it knows; all without it
	Members  []string      `json:"members,omitzero"`  // of its verdicts; loop is always among them, and all are without it
	Settings []string      `json:"settings,omitzero"` // that its configuration takes; all without it

	Defaults Defaults `json:"defaults,omitempty"`

	// Fixed is the configuration of [Composed] or [Stream] that a profile is. A port declares it for rules that its
	// authors wrote down themselves, under a name that no profile has; the runner knows that of a profile.
	Fixed Value `json:"config,omitzero"`
}

// Defaults says whose default an absent setting has.
type Defaults string

// The defaults. A runner sends the specification's defaults to a port that has its own.
const (
	SpecifiedDefaults Defaults = ""
	OwnDefaults       Defaults = "own"
)

// HasOwnRules reports whether the detector's rules are those that the port's authors wrote down themselves: it has a
// configuration, and is no profile of the specification.
func (o Offer) HasOwnRules() bool {
	if !o.Detector.IsProfile() || o.Fixed.IsAbsent() {
		return false
	}
	_, err := fs.Stat(ProfileFiles(), string(o.Detector[1:])+".yaml")
	return err != nil
}

// Takes reports whether the port knows a type, or a member of an event, by this name. A port without the feature
// [Replies] may refuse the types and members of this feature, or leave them unchecked. Only detectors that observe a
// [Delta] take it, and of the configurations of [Composed] those with a rule about pieces: other adapters may refuse
// it.
func (o Offer) Takes(name string) bool {
	if name != string(Delta) {
		return !NeedsReplies(name) || slices.Contains(o.Features, Replies)
	}
	if o.Detector.IsProfile() && o.Detector.Row() == Composed {
		return slices.ContainsFunc(o.Fixed.Get("rules").Items(), isAboutPieces)
	}
	row, _ := DefinitionOf(o.Detector)
	return slices.Contains(row.Observes, Delta)
}

// isAboutPieces reports whether the items of a rule of [Composed] are pieces of text.
func isAboutPieces(rule Value) bool { return rule.Get("same").Get("by").Equal(StringValue("piece")) }

// Understood returns the event without the members that the port does not take; false if it does not take the type.
func (o Offer) Understood(event Value) (Value, bool) {
	if !o.Takes(string(TypeOf(event))) {
		return event, false
	}
	if slices.Contains(o.Features, Replies) {
		return event, true
	}
	for _, m := range event.Members() {
		if !o.Takes(m.Name) {
			event = event.Without(m.Name)
		}
	}
	return event, true
}

// Definition returns the specification's row of the detector. If the specification does not have the detector, the row
// says that it may look at every event and has the declared readings and features. A declared setting is then a
// threshold if its name is threshold or ends in _threshold.
func (o Offer) Definition() Definition {
	if d, known := DefinitionOf(o.Detector); known {
		return d
	}
	d := Definition{ID: o.Detector, Readings: o.Readings, Features: o.Features}
	d.Observes = slices.DeleteFunc(EventTypes(), func(t EventType) bool { return !o.Takes(string(t)) })
	for _, name := range o.Settings {
		if name == "threshold" || strings.HasSuffix(name, "_threshold") {
			d.Settings = append(d.Settings, Parameter{Name: name, Kind: Number, Use: Threshold, Least: 1})
		}
	}
	return d
}

// Without returns the same offer without a feature.
func (o Offer) Without(feature Feature) Offer {
	o.Features = slices.DeleteFunc(slices.Clone(o.Features), func(f Feature) bool { return f == feature })
	return o
}

// IsPart reports whether the port declares less than all rules, members or settings of the detector.
func (o Offer) IsPart() bool { return o.Rules != nil || o.Members != nil || o.Settings != nil }

// HasRule reports whether the port knows a kind of loop.
func (o Offer) HasRule(kind VerdictKind) bool {
	return o.Rules == nil || slices.Contains(o.Rules, kind)
}

// HasMember reports whether the port's verdicts have a member.
func (o Offer) HasMember(name string) bool {
	return name == "loop" || o.Members == nil || slices.Contains(o.Members, name)
}

// Uncompared returns the members of the detector's verdicts that the port does not declare: nobody compares them.
func (o Offer) Uncompared() []string {
	definition, _ := DefinitionOf(o.Detector)
	return slices.DeleteFunc(definition.Members(), o.HasMember)
}

// HasSetting reports whether the port's configuration takes a setting.
func (o Offer) HasSetting(name string) bool {
	return o.Settings == nil || slices.Contains(o.Settings, name)
}

// And returns the parts of a detector that two ports share; no reading if one of them does not have the detector.
func (o Offer) And(other Offer) Offer {
	return Offer{
		Detector: o.Detector,
		Readings: common(o.Readings, other.Readings),
		Features: common(o.Features, other.Features),
		Rules:    commonOrAll(o.Rules, other.Rules),
		Members:  commonOrAll(o.Members, other.Members),
		Settings: commonOrAll(o.Settings, other.Settings),
		Defaults: max(o.Defaults, other.Defaults),
		Fixed:    o.Fixed,
	}
}

func common[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(item T) bool { return !slices.Contains(b, item) })
}

// commonOrAll is [common] for lists that stand for everything if they are nil.
func commonOrAll[T comparable](a, b []T) []T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return append([]T{}, common(a, b)...)
	}
}

// Declared returns a verdict without the members that the port does not declare.
func (o Offer) Declared(verdict Value) Value {
	if o.Members == nil {
		return verdict
	}
	for _, m := range verdict.Members() {
		if !o.HasMember(m.Name) {
			verdict = verdict.Without(m.Name)
		}
	}
	return verdict
}

// Config returns the configuration to open a session with. If the port has defaults of its own, it writes out the
// specification's default of each setting that the port declares.
func (o Offer) Config(r Reading, config Value) Value {
	_, known := DefinitionOf(o.Detector)
	if o.Defaults != OwnDefaults || !known || !config.IsAbsent() && config.Kind() != Object {
		return config
	}
	return withUsual(o.settings(r), r, config)
}

// settings returns the settings of the specification that the port has in a reading.
func (o Offer) settings(r Reading) []Parameter {
	return slices.DeleteFunc(o.Definition().SettingsIn(r), func(p Parameter) bool {
		return !o.HasSetting(p.Name) || p.Needs != "" && !slices.Contains(o.Features, p.Needs)
	})
}

// withUsual adds the defaults of the settings that an object does not name.
func withUsual(settings []Parameter, r Reading, config Value) Value {
	members := slices.Clone(config.Members())
	for _, p := range settings {
		i := slices.IndexFunc(members, func(m Member) bool { return m.Name == p.Name })
		switch {
		case p.Kind == Object && p.Members != nil && i < 0:
			members = append(members, Member{p.Name, withUsual(p.Members, r, Value{})})
		case p.Kind == Object && p.Members != nil && members[i].Value.Kind() == Object:
			members[i].Value = withUsual(p.Members, r, members[i].Value)
		case i < 0 && !p.Usual(r).IsAbsent():
			members = append(members, Member{p.Name, p.Usual(r)})
		}
	}
	return ObjectValue(members...)
}

// Offer returns the port's offer of a detector and whether the port has the detector.
func (d Description) Offer(id DetectorID) (Offer, bool) {
	return lists.Find(d.Detectors, func(o Offer) bool { return o.Detector == id })
}
