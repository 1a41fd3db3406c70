package adapters

import (
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// mapping is what the first port of any detector is made from: the detector's row of the table, in the words of the
// templates.
type mapping struct {
	Detector string
	Reading  string   // the first of the detector
	Others   []string // readings that a port may have instead, or too
	Features []string // that the port needs to see all that its rules look at
	Rules    []string
	Settings []setting
	Says     string   // what a verdict says of a loop: its kind or, of a profile, its rung
	Members  []string // that a verdict may have beside loop and what it says
	Events   []event
	Demands  []demand
}

type setting struct {
	Name    string
	Default string
}

// event is a type of event that the detector looks at, and what it brings.
type event struct {
	Type    string
	Members []member
	Loops   []string // that such an event may lead to, by what a verdict says
	Meaning string   // what the event is in the original; empty without one
}

// Mapped is a type of event that a profile looks at.
type Mapped struct {
	Type    spec.EventType
	Meaning string   // what it is in the original
	Rungs   []string // that may be reported after it
}

// names lists the members.
func (e event) names() []string {
	return lists.Map(e.Members, func(m member) string { return m.Name })
}

// member is a member of an event. The kits fill in the arguments of a call and whether a result is ok.
type member struct {
	Name  string
	There bool
}

// demand is an optional member of an event without which the detector refuses it.
type demand struct {
	Type   string
	Member string
}

// settingNames lists the settings.
func (m *mapping) settingNames() []string {
	return lists.Map(m.Settings, func(s setting) string { return s.Name })
}

// blanks returns the blanks that make a setting's name as long as the longest.
func (m *mapping) blanks(of setting) string {
	longest := 0
	for _, s := range m.Settings {
		longest = max(longest, len(camel(s.Name)))
	}
	return strings.Repeat(" ", longest-len(camel(of.Name)))
}

// mappingOf returns what a first port of the detector has: the rules that hold by default, and the settings that the
// kits read, which are integers of at least 1.
func mappingOf(d spec.Definition) mapping {
	reading := d.Readings[0]
	m := mapping{Detector: string(d.ID), Reading: string(reading), Others: lists.Strings(d.Readings[1:])}
	for _, rule := range d.Rules {
		if rule.Only == "" {
			m.Rules = append(m.Rules, string(rule.Kind))
		}
	}
	for _, p := range d.SettingsIn(reading) {
		if p.Kind == spec.Number && p.Least == 1 && p.Needs == "" && !p.Default.IsAbsent() {
			m.Settings = append(m.Settings, setting{p.Name, p.Usual(reading).Canonical()})
		}
	}
	m.say("kind", d)
	for _, t := range d.Observes {
		m.Events = append(m.Events, eventOf(t, d))
		for _, name := range d.Demands[t] {
			m.Demands = append(m.Demands, demand{string(t), name})
		}
	}
	return m
}

// say has verdicts say one member of a loop; the others are up to the port's author.
func (m *mapping) say(member string, d spec.Definition) {
	m.Says = member
	m.Members = slices.DeleteFunc(d.Members(), func(name string) bool {
		return name == "loop" || name == member || name == "evidence" // which is a feature
	})
}

// mappingOfProfile returns what a first port of a profile has: the events that its rules look at, and its rungs; of a
// profile of stream, which has none, its kinds.
func mappingOfProfile(d spec.Definition, needs []spec.Feature, events []Mapped) mapping {
	d.Observes = nil
	for _, e := range events {
		d.Observes = append(d.Observes, e.Type)
	}
	m := mappingOf(d)
	m.Features = lists.Strings(needs)
	if slices.Contains(d.Members(), "rung") {
		m.say("rung", d)
	}
	for i, e := range events {
		m.Events[i].Loops, m.Events[i].Meaning = e.Rungs, e.Meaning
	}
	return m
}

func eventOf(t spec.EventType, d spec.Definition) event {
	e := event{Type: string(t)}
	for _, m := range spec.EventMembers(t) {
		there := m.Required || m.Name == "args" || m.Name == "ok" || slices.Contains(d.Demands[t], m.Name)
		e.Members = append(e.Members, member{m.Name, there})
	}
	for _, rule := range d.Rules {
		if rule.Only == "" && slices.Contains(rule.Counts, t) {
			e.Loops = append(e.Loops, string(rule.Kind))
		}
	}
	return e
}

// functions are the functions of the templates.
var functions = template.FuncMap{
	"join":   strings.Join,
	"quoted": func(list []string) string { return `"` + strings.Join(list, `", "`) + `"` },
	"camel":  camel,

	"eventTable":   (*mapping).eventTable,
	"settingNames": (*mapping).settingNames,
	"blanks":       (*mapping).blanks,
	"names":        event.names,
}

// camel writes a name as types and fields are written: ToolCall.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '@' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
