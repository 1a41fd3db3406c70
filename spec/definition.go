package spec

import (
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
)

// Definition is the row of one detector in the specification's table: what a port of it can declare, the events that it
// observes, its configuration, and the members of its verdicts.
type Definition struct {
	ID        DetectorID
	Prefix    string // of its clauses' ids
	Title     string
	Documents []string
	Readings  []Reading
	Features  []Feature
	Functions map[string]Feature // the pure functions, each with the feature that it belongs to

	Observes []EventType            // it ignores all others; the first is the main type
	Demands  map[EventType][]string // members that are optional in the protocol and required here
	Cut      int                    // after how many UTF-16 units a rule cuts texts; 0 if no rule does

	Settings []Parameter
	Rules    []Rule   // in their order: the first that holds gives the verdict
	Quiet    []string // what a verdict without a loop may have beside loop

	// Asks returns the kinds that a configuration names; nil if the detector always has all its kinds.
	Asks func(config Value) []VerdictKind
}

// Asked returns the kinds that a port must know to accept a configuration.
func (d Definition) Asked(config Value) []VerdictKind {
	if d.Asks == nil {
		return nil
	}
	return d.Asks(config)
}

// Parameter is one setting of a detector's configuration.
type Parameter struct {
	Name     string
	Kind     Kind        // a Number is an integer, of at least Least
	Of       Kind        // of an Array's items, or of an Object's values if their names are free
	OneOf    []string    // the values that a String can have, or each in an Array
	Members  []Parameter // of an Object whose names are known, or of each Object in an Array
	Use      Use
	Least    int
	Default  Value             // absent if the setting is off by default, or has the defaults of Members
	Defaults map[Reading]Value // if a reading has another default
	Readings []Reading         // that have the setting; all readings if empty
	Needs    Feature           // that a port must offer; none if empty
	Rules    []VerdictKind     // that the setting bears on; all rules if empty
	Doc      string            // one sentence
}

// Use says what a setting is for.
type Use string

// The uses of settings.
const (
	Threshold Use = "threshold" // how many of something are a loop
	Percent   Use = "percent"   // how alike two things must be
	Window    Use = "window"    // how many events are remembered
	Interval  Use = "interval"  // at which events the rules are evaluated
	Limit     Use = "limit"     // how much of something is allowed, whether it repeats or not
	Option    Use = "option"    // anything else
)

// IsMonotone reports whether a higher value of the setting must never make a loop of what was none.
func (p Parameter) IsMonotone() bool {
	return p.Kind == Number && (p.Use == Threshold || p.Use == Percent || p.Use == Limit)
}

// Rule is one kind of loop that a detector knows. Its verdict has loop, kind and, if the port offers it, evidence.
type Rule struct {
	Kind       VerdictKind
	Clauses    []string    // that say when it holds, one for each reading if they differ
	Counts     []EventType // events of these types make it hold
	Only       string      // the setting without which it never holds; empty if it needs none
	Unwindowed bool        // it counts events that the detector's window does not bound
	Required   []string    // further members of its verdict
	Optional   []string    // members that a port may leave out
	FreeText   bool        // the specification does not fix its message
}

// MaySpeak reports whether the rule can give the verdict after an event of a type, under a configuration.
func (r Rule) MaySpeak(after EventType, config Value) bool {
	return slices.Contains(r.Counts, after) && (r.Only == "" || !config.Get(r.Only).IsAbsent())
}

// Usual returns the setting's default in a reading, absent if it has none.
func (p Parameter) Usual(r Reading) Value {
	if v, differs := p.Defaults[r]; differs {
		return v
	}
	return p.Default
}

// In reports whether a reading has the setting.
func (p Parameter) In(r Reading) bool { return len(p.Readings) == 0 || slices.Contains(p.Readings, r) }

// BearsOn reports whether the setting can change what the rule reports.
func (p Parameter) BearsOn(rule VerdictKind) bool {
	return len(p.Rules) == 0 || slices.Contains(p.Rules, rule)
}

