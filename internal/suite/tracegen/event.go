package tracegen

import "github.com/loopstone/loopstone/spec"

// is returns the first member of an event of that type.
func is(t spec.EventType) spec.Member { return says("type", string(t)) }

// says returns a member with a text.
func says(name, text string) spec.Member {
	return spec.Member{Name: name, Value: spec.StringValue(text)}
}

// otherEvents are events of every type; no template knows them. Each call has a worker, so that a swarm takes it, too.
var otherEvents = []string{
	`{"type":"error","message":"boom"}`, `{"type":"output","text":"Error: E at f"}`,
	`{"type":"message","role":"system","content":"go on"}`, `{"type":"tool_result","content":"ok"}`,
	`{"type":"test_run","passed":false}`, `{"type":"iteration","elapsed_s":1,"output":"x","failed":true}`,
	`{"type":"message","role":"user","content":"stop"}`, `{"type":"tool_result","content":"","ok":false,"tool":"bash"}`,
	`{"type":"tool_call","tool":"other","args":{"n":1},"worker":"w0","unknown":[null]}`,
	`{"type":"message","role":"assistant","content":"hm","tool_calls":[{"name":"t"}],"at":7}`,
	`{"type":"output","text":""}`,
}

// strayEvent returns an event that no template knows; a reply, where the port knows that type.
func (d *draft) strayEvent() spec.Value {
	if d.offer.Takes(string(spec.Reply)) && d.oneIn(8) {
		return pickJSON(d.dice, replyEvents)
	}
	return pickJSON(d.dice, otherEvents)
}

// otherTemplate is of one of these events, again and again.
func (d *draft) otherTemplate() template {
	event := pickJSON(d.dice, otherEvents)
	return func(d *draft, _ bool) { d.emit(event) }
}

var replyEvents = []string{`{"type":"reply"}`, `{"type":"reply","cost_usd":0.25,"input_tokens":9,"output_tokens":1}`}

// testRunTemplate is of failing tests; near ones pass.
func (d *draft) testRunTemplate() template {
	return func(d *draft, near bool) {
		d.emit(spec.ObjectValue(is(spec.TestRun), spec.Member{Name: "passed", Value: spec.BoolValue(near)}))
	}
}

// resultTemplate is of failing commands; near ones succeed.
func (d *draft) resultTemplate() template {
	return func(d *draft, near bool) { d.emitResult("bash", "", near) }
}

// workTemplate is of calls whose results come at once.
func (d *draft) workTemplate() template {
	call := d.callTemplate()
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
	toolLists = []string{
		`[]`, `[{"id":"1","name":"t","args":{"a":1,"b":[2]}}]`,
		`[{"name":"t","args":{"b":[2],"a":1},"id":"1"}]`, `["t"]`, `[{}]`,
	}
)

// messageTemplate is of the assistant's messages without tool calls; near ones have some, or are another's.
func (d *draft) messageTemplate() template {
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
			members = append(members, spec.Member{Name: "tool_calls", Value: pickJSON(d.dice, toolLists)})
		case empty:
			members = append(members, spec.Member{Name: "tool_calls", Value: spec.ArrayValue()})
		}
		d.emit(spec.ObjectValue(members...))
	}
}

// iterationTemplate is of iterations that print the same and end the same; near ones end otherwise, or print something
// else. Time goes on, mostly.
func (d *draft) iterationTemplate() template {
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
var oddTimes = []string{"0", "-1", "0.999", "1e1", "2.0", "1e-7", "1e300", "-0.0"}

// elapsed returns the seconds since the start: in steps of a half, so that a limit of whole seconds is met exactly,
// just missed and passed.
func (d *draft) elapsed() spec.Value {
	if d.oneIn(32) {
		return pickJSON(d.dice, oddTimes)
	}
	d.clock += d.below(3)
	if d.clock%2 == 0 {
		return spec.IntValue(d.clock / 2)
	}
	return spec.FloatValue(float64(d.clock) / 2)
}
