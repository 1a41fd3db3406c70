package main

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// What the site's scripts know.
type (
	siteData struct {
		Detectors []detectorData `json:"detectors"`
		Profiles  []profileData  `json:"profiles"`
		Events    []eventData    `json:"events"`
	}
	detectorData struct {
		ID       spec.DetectorID  `json:"id"`
		Title    string           `json:"title"`
		Observes []spec.EventType `json:"observes"`
		Readings []spec.Reading   `json:"readings"`
		Rules    []ruleData       `json:"rules"`
		Settings []settingData    `json:"settings"` // those that are numbers
	}
	ruleData struct {
		Kind    spec.VerdictKind `json:"kind"`
		Reading spec.Reading     `json:"reading"`
		Clause  string           `json:"clause"`
	}
	settingData struct {
		Name    string       `json:"name"`
		Reading spec.Reading `json:"reading"`
		Doc     string       `json:"doc"`
		Least   int          `json:"least"`
		Percent bool         `json:"percent"`
		Default spec.Value   `json:"default,omitzero"`
	}
	profileData struct {
		ID       string          `json:"id"`
		Title    string          `json:"title"`
		Detector spec.DetectorID `json:"detector"`
		Config   spec.Value      `json:"config"`
	}
	// eventData is an event of a type as a line of a trace, with the members that it must have, and what the editor says
	// of members when it completes their names.
	eventData struct {
		Type     spec.EventType `json:"type"`
		Template string         `json:"template"`
		Members  []memberData   `json:"members"`
	}
	memberData struct {
		Name     string   `json:"name"`
		Doc      string   `json:"doc"`
		Required bool     `json:"required"`
		Values   []string `json:"values,omitempty"`
	}
)

// data returns what the site's scripts know, as JSON.
func (s *site) data() (string, error) {
	data := siteData{Events: eventTypes()}
	for _, d := range spec.Detectors() {
		one := detectorData{
			d.ID, d.Title, d.Observes, d.Readings, []ruleData{}, []settingData{},
		}
		for _, rule := range d.Rules {
			for _, r := range d.Readings {
				one.Rules = append(one.Rules, ruleData{rule.Kind, r, s.rules[rule.Kind].clauses[r]})
			}
		}
		for _, r := range d.Readings {
			for _, p := range d.SettingsIn(r) {
				if p.Kind == spec.Number {
					setting := settingData{p.Name, r, p.Doc, p.Least, p.Use == spec.Percent, p.Usual(r)}
					one.Settings = append(one.Settings, setting)
				}
			}
		}
		data.Detectors = append(data.Detectors, one)
	}
	for _, p := range s.profiles {
		data.Profiles = append(data.Profiles, profileData{p.Name, p.Title, p.ID().Row(), p.Config()})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(data)
	return b.String(), err
}

func eventTypes() (list []eventData) {
	for _, typ := range spec.EventTypes() {
		var required []spec.Member
		event := eventData{Type: typ}
		for _, m := range spec.EventMembers(typ) {
			if m.Required || m.Name == "args" {
				required = append(required, spec.Member{Name: m.Name, Value: sample(m)})
			}
		}
		line := spec.ObjectValue(spec.Member{Name: string(typ), Value: spec.ObjectValue(required...)})
		event.Template = "- " + line.String()
		for _, m := range slices.Concat(spec.EventMembers(typ), spec.AnyMembers()) {
			event.Members = append(event.Members, memberData{m.Name, m.Doc, m.Required, valuesOf(m)})
		}
		list = append(list, event)
	}
	return list
}

// valuesOf lists the values of a member that has few.
func valuesOf(m spec.EventMember) []string {
	switch {
	case m.Name == "role":
		return lists.Strings(spec.Roles())
	case m.Kind == spec.Bool:
		return []string{"true", "false"}
	default:
		return nil
	}
}

// sample returns a value that a member may have.
func sample(m spec.EventMember) spec.Value {
	switch {
	case m.Name == "role":
		return spec.StringValue(string(spec.Assistant))
	case m.Kind == spec.String:
		return spec.StringValue(m.Name)
	case m.Kind == spec.Number:
		return spec.IntValue(1)
	case m.Kind == spec.Bool:
		return spec.BoolValue(true)
	case m.Kind == spec.Array:
		return spec.ArrayValue()
	default:
		return spec.ObjectValue()
	}
}