// For returns the setting as one that bears on these rules alone.
func (p Parameter) For(rules ...VerdictKind) Parameter {
	p.Rules = rules
	return p
}

// Number returns the integer that a configuration gives to the setting, otherwise its default; false if it has neither.
func (p Parameter) Number(r Reading, config Value) (int, bool) {
	if n, ok := config.Get(p.Name).Int(); ok {
		return n, true
	}
	return p.Usual(r).Int()
}

// SettingsIn returns the settings that a reading has.
func (d Definition) SettingsIn(r Reading) []Parameter {
	return lists.Filter(d.Settings, func(p Parameter) bool { return p.In(r) })
}

// Window returns the setting that bounds the remembered events, and whether there is one.
func (d Definition) Window() (Parameter, bool) {
	return lists.Find(d.Settings, func(p Parameter) bool { return p.Use == Window })
}

// Judges lists the types of events after which it may report a loop; all that it observes if nothing is known of its
// rules.
func (d Definition) Judges() []EventType {
	if len(d.Rules) == 0 {
		return d.Observes
	}
	var types []EventType
	for _, r := range d.Rules {
		types = append(types, r.Counts...)
	}
	return types
}

// Offer returns the declaration of a port that has the whole detector.
func (d Definition) Offer() Offer {
	return Offer{Detector: d.ID, Readings: slices.Clone(d.Readings), Features: slices.Clone(d.Features)}
}

// Members lists the members that its verdicts can have, in the order of [VerdictMembers].
func (d Definition) Members() []string {
	names := append([]string{"loop", "kind", "evidence"}, d.Quiet...)
	for _, r := range d.Rules {
		names = slices.Concat(names, r.Required, r.Optional)
	}
	return slices.DeleteFunc(VerdictMembers(), func(name string) bool { return !slices.Contains(names, name) })
}

// Leaves reports whether the specification leaves it to the port if its verdicts have the member.
func (d Definition) Leaves(member string) bool {
	return slices.ContainsFunc(d.Rules, func(r Rule) bool { return slices.Contains(r.Optional, member) })
}

// Misplaced returns the members of a verdict that the protocol knows, and that such a verdict of the detector does not
// have by its clauses (PR-32): one without a loop, or one of the rule that reports. Nothing is known, and nothing
// returned, of a profile, of a detector without rules, and of a loop whose kind the specification does not have.
func (d Definition) Misplaced(verdict Value) (members []Member) {
	if d.ID.IsProfile() || len(d.Rules) == 0 {
		return nil
	}
	var rule *Rule // that reports; nil without a loop
	if verdict.Get("loop").IsTrue() {
		kind := VerdictKind(verdict.Get("kind").Text())
		i := slices.IndexFunc(d.Rules, func(r Rule) bool { return r.Kind == kind })
		if i < 0 {
			return nil
		}
		rule = &d.Rules[i]
	}
	for _, m := range verdict.Members() {
		if !d.has(rule, m.Name) && slices.Contains(VerdictMembers(), m.Name) {
			members = append(members, m)
		}
	}
	return members
}

// has reports whether the verdicts of a rule, or for nil those without a loop, can have the member.
func (d *Definition) has(rule *Rule, member string) bool {
	switch {
	case member == "loop":
		return true
	case rule == nil:
		return slices.Contains(d.Quiet, member)
	case member == "kind" || member == "evidence":
		return true
	default:
		return slices.Contains(rule.Required, member) || slices.Contains(rule.Optional, member)
	}
}

// Kinds lists the kinds of its rules.
func (d Definition) Kinds() []VerdictKind {
	return lists.Map(d.Rules, func(r Rule) VerdictKind { return r.Kind })
}

// SettingNames lists the settings of any reading.
func (d Definition) SettingNames() []string {
	return lists.Map(d.Settings, func(p Parameter) string { return p.Name })
}

// Has reports whether the detector knows a feature.
func (d Definition) Has(f Feature) bool { return slices.Contains(d.Features, f) }
