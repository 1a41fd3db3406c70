package tracegen

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// corpus is what the cases of the suite hold, to be drawn from and put together in another way.
type corpus struct {
	calls    map[string][]sampleCall   // of functions, that are accepted
	settings map[string][]spec.Value   // values of settings that are accepted, each once, by their names
	refused  map[string][]spec.Value   // values of settings that are not
	outputs  map[spec.Reading][]string // what agents print; each once

	known map[spec.Reading]map[string]bool // the outputs
}

// sampleCall is a call of a function in a case.
type sampleCall struct {
	args  spec.Value
	needs []spec.Feature // of the case: another port may not be able to read the arguments
}

// fromCases returns the corpus. It panics where the suite cannot be read, which the tests of package cases exclude.
var fromCases = sync.OnceValue(func() *corpus {
	all, err := cases.All()
	if err != nil {
		panic(err)
	}
	of := &corpus{
		calls: map[string][]sampleCall{}, settings: map[string][]spec.Value{}, refused: map[string][]spec.Value{},
		outputs: map[spec.Reading][]string{},
		known:   map[spec.Reading]map[string]bool{spec.Code: {}, spec.Text: {}},
	}
	for _, c := range all {
		of.add(c)
	}
	for reading, outputs := range of.outputs {
		of.outputs[reading] = thinned(outputs, maxSides)
	}
	return of
})

// thinned returns at most n of the texts, from all over the list.
func thinned(texts []string, n int) []string {
	if len(texts) <= n {
		return texts
	}
	kept := make([]string, n)
	for i := range kept {
		kept[i] = texts[i*len(texts)/n]
	}
	return kept
}

func (of *corpus) add(c cases.Case) {
	if c.Call != nil && c.Call.Fault == nil {
		of.calls[c.Call.Function] = append(of.calls[c.Call.Function], sampleCall{c.Call.Args, c.Needs})
	}
	if members := c.Config.Members(); c.Refuse != nil && c.Refuse.Kind == spec.InvalidConfig && len(members) == 1 {
		of.refused[members[0].Name] = append(of.refused[members[0].Name], members[0].Value)
	}
	for _, m := range c.Config.Members() {
		if c.Refuse == nil && !slices.ContainsFunc(of.settings[m.Name], m.Value.Equal) {
			of.settings[m.Name] = append(of.settings[m.Name], m.Value)
		}
	}
	for _, step := range c.Steps {
		for _, event := range step.Events {
			of.addOutput(c, event)
		}
	}
}

// addOutput adds what an agent printed to each reading that does not have it.
func (of *corpus) addOutput(c cases.Case, event spec.Value) {
	for _, name := range []string{"text", "output"} {
		text, is := event.Get(name).Str()
		for _, r := range c.Readings {
			if is && len(text) <= mostPrinted && !of.known[r][text] {
				of.known[r][text] = true
				of.outputs[r] = append(of.outputs[r], text)
			}
		}
	}
}

// mostPrinted bounds the outputs that are drawn, in bytes.
const mostPrinted = 300

// recombined returns one of the values, all of one kind: of objects the members, and of lists the items, come from any
// of them. A text of an object is also replaced by another.
func (d dice) recombined(all []spec.Value, text func() string) spec.Value {
	v := pick(d, all)
	switch v.Kind() {
	case spec.Object:
		for _, m := range v.Members() {
			var same []spec.Value
			for _, other := range all {
				if inner := other.Get(m.Name); inner.Kind() == m.Value.Kind() {
					same = append(same, inner)
				}
			}
			if d.maybe() {
				v = v.With(m.Name, d.recombined(same, text))
			}
		}
		return v
	case spec.Array:
		var items []spec.Value
		for _, other := range all {
			items = append(items, other.Items()...)
		}
		list := make([]spec.Value, d.below(mostItems+1))
		for i := range list {
			list[i] = pick(d, items)
		}
		return spec.ArrayValue(list...)
	case spec.String:
		if d.oneIn(4) {
			return spec.StringValue(text())
		}
		return v
	default:
		return v
	}
}

// mostItems is how many items a list has that is put together.
const mostItems = 6
