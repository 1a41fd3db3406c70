package cases

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Write returns cases of one detector as a case file that [Parse] reads back to the same demands. It panics where
// there is no case, or where they are of several detectors.
func Write(all ...Case) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# yaml-language-server: $schema=%s\n", schemaURL)
	fmt.Fprintf(&b, "detector: %s\ncases:\n", flow(spec.StringValue(string(all[0].Detector))))
	for i, c := range all {
		if c.Detector != all[0].Detector {
			panic(fmt.Sprintf("cases of %s and %s in one file", all[0].Detector, c.Detector))
		}
		if i > 0 {
			b.WriteString("\n")
		}
		writeCase(&b, c)
	}
	return []byte(b.String())
}

// schemaURL is where editors find the schema of a case file that does not lie in the suite's own folders.
const schemaURL = "https://loopstone.dev/schema/1/cases.schema.json"

// writeCase writes a member a line; the lists of steps have a line for each.
func writeCase(b *strings.Builder, c Case) {
	lead := "  - "
	for _, m := range c.Demand().Members() {
		fmt.Fprintf(b, "%s%s:", lead, m.Name)
		lead = "    "
		if m.Name != "steps" && m.Name != "exchange" {
			fmt.Fprintf(b, " %s\n", flow(m.Value))
			continue
		}
		b.WriteString("\n")
		for _, step := range m.Value.Items() {
			writeStep(b, step)
		}
	}
}

func writeStep(b *strings.Builder, step spec.Value) {
	lead := "      - "
	for _, m := range step.Members() {
		fmt.Fprintf(b, "%s%s: %s\n", lead, m.Name, flow(m.Value))
		lead = "        "
	}
}

// flow writes a value on one line, in the dialect of the case files.
func flow(v spec.Value) string {
	switch v.Kind() {
	case spec.Object:
		pair := func(m spec.Member) string { return strictyaml.Quoted(m.Name) + ": " + flow(m.Value) }
		return "{" + strings.Join(lists.Map(v.Members(), pair), ", ") + "}"
	case spec.Array:
		return "[" + strings.Join(lists.Map(v.Items(), flow), ", ") + "]"
	case spec.String:
		return strictyaml.Quoted(v.Text())
	default:
		return v.String()
	}
}

// Demand returns what the case demands of a port as a JSON value, in the format of a case file: everything but its
// place. Two cases with equal demands are the same case.
func (c Case) Demand() spec.Value {
	o := object{}
	o.text("id", c.ID)
	o.text("title", c.Title)
	o.set("clauses", spec.StringsValue(c.Clauses))
	o.text("source", c.Source)
	if c.Example {
		o.set("example", spec.BoolValue(true))
	}
	o.list("readings", spec.StringsValue(c.Readings))
	o.list("needs", spec.StringsValue(c.Needs))
	o.list("tags", spec.StringsValue(c.Tags))
	o.text("why", c.Why)
	o.text("no_contrast", c.NoContrast)
	o.set("config", c.Config)
	o.set("sessions", c.Sessions)
	o.number("instances", c.Instances)
	switch {
	case c.Refuse != nil:
		o.set("refuse", c.Refuse.value())
	case c.Call != nil:
		c.Call.write(&o)
	case c.Exchange != nil:
		o.set("exchange", spec.ArrayValue(lists.Map(c.Exchange, ExchangeStep.value)...))
	default:
		o.set("steps", spec.ArrayValue(lists.Map(c.Steps, Step.value)...))
		if c.Contrast != nil {
			o.set("contrast", c.Contrast.value())
		}
	}
	return o.value()
}

// object collects the members of a JSON object; absent and empty ones are left out.
type object struct{ members []spec.Member }

func (o *object) set(name string, v spec.Value) {
	if !v.IsAbsent() {
		o.members = append(o.members, spec.Member{Name: name, Value: v})
	}
}

func (o *object) text(name, text string) {
	if text != "" {
		o.set(name, spec.StringValue(text))
	}
}

