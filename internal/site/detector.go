package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// detectorPage shows what a detector sees, its settings, and for each rule a trace that is a loop and one that is none.
func (s *site) detectorPage(d spec.Definition) string {
	var b strings.Builder
	b.WriteString(front(string(d.ID)))
	fmt.Fprintf(&b, "# %s\n\nIt looks for %s. It observes events of the types %s, and ignores all others.\n\n",
		d.ID, prose(d.Title), list(d.Observes, quoted))
	fmt.Fprintf(&b, "It is specified from %s, in the reading %s: [all clauses, %s-1 and on](/spec/%s).\n\n",
		strings.Join(d.Documents, " and "), list(d.Readings, quoted), d.Prefix, d.ID)
	for _, r := range d.Rules {
		s.writeRule(&b, r)
	}
	if d.ID == spec.Composed || d.ID == spec.Stream {
		b.WriteString("## Profiles\n\n" + s.profileTable(d.ID))
	}
	b.WriteString("## Settings\n\n| setting | default | meaning |\n|---|---|---|\n")
	for _, p := range d.Settings {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, defaults(d, p), cell(p.Doc))
	}
	b.WriteString("\n## Clauses\n\n")
	for _, c := range spec.Clauses() {
		if strings.HasPrefix(c.ID, d.Prefix+"-") {
			fmt.Fprintf(&b, "- %s %s\n", clauseLink(c.ID), prose(c.Text))
		}
	}
	return b.String()
}

func (s *site) writeRule(b *strings.Builder, r spec.Rule) {
	rule := s.rules[r.Kind]
	fmt.Fprintf(b, "## Rule %s\n\n", r.Kind)
	for _, id := range rule.decisive() {
		if c, ok := spec.ClauseByID(id); ok {
			fmt.Fprintf(b, "Clause %s: %s\n\n", clauseLink(id), prose(c.Text))
		}
	}
	if r.Only != "" {
		fmt.Fprintf(b, "The detector has this rule only with the setting `%s`.\n\n", r.Only)
	}
	if !rule.fires.config.IsAbsent() {
		fmt.Fprintf(b, "The configuration is `%s`.\n\n", rule.fires.config)
	}
	b.WriteString(rule.fires.picture("After the last event, the detector reports a loop of kind "+string(r.Kind)) + "\n")
	fmt.Fprintf(b, "[Change it in the playground](%s)\n\n", rule.fires.link())
	b.WriteString(rule.quiet.picture(fmt.Sprintf("Without event %d, it reports no loop of kind %s", rule.without+1,
		r.Kind)) + "\n")
	fmt.Fprintf(b, "[Change it in the playground](%s)\n\n", rule.quiet.link())
}

// decisive returns the clauses that decide, each once.
func (r *shown) decisive() []string { return slices.Compact(slices.Sorted(maps.Values(r.clauses))) }

// defaults returns a setting's default, in each reading where they differ.
func defaults(d spec.Definition, p spec.Parameter) string {
	if len(p.Defaults) == 0 {
		return value(p.Default)
	}
	return list(d.Readings, func(r spec.Reading) string { return fmt.Sprintf("%s in `%s`", value(p.Usual(r)), r) })
}

func value(v spec.Value) string {
	if v.IsAbsent() {
		return "none"
	}
	return "`" + v.String() + "`"
}

// data returns what the site's scripts know of detectors.
func (s *site) data() string {
	var detectors []spec.Value
	text := func(name, v string) spec.Member { return spec.Member{Name: name, Value: spec.StringValue(v)} }
	for _, d := range spec.Detectors() {
		var rules, settings, readings []spec.Value
		for _, r := range d.Rules {
			for _, reading := range d.Readings {
				rules = append(rules, spec.ObjectValue(text("kind", string(r.Kind)), text("reading", string(reading)),
					text("clause", s.rules[r.Kind].clauses[reading])))
			}
		}
		for _, r := range d.Readings {
			readings = append(readings, spec.StringValue(string(r)))
			for _, p := range d.SettingsIn(r) {
				if p.Kind != spec.Number {
					continue
				}
				setting := spec.ObjectValue(text("name", p.Name), text("reading", string(r)), text("doc", p.Doc),
					spec.Member{Name: "least", Value: spec.IntValue(p.Least)},
					spec.Member{Name: "percent", Value: spec.BoolValue(p.Use == spec.Percent)})
				if usual := p.Usual(r); !usual.IsAbsent() {
					setting = setting.With("default", usual)
				}
				settings = append(settings, setting)
			}
		}
		detectors = append(detectors, spec.ObjectValue(text("id", string(d.ID)), text("title", d.Title),
			spec.Member{Name: "observes", Value: spec.StringsValue(texts(d.Observes))},
			spec.Member{Name: "readings", Value: spec.ArrayValue(readings...)},
			spec.Member{Name: "rules", Value: spec.ArrayValue(rules...)},
			spec.Member{Name: "settings", Value: spec.ArrayValue(settings...)}))
	}
	return spec.ObjectValue(spec.Member{Name: "detectors", Value: spec.ArrayValue(detectors...)},
		spec.Member{Name: "profiles", Value: s.profilesData()},
		spec.Member{Name: "events", Value: templates()}).String() + "\n"
}

// templates returns an event of each type as a line of a trace, with the members that it must have.
func templates() spec.Value {
	var all []spec.Value
	for _, typ := range spec.EventTypes() {
		var members []spec.Member
		for _, m := range spec.EventMembers(typ) {
			if m.Required || m.Name == "args" {
				members = append(members, spec.Member{Name: m.Name, Value: sample(m)})
			}
		}
		line := spec.ObjectValue(spec.Member{Name: string(typ), Value: spec.ObjectValue(members...)})
		all = append(all, spec.ObjectValue(
			spec.Member{Name: "type", Value: spec.StringValue(string(typ))},
			spec.Member{Name: "template", Value: spec.StringValue("- " + line.String())},
			spec.Member{Name: "members", Value: described(slices.Concat(spec.EventMembers(typ), spec.AnyMembers()))}))
	}
	return spec.ArrayValue(all...)
}

// described returns what the editor says of members when it completes their names.
func described(members []spec.EventMember) spec.Value {
	var all []spec.Value
	for _, m := range members {
		one := spec.ObjectValue(
			spec.Member{Name: "name", Value: spec.StringValue(m.Name)},
			spec.Member{Name: "doc", Value: spec.StringValue(m.Doc)},
			spec.Member{Name: "required", Value: spec.BoolValue(m.Required)})
		switch {
		case m.Name == "role":
			one = one.With("values", spec.StringsValue(texts(spec.Roles())))
		case m.Kind == spec.Bool:
			one = one.With("values", spec.StringsValue([]string{"true", "false"}))
		}
		all = append(all, one)
	}
	return spec.ArrayValue(all...)
}

func texts[T ~string](names []T) []string {
	var all []string
	for _, name := range names {
		all = append(all, string(name))
	}
	return all
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
