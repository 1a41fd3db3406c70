package fuzz

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// likenesses returns subjects that differ in one value from the configurations and the function calls of the cases:
// each value that stands anywhere in them, once, with another in its place that a lenient reader takes for it, such as
// null for a list. Most must be refused. They have no events, so they cost little, and none is left to chance.
//
// Functions are called in the first reading of the port alone: it reads arguments in the same way in all.
func (h *Fuzzer) likenesses(suite []cases.Case) []Subject {
	var configs []spec.Value
	calls := map[string][]spec.Value{} // by function
	for _, c := range suite {
		switch {
		case c.Detector != h.Detector || !slices.Contains(c.Readings, h.Reading) || !h.declares(c.Needs) || c.Instances > 0:
		case c.Call != nil:
			if c.Call.Fault == nil && slices.Index(h.offer.Readings, h.Reading) == 0 {
				calls[c.Call.Function] = append(calls[c.Call.Function], c.Call.Args)
			}
		case c.Refuse == nil && !c.Config.IsAbsent():
			configs = append(configs, c.Config)
		}
	}
	var all []Subject
	for _, config := range oneByOne(configs) {
		all = append(all, Subject{Trace: laws.Trace{Detector: h.Detector, Reading: h.Reading, Config: config}})
	}
	for _, function := range slices.Sorted(maps.Keys(calls)) {
		for _, args := range oneByOne(calls[function]) {
			all = append(all, Subject{laws.Trace{Detector: h.Detector, Reading: h.Reading}, function, args})
		}
	}
	return all
}

func (h *Fuzzer) declares(features []spec.Feature) bool {
	return !slices.ContainsFunc(features, func(f spec.Feature) bool { return !slices.Contains(h.offer.Features, f) })
}

// mostLikenesses bounds the values that are made of configurations, or of a function's arguments: cases of a user's own
// may have any number of places. Those of the suite have some 300 at most.
const mostLikenesses = 1000

// oneByOne returns values that differ from the given ones in one place. Each place is looked at once: in the shortest
// value that has it.
func oneByOne(values []spec.Value) (all []spec.Value) {
	texts := map[string]spec.Value{}
	for _, v := range values {
		texts[v.String()] = v
	}
	seen := map[string]bool{}
	for _, text := range slices.SortedFunc(maps.Keys(texts), shorter) {
		walk(texts[text], "", func(v spec.Value) spec.Value { return v }, func(place string, v spec.Value, put change) {
			if place == "" || seen[place] || len(all) >= mostLikenesses {
				return
			}
			seen[place] = true
			for _, each := range lookalikes(v) {
				all = append(all, put(each))
			}
		})
	}
	return all
}

func shorter(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

// change puts a value in the place of another one, and returns the whole.
type change func(spec.Value) spec.Value

// walk visits a value and what is in it, each with its place: the names on the way to it. Of a list it visits the
// first item.
func walk(v spec.Value, place string, put change, visit func(place string, v spec.Value, put change)) {
	visit(place, v, put)
	for _, m := range v.Members() {
		inner := func(each spec.Value) spec.Value { return put(v.With(m.Name, each)) }
		walk(m.Value, place+"/"+m.Name, inner, visit)
	}
	if items := v.Items(); len(items) > 0 {
		first := func(each spec.Value) spec.Value {
			return put(spec.ArrayValue(append([]spec.Value{each}, items[1:]...)...))
		}
		walk(items[0], place+"/", first, visit)
	}
}

// lookalikes returns what a lenient reader may take for a value.
func lookalikes(v spec.Value) []spec.Value {
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
		parsed(`"true"`, `1`)
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
