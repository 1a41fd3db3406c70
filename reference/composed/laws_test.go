package composed_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{
		Detector: spec.Composed, New: composed.New, Configs: anyConfig, Traces: anyTrace,
	}.Check(t)
}

// anyConfig draws a configuration that is not refused.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	return rapid.Custom(func(t *rapid.T) spec.Value {
		rules := make([]spec.Value, rapid.IntRange(1, 3).Draw(t, "rules"))
		for i := range rules {
			rules[i] = anyRule(t)
			if i > 0 && rapid.Bool().Draw(t, "like the one before") {
				rules[i] = otherReports(rules[i-1], rules[i])
			}
		}
		return spec.ObjectValue(spec.Member{Name: "rules", Value: spec.ArrayValue(rules...)})
	}).Filter(func(v spec.Value) bool {
		_, err := spec.Define(spec.Composed, composed.New, nil).New(spec.Code, v)
		return err == nil
	}).Draw(t, "config")
}

// otherReports returns a rule that keeps the items of one rule and reports them as another does. Such rules share what
// they remember.
func otherReports(rule, other spec.Value) spec.Value {
	if judged := other.Get("judged"); !judged.IsAbsent() {
		rule = rule.With("judged", judged)
	}
	if silent := other.Get("tools").Get("silent"); !silent.IsAbsent() {
		rule = rule.With("tools", rule.Get("tools").With("silent", silent))
	}
	return rule.With("rungs", other.Get("rungs"))
}

// draft is a rule while it is drawn.
type draft struct {
	t *rapid.T
	v spec.Value
}

// set gives a member one of a few values, or none.
func (d *draft) set(name string, values ...string) string {
	text := rapid.SampledFrom(values).Draw(d.t, name)
	if text != "" {
		d.v = d.v.With(name, spec.MustParse(text))
	}
	return text
}

func (d *draft) under(name string, fill func(*draft)) {
	inner := &draft{t: d.t, v: spec.ObjectValue()}
	fill(inner)
	if len(inner.v.Members()) > 0 {
		d.v = d.v.With(name, inner.v)
	}
}

const off = ""

var someTools = []string{off, off, off, off, `["b"]`, `["*a"]`, `["a?x=1","c"]`, `["a","b"]`, `["*"]`}

func anyRule(t *rapid.T) spec.Value {
	d := &draft{t: t, v: spec.ObjectValue()}
	var by string
	d.under("same", func(d *draft) {
		by = d.set("by", off, off, `"call"`, `"tool"`, `"step"`, `"speech"`, `"message"`, `"piece"`)
		if spoken(by) {
			return
		}
		if d.set("results", off, off, `"text"`, `"any"`) == `"text"` {
			d.set("prefix", off, off, `1`, `3`)
		}
		if by == off || by == `"call"` || by == `"step"` {
			d.set("key_order", off, off, `"kept"`)
			if d.set("keep", off, off, `["x"]`, `["y","z"]`) == off {
				d.set("omit", off, off, `["x"]`, `["y","z"]`)
			}
			d.set("thought", off, off, `true`)
		}
		if by == `"step"` {
			d.set("order", off, `"any"`)
		} else {
			d.set("outcome", off, off, `"ok"`, `"failed"`)
		}
	})
	messages := spoken(by)
	d.under("pattern", func(d *draft) {
		switch d.set("sort", `"run"`, `"among"`, `"cycle"`, `"periodic"`, `"streak"`, `"revisit"`) {
		case `"cycle"`, `"periodic"`:
			d.set("from", off, `1`, `2`)
			d.set("to", off, `2`, `3`)
			d.set("varied", off, off, `true`)

		case `"among"`:
			d.set("counts", off, `"highest"`)
			d.set("full", off, `true`)
			d.set("last", off, `1`, `3`, `5`, `8`)
		case `"streak"`, `"revisit"`:
			d.set("last", off, `1`, `3`, `5`, `8`)
		}
	})
	if !messages {
		d.under("tools", func(d *draft) {
			d.set("only", someTools...)
			d.set("except", someTools...)
			if by != `"step"` {
				d.set("silent", someTools...)
				d.set("watched", someTools...)
			}
		})
	}
	switch d.set("fresh", off, off, `["user"]`, `["reply"]`, `["call"]`, `["message"]`, `["change"]`, `["user","change"]`) {
	case `["change"]`, `["user","change"]`:
		d.set("changes", `["b"]`, `["*a"]`)
	}
	d.set("judged", off, off, `"before"`)
	d.v = d.v.With("rungs", anyLadder(t))
	return d.v
}

