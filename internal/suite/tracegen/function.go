package tracegen

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// functionArguments has how the arguments of functions are drawn that are about what traces hold too. Those of all
// others are put together from the cases.
var functionArguments = map[string]func(*draft) spec.Value{
	"fingerprint.compute": (*draft).callArguments,
	"history.hash":        (*draft).callArguments,
	"signature.extract":   func(d *draft) spec.Value { return spec.ObjectValue(says("output", d.output())) },
	"crow.ai_parse":       func(d *draft) spec.Value { return spec.ObjectValue(says("reply", d.reply())) },
	"ralph.ratio":         (*draft).texts,
}

// canBeCalled reports whether the arguments of a function can be drawn.
func canBeCalled(function string) bool {
	return functionArguments[function] != nil || fromCases().calls[function] != nil
}

// calls returns the arguments of the cases' calls of a function, as far as the port may be asked them.
func (s *scope) calls(function string) (args []spec.Value) {
	isMissing := func(f spec.Feature) bool { return !slices.Contains(s.offer.Features, f) }
	for _, call := range fromCases().calls[function] {
		if !slices.ContainsFunc(call.needs, isMissing) {
			args = append(args, call.args)
		}
	}
	return args
}

// arguments draws those of a function; at times with one fault.
func (d *draft) arguments(function string) spec.Value {
	draw, text := functionArguments[function], d.text
	if function == "crow.ai_prompt" {
		text = d.ascii // a port may write other characters as it likes
	}
	if draw == nil {
		draw = func(d *draft) spec.Value { return d.recombined(d.calls(function), text) }
	}
	args := draw(d)
	if d.oneIn(4) {
		return d.spoiled(args)
	}
	return d.shuffledTop(args)
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
	tool := pick(d.dice, toolNames)
	args := d.callArgs(tool)
	if d.oneIn(8) {
		tool = "bash"
		args = args.With("command", spec.StringValue(d.readCommand(pick(d.dice, shellPaths))))
	}
	return spec.ObjectValue(says("tool", tool), spec.Member{Name: "args", Value: args})
}

// texts draws two texts, mostly alike.
func (d *draft) texts() spec.Value {
	longest := slices.Max(similarLengths)
	a := d.similarText(longest)
	b := string(a)
	switch {
	case d.oneIn(8):
		b = string(d.similarText(longest))
	case !d.oneIn(8):
		b = d.edited(a)
	}
	return spec.ObjectValue(says("a", string(a)), says("b", b))
}

// reply draws what a model may answer: a reply of the cases or, of those that are objects, one put together from
// several.
func (d *draft) reply() string {
	var objects []spec.Value
	var replies []string
	for _, args := range d.calls("crow.ai_parse") {
		text := args.Get("reply").Text()
		replies = append(replies, text)
		if v, err := spec.ParseValue([]byte(text)); err == nil && v.Kind() == spec.Object {
			objects = append(objects, v)
		}
	}
	if d.oneIn(8) {
		return pick(d.dice, replies)
	}
	blank := pick(d.dice, []string{"", " ", "\n", "\t\r\n"})
	return blank + d.shuffled(d.recombined(objects, d.text)).String() + blank
}
