package generate

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// argument draws one argument of a function. One that is optional is absent at times.
type argument struct {
	name     string
	draw     func(*draft) spec.Value
	optional bool
}

func text(draw func(*draft) string) func(*draft) spec.Value {
	return func(d *draft) spec.Value { return spec.StringValue(draw(d)) }
}

func integer(least, most int) func(*draft) spec.Value {
	return func(d *draft) spec.Value { return spec.IntValue(d.between(least, most)) }
}

func (d *draft) anyText() spec.Value { return spec.StringValue(d.text()) }

// functionArguments has how the arguments of each function are drawn.
var functionArguments = map[string]func(*draft) spec.Value{
	"fingerprint.compute": (*draft).callArguments,
	"fingerprint.nudge":   eachOf(argument{"tool", text(toolName), false}, argument{"count", integer(1, 12), false}),
	"signature.extract":   eachOf(argument{"output", text(func(d *draft) string { return d.output() }), false}),
	"signature.report": eachOf(
		argument{"signature", (*draft).anyText, false}, argument{"threshold", integer(1, 12), false},
		argument{"iterations", (*draft).iterations, false}),
	"history.hash": (*draft).callArguments,
	"crow.recovery": eachOf(
		argument{"kind", (*draft).crowKind, true}, argument{"count", integer(-1, 19), true},
		argument{"pattern", (*draft).anyText, true},
		argument{"suggestion", (*draft).anyText, true}, argument{"task", (*draft).anyText, true}),
	"crow.ai_prompt": eachOf(argument{"events", (*draft).promptEvents, false}),
	"crow.ai_parse":  eachOf(argument{"reply", text((*draft).reply), false}),
	"swarm.merge":    eachOf(argument{"states", (*draft).states, false}),
	"ralph.ratio":    (*draft).texts,
}

func eachOf(arguments ...argument) func(*draft) spec.Value {
	return func(d *draft) spec.Value {
		var members []spec.Member
		for _, a := range arguments {
			if !a.optional || !d.oneIn(4) {
				members = append(members, spec.Member{Name: a.name, Value: a.draw(d)})
			}
		}
		return spec.ObjectValue(members...)
	}
}

func toolName(d *draft) string { return pick(d.dice, toolNames) }

// arguments draws those of a function; at times with one fault.
func (d *draft) arguments(function string) spec.Value {
	args := functionArguments[function](d)
	switch {
	case d.oneIn(4):
		return d.spoiled(args)
	default:
		return d.shuffledTop(args)
	}
}

// shuffledTop reorders the arguments themselves at times; what is in them may be printed as received.
func (d *draft) shuffledTop(args spec.Value) spec.Value {
	m := args.Members()
	if len(m) < 2 || d.maybe() {
		return args
	}
	return spec.ObjectValue(append([]spec.Member{m[len(m)-1]}, m[:len(m)-1]...)...)
}

// callArguments draws a tool and its arguments.
func (d *draft) callArguments() spec.Value {
	tool := toolName(d)
	args := d.callArgs(tool)
	if d.oneIn(8) {
		tool = "bash"
		args = args.With("command", spec.StringValue(d.readCommand(pick(d.dice, shellPaths))))
	}
	return spec.ObjectValue(says("tool", tool), spec.Member{Name: "args", Value: args})
}

// texts draws two texts, mostly alike.
func (d *draft) texts() spec.Value {
	a := d.similarText()
	b := string(a)
	switch {
	case d.oneIn(8):
		b = string(d.similarText())
	case !d.oneIn(8):
		b = d.edited(a)
	}
	return spec.ObjectValue(says("a", string(a)), says("b", b))
}

// iterations draws what signature.report lists.
func (d *draft) iterations() spec.Value {
	items := make([]spec.Value, d.below(5))
	for i := range items {
		number := spec.Member{Name: "number", Value: spec.IntValue(i*d.below(3) - 1)}
		items[i] = spec.ObjectValue(number, says("output", d.text()))
	}
	return spec.ArrayValue(items...)
}

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
	return spec.ArrayValue(items...)
}

