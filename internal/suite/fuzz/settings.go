package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// settings returns sessions whose configurations differ in one value from one of a case: each value that stands
// anywhere in them, once, with another in its place that a lenient reader takes for it, such as null for a list. Most
// must be refused. They have no events, so they cost little, and none is left to chance.
func (h *Fuzzer) settings(suite []cases.Case) []Subject {
	var places []string
	configs := map[string][]spec.Value{} // by place: those that stand near the shortest configuration of a case that has it
	for _, c := range h.configured(suite) {
		for place, near := range nearly(c, "") {
			if configs[place] == nil {
				places = append(places, place)
				configs[place] = near
			}
		}
	}
	slices.Sort(places)
	var all []Subject
	for _, place := range places {
		for _, config := range configs[place] {
			all = append(all, Subject{Trace: laws.Trace{
				Detector: h.Detector, Reading: h.Reading, Config: config, Steps: []laws.Step{{}}, // a reset, so it is opened
			}})
		}
	}
	return all
}

// configured returns the configurations of the cases of the fuzzer's detector that must not be refused, from the
// shortest.
func (h *Fuzzer) configured(suite []cases.Case) []spec.Value {
	var texts []string
	for _, c := range suite {
		if c.Detector == h.Detector && c.Refuse == nil && !c.Config.IsAbsent() && slices.Contains(c.Readings, h.Reading) {
			texts = append(texts, c.Config.String())
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	var configs []spec.Value
	for _, text := range slices.Compact(texts) {
		configs = append(configs, spec.MustParse(text))
	}
	return configs
}

// nearly returns by each place in a value, which is one of so many names, what the value is with another at this place.
func nearly(v spec.Value, place string) map[string][]spec.Value {
	all := map[string][]spec.Value{}
	if place != "" {
		all[place] = likenesses(v)
	}
	within := func(name string, inner spec.Value, put func(spec.Value) spec.Value) {
		for at, values := range nearly(inner, place+"/"+name) {
			for _, each := range values {
				all[at] = append(all[at], put(each))
			}
		}
	}
	for _, m := range v.Members() {
		within(m.Name, m.Value, func(each spec.Value) spec.Value { return v.With(m.Name, each) })
	}
	items := v.Items()
	for i, item := range items[:min(1, len(items))] {
		within("", item, func(each spec.Value) spec.Value {
			changed := slices.Clone(items)
			changed[i] = each
			return spec.ArrayValue(changed...)
		})
	}
	return all
}

// likenesses returns what a lenient reader may take for a value.
func likenesses(v spec.Value) []spec.Value {
	all := []spec.Value{spec.NullValue()}
	parsed := func(texts ...string) {
		for _, text := range texts {
			all = append(all, spec.MustParse(text))
		}
	}
	switch text := v.Text(); v.Kind() {
	case spec.Number:
		parsed(`"3"`, `true`, `2.5`, `0`, `-1`)
	case spec.Bool:
		parsed(`"true"`, `1`, `0`)
	case spec.String:
		parsed(`1`, `""`, `" "`)
		all = append(all, spec.StringValue(strings.ToUpper(text)), spec.StringValue(text+" "), spec.ArrayValue(v))
	case spec.Array:
		parsed(`{}`, `""`, `[]`)
		if items := v.Items(); len(items) > 0 {
			all = append(all, items[0], spec.ArrayValue(append(slices.Clone(items), items[0])...))
		}
	case spec.Object:
		parsed(`[]`, `true`)
		all = append(all, v.With("unknown", spec.NullValue()))
	}
	return all
}