// spoken reports whether the items are no calls.
func spoken(by string) bool { return by == `"speech"` || by == `"message"` || by == `"piece"` }

func anyLadder(t *rapid.T) spec.Value {
	rungs := make([]spec.Value, rapid.IntRange(1, 3).Draw(t, "rungs"))
	at := 0
	for i := range rungs {
		d := &draft{t: t, v: spec.ObjectValue()}
		at += rapid.IntRange(1, 2).Draw(t, "at")
		d.v = d.v.With("at", spec.IntValue(at))
		d.set("speaks", off, off, `"once"`, `"restart"`, `"stays"`)
		rungs[i] = d.v
	}
	return spec.ArrayValue(rungs...)
}

// anyTrace draws what one agent did: a few motifs, each several times.
func anyTrace(t *rapid.T) []spec.Event {
	var trace []spec.Event
	for range rapid.IntRange(0, 6).Draw(t, "motifs") {
		motif := slices.Concat(rapid.SliceOfN(rapid.Custom(someEvents), 1, 3).Draw(t, "motif")...)
		trace = append(trace, slices.Repeat(motif, rapid.IntRange(1, 5).Draw(t, "rounds"))...)
	}
	return trace
}

// someEvents draws a few events that belong together.
func someEvents(t *rapid.T) []spec.Event {
	kind := rapid.IntRange(0, 19).Draw(t, "kind")
	switch kind {
	case 0:
		return []spec.Event{{Type: spec.Reply}}
	case 1:
		return []spec.Event{{Type: spec.Message, Role: rapid.SampledFrom(spec.Roles()).Draw(t, "role"), Content: pick(t, "m", "n")}}
	case 2:
		return []spec.Event{{Type: spec.Delta, Channel: spec.Answer, Text: pick(t, "x", "x", "y", "")}}
	case 3:
		return []spec.Event{anyCall(t)}
	case 4:
		return []spec.Event{anyAnswer(t)}
	case 5:
		one, other := anyCall(t), anyCall(t)
		one.ID, one.HasID, other.ID, other.HasID = "1", true, "2", true
		a, b := anyAnswer(t), anyAnswer(t)
		a.Call, a.HasCall, b.Call, b.HasCall = "2", true, "1", true
		return []spec.Event{one, other, a, b}
	case 6:
		return []spec.Event{{Type: spec.Reply}, anyCall(t), anyAnswer(t), anyCall(t), anyAnswer(t)}
	case 7, 8, 9:
		return []spec.Event{{Type: spec.Reply}, anyCall(t), anyAnswer(t)}
	default:
		return []spec.Event{anyCall(t), anyAnswer(t)}
	}
}

func pick(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "text") }

func anyCall(t *rapid.T) spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "a", "a", "b", "ca")}
	e.Args = spec.MustParse(pick(t, `{}`, `{}`, `{"x":"1"}`, `{"x":2,"y":[{"x":1}]}`, `{"y":[{"x":1.0}],"x":2}`, `{"y":[{}]}`))
	if rapid.IntRange(0, 9).Draw(t, "id") == 0 {
		e.ID, e.HasID = pick(t, "1", "2"), true
	}
	if rapid.IntRange(0, 4).Draw(t, "thought") == 0 {
		e.Thought, e.HasThought = "hm", true
	}
	return e
}

func anyAnswer(t *rapid.T) spec.Event {
	text := pick(t, "r", "r", "r", "s", "réd", "rée", `{"exit_code":1,"x":3}`, `{"x":4,"exit_code":1}`, `[{"x":1}]`, `"x"`)
	e := spec.Event{Type: spec.ToolResult, Content: text, OK: rapid.IntRange(0, 3).Draw(t, "fails") > 0}
	if rapid.IntRange(0, 5).Draw(t, "error") == 0 {
		e = spec.Event{Type: spec.ErrorEvent, Message: text}
	}
	if rapid.IntRange(0, 9).Draw(t, "call") == 0 {
		e.Call, e.HasCall = fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "whose")), true
	}
	return e
}
