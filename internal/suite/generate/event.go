package generate

import (
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// is returns the first member of an event of that type.
func is(t spec.EventType) spec.Member { return says("type", string(t)) }

// says returns a member with a text.
func says(name, text string) spec.Member {
	return spec.Member{Name: name, Value: spec.StringValue(text)}
}

// otherEvents are events of every type; no letter knows them. Each call has a worker, so that a swarm takes it, too.
var otherEvents = parsed(
	`{"type":"error","message":"boom"}`, `{"type":"output","text":"Error: E at f"}`,
	`{"type":"message","role":"system","content":"go on"}`, `{"type":"tool_result","content":"ok"}`,
	`{"type":"test_run","passed":false}`, `{"type":"iteration","elapsed_s":1,"output":"x","failed":true}`,
	`{"type":"message","role":"user","content":"stop"}`, `{"type":"tool_result","content":"","ok":false,"tool":"bash"}`,
	`{"type":"tool_call","tool":"other","args":{"n":1},"worker":"w0","unknown":[null]}`,
	`{"type":"message","role":"assistant","content":"hm","tool_calls":[{"name":"t"}],"at":7}`, `{"type":"output","text":""}`,
)

// strayEvent returns an event that no letter knows; a reply, where the port knows that type.
func (d *draft) strayEvent() spec.Value {
	if d.offer.Takes(string(spec.Reply)) && d.oneIn(8) {
		return pick(d.dice, replyEvents)
	}
	return pick(d.dice, otherEvents)
}

// otherLetter is of one of these events, again and again.
func (d *draft) otherLetter() letter {
	event := pick(d.dice, otherEvents)
	return func(d *draft, _ bool) { d.emit(event) }
}

var replyEvents = parsed(`{"type":"reply"}`, `{"type":"reply","cost_usd":0.25,"input_tokens":9,"output_tokens":1}`)

// testRunLetter is of failing tests; near ones pass.
func (d *draft) testRunLetter() letter {
	return func(d *draft, near bool) {
		d.emit(spec.ObjectValue(is(spec.TestRun), spec.Member{Name: "passed", Value: spec.BoolValue(near)}))
	}
}

// resultLetter is of failing commands; near ones succeed.
func (d *draft) resultLetter() letter {
	return func(d *draft, near bool) { d.emitResult("bash", "", near) }
}

// workLetter is of calls whose results come at once.
func (d *draft) workLetter() letter {
	call := d.callLetter()
	ok := d.oneIn(4)
	return func(d *draft, near bool) {
		call(d, near)
		d.emitResult("bash", "", ok != near)
	}
}

// emitResult appends a result. It says whose it is by the tool, by a call, by both or not at all.
func (d *draft) emitResult(tool, content string, ok bool) {
	members := []spec.Member{is(spec.ToolResult), says("content", content)}
	if !ok || d.oneIn(4) {
		members = append(members, spec.Member{Name: "ok", Value: spec.BoolValue(ok)})
	}
	d.emit(spec.ObjectValue(d.belonging(members, tool)...))
}

// belonging appends to the members of an outcome those that say which call it is of.
func (d *draft) belonging(members []spec.Member, tool string) []spec.Member {
	if d.named && d.maybe() {
		members = append(members, spec.Member{Name: "call", Value: d.earlierID()})
	}
	switch {
	case d.oneIn(16):
		members = append(members, says("tool", pick(d.dice, toolNames)))
	case d.maybe():
		members = append(members, says("tool", tool))
	}
	return members
}

var (
	roles     = []spec.Role{spec.Assistant, spec.User, spec.System}
	saidTexts = []string{"hm", "ok", "", "é"}
	toolLists = parsed(`[]`, `[{"id":"1","name":"t","args":{"a":1,"b":[2]}}]`,
		`[{"name":"t","args":{"b":[2],"a":1},"id":"1"}]`, `["t"]`, `[{}]`)
)

// messageLetter is of the assistant's messages without tool calls; near ones have some, or are another's.
func (d *draft) messageLetter() letter {
	content := pick(d.dice, saidTexts)
	empty := d.maybe()
	return func(d *draft, near bool) {
		role := spec.Assistant
		if near && d.maybe() {
			role = pick(d.dice, roles)
		}
		members := []spec.Member{is(spec.Message), says("role", string(role)), says("content", content)}
		switch {
		case near && d.maybe():
			members = append(members, spec.Member{Name: "tool_calls", Value: pick(d.dice, toolLists)})
		case empty:
			members = append(members, spec.Member{Name: "tool_calls", Value: toolLists[0]})
		}
		d.emit(spec.ObjectValue(members...))
	}
}

// iterationLetter is of iterations that print the same and end the same; near ones end otherwise, or print something
// else. Time goes on, mostly.
func (d *draft) iterationLetter() letter {
	text, failed := d.output(), d.maybe()
	return func(d *draft, near bool) {
		output, failed := text, failed
		if near {
			if d.maybe() {
				output = d.nearOutput(text)
			} else {
				failed = !failed
			}
		}
		d.emit(spec.ObjectValue(
			is(spec.Iteration), spec.Member{Name: "elapsed_s", Value: d.elapsed()}, says("output", output),
			spec.Member{Name: "failed", Value: spec.BoolValue(failed)}))
	}
}

// oddTimes are no times that an agent would tell.
var oddTimes = numbers("0", "-1", "0.999", "1e1", "2.0", "1e-7", "1e300", "-0.0")

// elapsed returns the seconds since the start: in steps of a half, so that a limit of whole seconds is met exactly,
// just missed and passed.
func (d *draft) elapsed() spec.Value {
	if d.oneIn(32) {
		return pick(d.dice, oddTimes)
	}
	d.clock += d.below(3)
	if d.clock%2 == 0 {
		return spec.IntValue(d.clock / 2)
	}
	return spec.FloatValue(float64(d.clock) / 2)
}

// samples holds values of every kind; a fault has one of a kind that is wrong where it stands.
var samples = parsed(`null`, `true`, `1`, `"1"`, `[]`, `{}`, `false`, `0`, `""`, `[1]`)

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

// broken returns the event with one fault: in its type, in a member that is missing or of a wrong kind, in its role, or in
// that a member is missing which this detector alone demands.
func (d *draft) broken(event spec.Value) spec.Value {
	typ, _ := event.Get("type").Str()
	if demanded := d.Demands[spec.EventType(typ)]; len(demanded) > 0 && d.oneIn(4) {
		return event.Without(demanded[0])
	}
	members := d.known(spec.EventMembers(spec.EventType(typ)))
	if len(members) == 0 || d.oneIn(4) {
		return d.brokenType(event)
	}
	m := pick(d.dice, members)
	switch {
	case d.oneIn(8):
		m = pick(d.dice, d.known(spec.AnyMembers()))
		return event.With(m.Name, d.wrong(m.Kind))
	case m.Name == "role" && d.maybe():
		return event.With("role", spec.StringValue(pick(d.dice, []string{"robot", "", "Assistant", "tool"})))
	case m.Required && d.maybe():
		return event.Without(m.Name)
	default:
		return event.With(m.Name, d.wrong(m.Kind))
	}
}

// known returns the members that the port checks.
func (d *draft) known(members []spec.EventMember) []spec.EventMember {
	return slices.DeleteFunc(slices.Clone(members), func(m spec.EventMember) bool { return !d.offer.Takes(m.Name) })
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
	wrongSettings   = parsed(`-1`, `null`, `true`, `"3"`, `2.5`, `-0.5`, `[]`, `{}`, `false`, `[3]`)
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
