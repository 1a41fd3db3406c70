package generate

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

var crowKinds = []string{
	"repeating_action", "repeating_error", "monologue", "alternating", "context_error", "", "exact", "Monologue", "null",
}

func (d *draft) crowKind() spec.Value { return spec.StringValue(pick(d.dice, crowKinds)) }

// promptEvents draws events whose texts are printable ASCII; there may be more than a prompt shows.
func (d *draft) promptEvents() spec.Value {
	items := make([]spec.Value, d.below(26))
	for i := range items {
		items[i] = d.promptEvent()
	}
	if len(items) > 0 && d.oneIn(16) {
		items[d.below(len(items))] = pick(d.dice, parsed(`{}`, `null`, `{"type":"error"}`, `{"type":"nothing"}`, `"x"`))
	}
	return spec.ArrayValue(items...)
}

func (d *draft) promptEvent() spec.Value {
	member := func(name, text string) spec.Member { return spec.Member{Name: name, Value: spec.StringValue(text)} }
	switch d.below(5) {
	case 0, 1:
		s := speller{d.dice, d.ascii, asciiKeys, d.numbers}
		call := spec.ObjectValue(member("type", "tool_call"), member("tool", pick(d.dice, asciiTexts)))
		if d.oneIn(8) {
			return call
		}
		return call.With("args", spec.ObjectValue(s.members(nil, d.between(0, 3), 2)...))
	case 2:
		return spec.ObjectValue(member("type", "tool_result"), member("content", d.ascii()))
	case 3:
		return spec.ObjectValue(member("type", "message"), member("role", string(pick(d.dice, roles))), member("content", d.ascii()))
	default:
		if d.maybe() {
			return pick(d.dice, otherEvents[:8])
		}
		return spec.ObjectValue(member("type", "error"), member("message", d.ascii()))
	}
}

// brokenReplies are no objects of JSON.
var brokenReplies = []string{
	"", "no", "null", "[]", "1", `"x"`, `{"is_stuck":true`, "```json\n{\"is_stuck\":true}\n```", `Yes: {"is_stuck":true}`, "{'is_stuck':true}",
	`{"is_stuck":True}`, `[{"is_stuck":true}]`, `{"is_stuck":true} .`, "{}", "true",
}

// reply draws what a model may answer.
func (d *draft) reply() string {
	if d.oneIn(8) {
		return pick(d.dice, brokenReplies)
	}
	var members []spec.Member
	add := func(name string, v spec.Value) {
		if !d.oneIn(4) {
			members = append(members, spec.Member{Name: name, Value: v})
		}
	}
	add("loop_type", d.crowKind())
	if d.oneIn(8) {
		members = []spec.Member{{Name: "loop_type", Value: spec.NullValue()}}
	}
	if !d.oneIn(8) {
		members = append(members, spec.Member{Name: "is_stuck", Value: spec.BoolValue(!d.oneIn(8))})
	}
	add("cycle_count", spec.IntValue(d.below(9)))
	add("explanation", spec.StringValue(d.text()))
	add("suggestion", spec.StringValue(d.text()))
	add("confidence", pick(d.dice, numbers("0.7", "0.95", "0", "1", "0.5", "1.0", "5e-1")))
	add("other", d.speller().value(2))
	return fmt.Sprintf("%[2]s%[1]s%[2]s", d.shuffled(spec.ObjectValue(members...)), pick(d.dice, []string{"", " ", "\n", "\t\r\n"}))
}
