package adapters

import (
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// mapping is what the first port of any detector is made from: the detector's row of the table, in the words of the
// templates.
type mapping struct {
	Detector string
	Reading  string   // the first of the detector
	Others   []string // readings that a port may have instead, or too
	Rules    []string
	Settings []setting
	Members  []string // that a verdict may have beside loop and kind
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
	Kinds   []string // that such an event may lead to
}

// Names lists the members.
func (e event) Names() []string {
	names := make([]string, len(e.Members))
	for i, m := range e.Members {
		names[i] = m.Name
	}
	return names
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

// SettingNames lists the settings.
func (m mapping) SettingNames() []string {
	names := make([]string, len(m.Settings))
	for i, s := range m.Settings {
		names[i] = s.Name
	}
	return names
}

// mappingOf returns what a first port of the detector has: the rules that hold by default, and the settings that the
// kits read, which are integers of at least 1.
func mappingOf(d spec.Definition) mapping {
	reading := d.Readings[0]
	m := mapping{Detector: string(d.ID), Reading: string(reading), Others: words.Of(d.Readings[1:])}
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
	m.Members = slices.DeleteFunc(d.Members(), func(name string) bool {
		return name == "loop" || name == "kind" || name == "evidence" // which is a feature
	})
	for _, t := range d.Observes {
		m.Events = append(m.Events, eventOf(t, d))
		for _, name := range d.Demands[t] {
			m.Demands = append(m.Demands, demand{string(t), name})
		}
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
			e.Kinds = append(e.Kinds, string(rule.Kind))
		}
	}
	return e
}

// functions are the functions of the templates.
var functions = template.FuncMap{
	"join":   strings.Join,
	"quoted": func(list []string) string { return `"` + strings.Join(list, `", "`) + `"` },
	"camel":  camel,
}

// camel writes a name as types and fields are written: ToolCall.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' || r == '@' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