func (o *object) number(name string, n int) {
	if n > 0 {
		o.set(name, spec.IntValue(n))
	}
}

func (o *object) list(name string, list spec.Value) {
	if len(list.Items()) > 0 {
		o.set(name, list)
	}
}

func (o *object) value() spec.Value { return spec.ObjectValue(o.members...) }

func (f Fault) value() spec.Value {
	o := object{}
	o.text("kind", string(f.Kind))
	o.text("field", f.Field)
	o.text("feature", f.Feature)
	return o.value()
}

func (c Call) write(o *object) {
	o.set("call", spec.ObjectValue(
		spec.Member{Name: "function", Value: spec.StringValue(c.Function)},
		spec.Member{Name: "args", Value: c.Args},
	))
	if c.Result != nil {
		o.set("result", c.Result.value())
	}
	if c.Fault != nil {
		o.set("fault", c.Fault.value())
	}
}

func (w Want) value() spec.Value {
	one := func(name string, v spec.Value) spec.Value { return spec.ObjectValue(spec.Member{Name: name, Value: v}) }
	switch {
	case w.Absent:
		return spec.NullValue()
	case w.Contains != nil:
		return one("contains", spec.StringsValue(w.Contains))
	case w.Lacks != nil:
		return one("lacks", spec.StringsValue(w.Lacks))
	case !w.Differs.IsAbsent():
		return one("differs", w.Differs)
	case !w.SameAs.IsAbsent():
		return one("same_as", w.SameAs)
	case !w.NotSameAs.IsAbsent():
		return one("not_same_as", w.NotSameAs)
	default:
		return w.Equal
	}
}

func (e Expectation) value() spec.Value {
	o := object{}
	for _, m := range e.Members {
		o.set(m.Name, m.Want.value())
	}
	return o.value()
}

func (s Step) value() spec.Value {
	o := object{}
	s.writeAction(&o)
	if s.Times > 1 {
		o.set("times", spec.IntValue(s.Times))
	}
	o.number("pad", s.Pad)
	if o.number("instance", s.Instance); s.Instance == 0 && s.Session != MainSession {
		o.text("session", s.Session)
	}
	switch {
	case s.Fault != nil:
		o.set("fault", s.Fault.value())
	case s.Action == State || len(s.Expect) == 0:
	case s.Batch:
		o.set("expect", spec.ArrayValue(lists.Map(s.Expect, Expectation.value)...))
	default:
		o.set("expect", s.Expect[0].value())
	}
	return o.value()
}

func (s Step) writeAction(o *object) {
	switch s.Action {
	case Observe:
		s.writeEvents(o)
	case Reset:
		o.set("reset", spec.BoolValue(true))
	case State:
		o.set("state", s.Expect[0].value())
	case Snapshot:
		o.text("snapshot", s.Name)
	case Restore:
		if s.Name != "" {
			o.text("restore", s.Name)
		} else {
			o.set("restore", s.State)
		}
	}
}

// writeEvents writes an event under the name of its type where it is well-formed, else as it stands.
func (s Step) writeEvents(o *object) {
	if s.Batch {
		o.set("batch", spec.ArrayValue(s.Events...))
		return
	}
	event := s.Events[0]
	if typ, isText := event.Get("type").Str(); isText && (s.Fault == nil || isWellFormed(event)) {
		o.set(typ, event.Without("type"))
		return
	}
	o.set("event", event)
}

func isWellFormed(event spec.Value) bool {
	_, err := spec.DecodeEvent(event)
	return err == nil
}

func (s ExchangeStep) value() spec.Value {
	o := object{}
	switch {
	case s.CloseInput:
		o.set("close", spec.BoolValue(true))
	case s.Exit != nil:
		o.set("exit", spec.IntValue(*s.Exit))
	case !s.Receive.IsAbsent():
		o.set("receive", s.Receive)
	default:
		o.set("raw", spec.StringValue(s.Send))
	}
	o.list("split", spec.IntsValue(s.Split))
	o.number("pad", s.Pad)
	o.number("times", s.Times)
	return o.value()
}
