package generate

import (
	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// samples holds values of every kind; a fault has one of a kind that is wrong where it stands.
var samples = []spec.Value{
	spec.NullValue(), spec.BoolValue(true), spec.IntValue(1), spec.StringValue("1"), spec.ArrayValue(), spec.ObjectValue(),
	spec.BoolValue(false), spec.IntValue(0), spec.StringValue(""), spec.ArrayValue(spec.IntValue(1)),
}

// wrong returns a value of another kind.
func (d dice) wrong(kind spec.Kind) spec.Value {
	for {
		if v := pick(d, samples); v.Kind() != kind {
			return v
		}
	}
}

// breakOne puts a fault into one of the events, so that the request that it travels in must be refused.
func (d *draft) breakOne(steps []laws.Step) {
	var places []int
	for i, s := range steps {
		if !s.IsReset() {
			places = append(places, i)
		}
	}
	if len(places) == 0 || len(places) > maxSides {
		return
	}
	i := pick(d.dice, places)
	steps[i].Event = d.broken(steps[i].Event)
}

// broken returns the event with one fault: in its type, in a member that is missing or of a wrong kind, in its role, or in
// that a member is missing which this detector alone demands.
func (d *draft) broken(event spec.Value) spec.Value {
	typ, _ := event.Get("type").Str()
	if demanded := d.Demands[spec.EventType(typ)]; len(demanded) > 0 && d.oneIn(4) {
		return event.Without(demanded[0])
	}
	m := pick(d.dice, spec.EventMembers(spec.EventType(typ)))
	switch {
	case d.oneIn(4):
		return d.brokenType(event)
	case d.oneIn(8):
		return event.With("at", d.wrong(spec.Number))
	case m.Name == "role" && d.maybe():
		return event.With("role", spec.StringValue(pick(d.dice, []string{"robot", "", "Assistant", "tool"})))
	case m.Required && d.maybe():
		return event.Without(m.Name)
	default:
		return event.With(m.Name, d.wrong(m.Kind))
	}
}

func (d *draft) brokenType(event spec.Value) spec.Value {
	switch {
	case d.oneIn(4):
		return event.Without("type")
	case d.maybe():
		return event.With("type", d.wrong(spec.String))
	default:
		return event.With("type", spec.StringValue(pick(d.dice, []string{"", "toolcall", "Tool_Call", "outputs", "crow"})))
	}
}

var (
	unknownSettings = []string{"thresholds", "", "Threshold", "recent_events", "é", "max"}
	wrongSettings   = []spec.Value{
		spec.IntValue(-1), spec.NullValue(), spec.BoolValue(true), spec.StringValue("3"), spec.NumberValue("2.5"), spec.NumberValue("-0.5"),
		spec.ArrayValue(), spec.ObjectValue(), spec.BoolValue(false), spec.ArrayValue(spec.IntValue(3)),
	}
)

// faultyConfig returns the configuration with one member that must be refused.
func (d *draft) faultyConfig(config spec.Value) spec.Value {
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	if d.oneIn(4) {
		return config.With(pick(d.dice, unknownSettings), spec.IntValue(3))
	}
	p := pick(d.dice, d.settings)
	if !d.offer.HasSetting(p.Name) {
		return config.With(pick(d.dice, unknownSettings), spec.IntValue(3))
	}
	return d.shuffled(config.With(p.Name, d.wrongSetting(p)))
}

func (d *draft) wrongSetting(p spec.Parameter) spec.Value {
	switch wrong := d.world.settings[p.Name].wrong; {
	case wrong != nil:
		return pick(d.dice, wrong)
	case p.Least > 0 && d.oneIn(4):
		return spec.IntValue(0)
	default:
		return pick(d.dice, wrongSettings)
	}
}

var (
	wrongNormalize  = parsed(`{}`, `"bash"`, `null`, `[1]`, `["bash",null]`, `true`, `[["bash"]]`)
	wrongLimits     = parsed(`[]`, `{"bash":0}`, `{"bash":null}`, `null`, `{"a":1,"t":true}`, `{"t":-1}`, `"bash"`, `{"t":2.5}`, `{"t":"2"}`, `3`)
	wrongSignatures = parsed(`null`, `[]`, `"text"`, `{"reading":"prose"}`, `{"reading":null}`, `{"reading":""}`, `{"threshold":0}`,
		`{"window":-1}`, `{"threshold":"3"}`, `{"window":true}`, `{"limit":3}`, `{"reading":"code","window":0}`, `3`, `{"reading":["text"]}`)
)

func parsed(texts ...string) []spec.Value {
	list := make([]spec.Value, len(texts))
	for i, text := range texts {
		list[i] = spec.MustParse(text)
	}
	return list
}