func (d *draft) promptEvent() spec.Value {
	switch d.below(5) {
	case 0, 1:
		s := speller{d.dice, d.ascii, asciiKeys, d.numbers}
		call := spec.ObjectValue(is(spec.ToolCall), says("tool", pick(d.dice, asciiTexts)))
		if d.oneIn(8) {
			return call
		}
		return call.With("args", spec.ObjectValue(s.members(nil, d.between(0, 3), 2)...))
	case 2:
		return spec.ObjectValue(is(spec.ToolResult), says("content", d.ascii()))
	case 3:
		return spec.ObjectValue(is(spec.Message), says("role", string(pick(d.dice, roles))), says("content", d.ascii()))
	default:
		if d.maybe() {
			return pick(d.dice, otherEvents[:8])
		}
		return spec.ObjectValue(is(spec.ErrorEvent), says("message", d.ascii()))
	}
}

// brokenReplies are no objects of JSON.
var brokenReplies = []string{
	"", "no", "null", "[]", "1", `"x"`, `{"is_stuck":true`, "```json\n{\"is_stuck\":true}\n```",
	`Yes: {"is_stuck":true}`, "{'is_stuck':true}",
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
	blank := pick(d.dice, []string{"", " ", "\n", "\t\r\n"})
	return blank + d.shuffled(spec.ObjectValue(members...)).String() + blank
}

// known is a fingerprint of a swarm's state and the tool of its calls. D1 spells out one form of fingerprint; the
// others are opaque.
type known struct{ fingerprint, tool string }

var knownFingerprints = []known{
	{"bash:file_read:a.ts", "bash"},
	{"bash:file_read:b.ts", "bash"},
	{"f", "read_file"},
	{"g", "t"},
	{"h", "é"},
	{"\uff5e", "t"},
	{"😀", "t"},
	{"", ""},
	{"a\"b", "t"},
	{"F", "read_file"},
}

// largestCount is the largest number of calls that a state may hold.
const largestCount = 1<<53 - 1

// states draws what parts of a swarm counted.
func (d *draft) states() spec.Value {
	items := make([]spec.Value, d.below(5))
	most := largestCount / max(len(items), 1) // the sum of all states stays within what a state may hold
	for i := range items {
		items[i] = d.state(most)
	}
	return spec.ArrayValue(items...)
}

// state draws a state in any order of its parts, with counts up to most.
func (d *draft) state(most int) spec.Value {
	var entries []spec.Value
	first := d.below(len(knownFingerprints))
	for range d.below(5) {
		first = (first + 1 + d.below(2)) % len(knownFingerprints)
		known := knownFingerprints[first]
		if !slices.ContainsFunc(entries, func(e spec.Value) bool {
			return e.Get("fingerprint").Equal(spec.StringValue(known.fingerprint))
		}) {
			entries = append(entries, d.entry(known, most))
		}
	}
	return stateOf(entries)
}

func stateOf(entries []spec.Value) spec.Value {
	return spec.ObjectValue(spec.Member{Name: "fingerprints", Value: spec.ArrayValue(entries...)})
}

// entry draws what is known of a fingerprint.
func (d *draft) entry(k known, most int) spec.Value {
	names := slices.Concat(workers, oddWorkers)
	for i := range names {
		j := d.below(i + 1)
		names[i], names[j] = names[j], names[i]
	}
	names = names[:d.between(1, len(names))]
	count := len(names) + d.below(12)
	if d.oneIn(64) {
		count = most
	}
	if most == largestCount && d.oneIn(64) {
		count = most + 1 // more than a state may hold
	}
	tool := k.tool
	if d.oneIn(64) {
		tool = "another" // no fault in one state, but one where another state knows the fingerprint, too
	}
	v := spec.ObjectValue(says("fingerprint", k.fingerprint), says("tool", tool),
		spec.Member{Name: "count", Value: spec.IntValue(count)},
		spec.Member{Name: "workers", Value: spec.ArrayValue(names...)})
	if d.oneIn(4) {
		return d.shuffledTop(v)
	}
	return v
}
