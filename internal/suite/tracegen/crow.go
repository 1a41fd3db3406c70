package tracegen

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// crowCommon draws whether all templates of the trace are of one sort, as in many a trace, for a rule about twelve
// steps in a row is not met among other things; and whether two of them take turns. That needs two events a round, and
// four where each call is answered: the trace becomes as long as that, whatever its length was to be.
func (d *draft) crowCommon() {
	events := 0 // of a round
	switch {
	case d.oneIn(4):
		d.templates, events = []func(*draft) template{(*draft).stepTemplate}, 4
	case d.oneIn(8):
		d.templates, events = []func(*draft) template{(*draft).loneCallTemplate}, 2
	case d.oneIn(8):
		d.templates = []func(*draft) template{(*draft).messageTemplate}
	}
	if events > 0 && d.maybe() {
		d.turns = true
		d.most = max(d.most, events*d.alternations+d.below(12))
	}
}

var (
	contents   = []string{"out", "", "out ", "Out", " out", "boom", "é"}
	errorTexts = []string{
		"boom", "", "Boom", "boom ", " boom", "Context window exceeded", "maximum CONTEXT LENGTH reached",
		"a context of its own", "contextual",
		"CONTEXT  window", "context\u00a0length", "cont ext", "conteXt Window", "ConteKt", "ccontext", "Ccontext window",
		"é😀" + longStart + longStart, "context",
	}
	errorTypes = []string{"context_length_exceeded", "io", "context_length_exceeded ", "", "Context_Length_Exceeded"}
)

// outcome is what comes of a call, again and again.
type outcome struct {
	fails bool   // with an error
	text  string // content or message
	typ   string // error_type; none where it is empty
	ok    bool
}

func (d *draft) outcome() outcome {
	if d.oneIn(4) {
		return d.failure()
	}
	return outcome{text: pick(d.dice, contents), ok: !d.oneIn(4)}
}

func (d *draft) failure() outcome {
	o := outcome{fails: true, text: pick(d.dice, errorTexts)}
	if d.oneIn(4) {
		o.typ = pick(d.dice, errorTypes)
	}
	return o
}

// emitOutcome appends what came of a call of the tool.
func (d *draft) emitOutcome(tool string, o outcome) {
	if !o.fails {
		d.emitResult(tool, o.text, o.ok)
		return
	}
	members := []spec.Member{is(spec.ErrorEvent), says("message", o.text)}
	if o.typ != "" || d.oneIn(16) {
		members = append(members, says("error_type", o.typ))
	}
	d.emit(spec.ObjectValue(d.belonging(members, tool)...))
}

// crowCall is the call of a template.
type crowCall struct {
	tool string
	args spec.Value
}

var crowTools = []string{"a", "b", "a", "bash", "é'", ""}

// crowCall draws a call, mostly a plain one: that calls are identical is the rare thing.
func (d *draft) crowCall() crowCall {
	c := crowCall{pick(d.dice, crowTools), spec.ObjectValue()}
	if d.oneIn(4) {
		c.args = d.callArgs(c.tool)
	}
	return c
}

func (d *draft) emitCrowCall(c crowCall, near bool) {
	if near && d.maybe() {
		c.args = d.nearArgs(c.args)
	}
	d.emitCall(c.tool, c.args)
}

// stepTemplate is of calls with their outcomes; near ones bring something else, or are another call.
func (d *draft) stepTemplate() template {
	c, o := d.crowCall(), d.outcome()
	return func(d *draft, near bool) {
		d.emitCrowCall(c, near)
		if near && d.maybe() {
			o = d.outcome()
		}
		d.emitOutcome(c.tool, o)
	}
}

// loneCallTemplate is of calls that are not answered.
func (d *draft) loneCallTemplate() template {
	c := d.crowCall()
	return func(d *draft, near bool) { d.emitCrowCall(c, near) }
}

// parallelTemplate is of two or three calls that are made at once and answered in any order; near ones lack an answer,
// or have one too many.
func (d *draft) parallelTemplate() template {
	c, o := d.crowCall(), d.outcome()
	calls := d.between(2, 3)
	return func(d *draft, near bool) {
		ids := make([]spec.Value, calls)
		for i := range ids {
			ids[i] = d.id()
			d.emit(spec.ObjectValue(is(spec.ToolCall), says("tool", c.tool),
				spec.Member{Name: "args", Value: c.args}, spec.Member{Name: "id", Value: ids[i]}))
		}
		if d.maybe() {
			slices.Reverse(ids)
		}
		if near {
			ids[0] = ids[calls-1]
		}
		typ, text := spec.ToolResult, "content"
		if o.fails {
			typ, text = spec.ErrorEvent, "message"
		}
		for _, id := range ids {
			d.emit(spec.ObjectValue(is(typ), says(text, o.text), spec.Member{Name: "call", Value: id}))
		}
	}
}
