package generate

import "github.com/loopstone/loopstone/spec"

// The types of events as values.
var (
	toolCall   = spec.StringValue(string(spec.ToolCall))
	toolResult = spec.StringValue(string(spec.ToolResult))
	errorEvent = spec.StringValue(string(spec.ErrorEvent))
	message    = spec.StringValue(string(spec.Message))
)

// otherEvents are events of every type; no letter knows them. Each call has a worker, so that a swarm takes it, too.
var otherEvents = []spec.Value{
	spec.MustParse(`{"type":"error","message":"boom"}`),
	spec.MustParse(`{"type":"output","text":"Error: E at f"}`),
	spec.MustParse(`{"type":"message","role":"system","content":"go on"}`),
	spec.MustParse(`{"type":"tool_result","content":"ok"}`),
	spec.MustParse(`{"type":"test_run","passed":false}`),
	spec.MustParse(`{"type":"iteration","elapsed_s":1,"output":"x","failed":true}`),
	spec.MustParse(`{"type":"message","role":"user","content":"stop"}`),
	spec.MustParse(`{"type":"tool_result","content":"","ok":false,"tool":"bash"}`),
	spec.MustParse(`{"type":"tool_call","tool":"other","args":{"n":1},"worker":"w0","unknown":[null]}`),
	spec.MustParse(`{"type":"message","role":"assistant","content":"hm","tool_calls":[{"name":"t"}],"at":7}`),
	spec.MustParse(`{"type":"output","text":""}`),
}

func (d *draft) anyEvent() spec.Value { return pick(d.dice, otherEvents) }

var (
	failedRun = spec.MustParse(`{"type":"test_run","passed":false}`)
	passedRun = spec.MustParse(`{"type":"test_run","passed":true}`)
)

// testRunLetter is of failing tests; near ones pass.
func (d *draft) testRunLetter() letter {
	return func(d *draft, near bool) {
		if near {
			d.emit(passedRun)
			return
		}
		d.emit(failedRun)
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
	members := append(make([]spec.Member, 0, 5),
		spec.Member{Name: "type", Value: toolResult},
		spec.Member{Name: "content", Value: spec.StringValue(content)})
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
		members = append(members, spec.Member{Name: "tool", Value: spec.StringValue(pick(d.dice, toolNames))})
	case d.maybe():
		members = append(members, spec.Member{Name: "tool", Value: spec.StringValue(tool)})
	}
	return members
}

var (
	roles     = []spec.Role{spec.Assistant, spec.User, spec.System}
	saidTexts = []string{"hm", "ok", "", "é"}
	toolLists = []spec.Value{
		spec.ArrayValue(),
		spec.MustParse(`[{"id":"1","name":"t","args":{"a":1,"b":[2]}}]`),
		spec.MustParse(`[{"name":"t","args":{"b":[2],"a":1},"id":"1"}]`),
		spec.MustParse(`["t"]`),
		spec.MustParse(`[{}]`),
	}
)

// messageLetter is of the assistant's messages without tool calls; near ones have some, or are another's.
func (d *draft) messageLetter() letter {
	content := spec.StringValue(pick(d.dice, saidTexts))
	empty := d.maybe()
	return func(d *draft, near bool) {
		role := spec.Assistant
		if near && d.maybe() {
			role = pick(d.dice, roles)
		}
		members := append(make([]spec.Member, 0, 5),
			spec.Member{Name: "type", Value: message},
			spec.Member{Name: "role", Value: spec.StringValue(string(role))},
			spec.Member{Name: "content", Value: content})
		switch {
		case near && d.maybe():
			members = append(members, spec.Member{Name: "tool_calls", Value: pick(d.dice, toolLists)})
		case empty:
			members = append(members, spec.Member{Name: "tool_calls", Value: toolLists[0]})
		}
		d.emit(spec.ObjectValue(members...))
	}
}
