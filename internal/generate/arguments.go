package generate

import "github.com/loopstone/loopstone/spec"

// argument draws one argument of a function.
type argument struct {
	name     string
	draw     func(*draft) spec.Value
	optional bool
}

func text(name string, draw func(*draft) string) argument {
	return argument{name: name, draw: func(d *draft) spec.Value { return spec.StringValue(draw(d)) }}
}

func optionalText(name string) argument {
	a := text(name, anyText)
	a.optional = true
	return a
}

func integer(name string, least, most int) argument {
	return argument{name: name, draw: func(d *draft) spec.Value { return spec.IntValue(d.between(least, most)) }}
}

func anyText(d *draft) string { return d.text() }

// functionArguments has how the arguments of each function are drawn.
var functionArguments = map[string]func(*draft) spec.Value{
	"fingerprint.compute": (*draft).callArguments,
	"fingerprint.nudge":   eachOf(text("tool", toolName), integer("count", 1, 12)),
	"signature.extract":   eachOf(text("output", func(d *draft) string { return d.output() })),
	"signature.report": eachOf(
		text("signature", anyText), integer("threshold", 1, 12), argument{name: "iterations", draw: (*draft).iterations}),
	"history.hash": (*draft).callArguments,
	"crow.recovery": eachOf(
		argument{name: "kind", draw: (*draft).crowKind, optional: true},
		argument{name: "count", draw: func(d *draft) spec.Value { return spec.IntValue(d.below(20)) }, optional: true},
		optionalText("pattern"), optionalText("suggestion"), optionalText("task")),
	"crow.ai_prompt": eachOf(argument{name: "events", draw: (*draft).promptEvents}),
	"crow.ai_parse":  eachOf(text("reply", (*draft).reply)),
	"swarm.merge":    eachOf(argument{name: "states", draw: (*draft).states}),
	"ralph.ratio":    (*draft).texts,
}

// eachOf returns a function that draws an object of the arguments, where optional ones are absent at times.
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

// arguments draws those of a function; seldom with one fault.
func (d *draft) arguments(function string) spec.Value {
	args := functionArguments[function](d)
	switch {
	case d.oneIn(8):
		return d.faultyArguments(args)
	case d.oneIn(16):
		return args.With("unknown argument", spec.NullValue())
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
	return spec.ObjectValue(
		spec.Member{Name: "tool", Value: spec.StringValue(tool)}, spec.Member{Name: "args", Value: args})
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
	return spec.ObjectValue(
		spec.Member{Name: "a", Value: spec.StringValue(string(a))}, spec.Member{Name: "b", Value: spec.StringValue(b)})
}

// faultyArguments returns arguments with one that is missing or of a wrong kind.
func (d *draft) faultyArguments(args spec.Value) spec.Value {
	if len(args.Members()) == 0 {
		return args
	}
	m := pick(d.dice, args.Members())
	switch {
	case d.maybe():
		return args.Without(m.Name)
	case m.Value.Kind() == spec.Number:
		return args.With(m.Name, pick(d.dice, wrongCounts))
	default:
		return args.With(m.Name, d.wrong(m.Value.Kind()))
	}
}

var wrongCounts = parsed(`-1`, `"3"`, `true`, `2.5`, `null`)

// iterations draws what signature.report lists, seldom with an item that it must refuse.
func (d *draft) iterations() spec.Value {
	items := make([]spec.Value, d.below(5))
	for i := range items {
		items[i] = spec.ObjectValue(
			spec.Member{Name: "number", Value: spec.IntValue(i*d.below(3) - 1)},
			spec.Member{Name: "output", Value: spec.StringValue(d.text())})
	}
	if len(items) > 0 && d.oneIn(16) {
		items[len(items)-1] = pick(d.dice, wrongIterations)
	}
	return spec.ArrayValue(items...)
}

var wrongIterations = parsed(`{"number":1}`, `{"output":"x"}`, `{"number":"1","output":"x"}`, `{"number":1.5,"output":"x"}`,
	`{"number":1,"output":null}`, `null`, `"x"`, `[]`)
