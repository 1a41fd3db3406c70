package generate

import (
	"slices"

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

// eventMember is a member of an event: its kind, and whether the event cannot be without it.
type eventMember struct {
	name     string
	kind     spec.Kind
	required bool
}

// eventMembers is the protocol's table of events.
var eventMembers = map[spec.EventType][]eventMember{
	spec.ToolCall: {
		{"tool", spec.String, true}, {"args", spec.Object, false}, {"id", spec.String, false}, {"worker", spec.String, false},
	},
	spec.ToolResult: {
		{"content", spec.String, true}, {"tool", spec.String, false}, {"call", spec.String, false}, {"ok", spec.Bool, false},
	},
	spec.ErrorEvent: {
		{"message", spec.String, true}, {"error_type", spec.String, false}, {"call", spec.String, false}, {"tool", spec.String, false},
	},
	spec.Message: {
		{"role", spec.String, true}, {"content", spec.String, true}, {"tool_calls", spec.Array, false},
	},
	spec.Output:  {{"text", spec.String, true}},
	spec.TestRun: {{"passed", spec.Bool, true}},
	spec.Iteration: {
		{"elapsed_s", spec.Number, true}, {"output", spec.String, true}, {"failed", spec.Bool, true},
	},
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

// broken returns the event with one fault: in its type, in a member that is missing or of a wrong kind, in its role, or,
// in a swarm, in that nobody made the call.
func (d *draft) broken(event spec.Value) spec.Value {
	typ, _ := event.Get("type").Str()
	if d.detector == spec.Swarm && typ == string(spec.ToolCall) && d.oneIn(4) {
		return event.Without("worker")
	}
	m := pick(d.dice, eventMembers[spec.EventType(typ)])
	switch {
	case d.oneIn(4):
		return d.brokenType(event)
	case d.oneIn(8):
		return event.With("at", d.wrong(spec.Number))
	case m.name == "role" && d.maybe():
		return event.With("role", spec.StringValue(pick(d.dice, []string{"robot", "", "Assistant", "tool"})))
	case m.required && d.maybe():
		return event.Without(m.name)
	default:
		return event.With(m.name, d.wrong(m.kind))
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
	known := slices.DeleteFunc(slices.Clone(d.world.settings), func(s setting) bool { return !d.has(s) })
	s := pick(d.dice, known)
	return d.shuffled(config.With(s.name, d.wrongSetting(s)))
}

func (d *draft) wrongSetting(s setting) spec.Value {
	switch {
	case s.name == "normalize":
		return pick(d.dice, wrongNormalize)
	case s.name == "tool_limits":
		return pick(d.dice, wrongLimits)
	case s.name == "signature":
		return pick(d.dice, wrongSignatures)
	case s.name != "recent" && d.oneIn(4):
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
