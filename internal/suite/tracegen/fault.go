package tracegen

import (
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// samples holds values of every kind; a fault has one of a kind that is wrong where it stands.
var samples = []string{`null`, `true`, `1`, `"1"`, `[]`, `{}`, `false`, `0`, `""`, `[1]`}

// wrong returns a value of another kind.
func (d dice) wrong(kind spec.Kind) spec.Value {
	for {
		if v := pickJSON(d, samples); v.Kind() != kind {
			return v
		}
	}
}

var wrongNumbers = []string{`-1`, `0`, `2.5`, `-0.5`, `"3"`, `true`, `null`}

// spoiled returns the value with one fault, which may be deep in it: a value of another kind, a number out of range, a
// text that nobody knows, a member that is missing or unknown, an item that stands there twice, a list that is empty.
func (d dice) spoiled(v spec.Value) spec.Value {
	members, items := v.Members(), v.Items()
	switch {
	case len(members) > 0 && !d.oneIn(4):
		m := pick(d, members)
		return v.With(m.Name, d.spoiled(m.Value))
	case len(items) > 0 && !d.oneIn(4):
		items = slices.Clone(items)
		i := d.below(len(items))
		items[i] = d.spoiled(items[i])
		return spec.ArrayValue(items...)
	case len(members) > 0 && d.maybe():
		return v.Without(pick(d, members).Name)
	case len(items) > 0 && d.maybe():
		return spec.ArrayValue(append(slices.Clone(items), pick(d, items))...)
	default:
		return d.replaced(v)
	}
}

// replaced returns a value to stand where v does: one of its kind that is out of range, or one of another kind.
func (d dice) replaced(v spec.Value) spec.Value {
	switch kind := v.Kind(); {
	case kind == spec.Object && d.maybe():
		return v.With("unknown member", spec.NullValue())
	case kind == spec.Array && d.maybe():
		return spec.ArrayValue()
	case kind == spec.String && d.maybe():
		return spec.StringValue(pick(d, []string{"", "unknown text"}))
	case kind == spec.Number:
		return pickJSON(d, wrongNumbers)
	default:
		return d.wrong(kind)
	}
}

// breakOne puts a fault into one of the events, so that the request that it travels in must be refused.
func (d *draft) breakOne(steps []laws.Step) {
	var places []*spec.Value
	for i := range steps {
		if !steps[i].IsReset() {
			places = append(places, &steps[i].Event)
		}
	}
	if 0 < len(places) && len(places) <= maxSides {
		place := pick(d.dice, places)
		*place = d.broken(*place)
	}
}

// broken returns the event with one fault: in its type, in a member that is missing or of a wrong kind, in its role, or
// in that a member is missing which this detector alone demands.
func (d *draft) broken(event spec.Value) spec.Value {
	typ := spec.TypeOf(event)
	if demanded := d.Demands[typ]; len(demanded) > 0 && d.oneIn(4) {
		return event.Without(demanded[0])
	}
	members := slices.Concat(spec.EventMembers(typ), spec.AnyMembers())
	members = slices.DeleteFunc(members, func(m spec.EventMember) bool { return !d.offer.Takes(m.Name) })
	if d.oneIn(4) {
		return event.With("type", spec.StringValue(pick(d.dice, []string{"", "toolcall", "Tool_Call", "outputs", "crow"})))
	}
	m := pick(d.dice, members)
	switch {
	case m.Name == "role" && d.maybe():
		return event.With("role", spec.StringValue(pick(d.dice, []string{"robot", "", "Assistant", "tool"})))
	case m.Name == "type" || m.Required && d.maybe():
		return event.Without(m.Name)
	default:
		return event.With(m.Name, d.wrong(m.Kind))
	}
}

// unknownSettings are names that no setting has.
var unknownSettings = []string{"thresholds", "", "Threshold", "recent_events", "é", "max"}

// faultyConfig returns the configuration with one member that must be refused.
func (d *draft) faultyConfig(config spec.Value) spec.Value {
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	p := pick(d.dice, d.settings)
	if wrong := fromCases().refused[p.Name]; wrong != nil && d.offer.HasSetting(p.Name) && d.maybe() {
		return config.With(p.Name, pick(d.dice, wrong))
	}
	if d.oneIn(4) || !d.offer.HasSetting(p.Name) {
		return config.With(pick(d.dice, unknownSettings), spec.IntValue(3))
	}
	return d.shuffled(config.With(p.Name, d.spoiled(d.setting(p))))
}
