package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// simpler returns what one change makes of a value, the greatest simplifications first. Not all of them are simpler by
// the order of subjects; those are not accepted.
func simpler(v spec.Value) []spec.Value {
	switch v.Kind() {
	case spec.Object:
		list := []spec.Value{spec.ObjectValue(), spec.IntValue(0)}
		for _, m := range v.Members() {
			list = append(list, v.Without(m.Name), m.Value)
			for _, other := range simpler(m.Value) {
				list = append(list, v.With(m.Name, other))
			}
		}
		return list
	case spec.Array:
		list := []spec.Value{spec.ArrayValue(), spec.IntValue(0)}
		for i, item := range v.Items() {
			list = append(list, spec.ArrayValue(slices.Concat(v.Items()[:i], v.Items()[i+1:])...), item)
			for _, other := range simpler(item) {
				items := slices.Clone(v.Items())
				items[i] = other
				list = append(list, spec.ArrayValue(items...))
			}
		}
		return list
	case spec.String:
		return simplerTexts(v.Text())
	case spec.Number:
		return simplerNumbers(v)
	case spec.Bool, spec.Null:
		return []spec.Value{spec.IntValue(0), spec.BoolValue(true), spec.BoolValue(false)}
	default:
		return nil
	}
}

// mostParts bounds how many parts of a text are left out or made simpler one by one: each candidate is played whole.
const mostParts = 64

// simplerTexts returns shorter texts, and some of the same length with a simpler character.
func simplerTexts(text string) []spec.Value {
	runes := []rune(text)
	list := []spec.Value{spec.IntValue(0)}
	for _, simple := range []string{"", "a", "b", "c", strings.Repeat("a", len(runes))} {
		list = append(list, spec.StringValue(simple))
	}
	for size := len(runes) / 2; size >= 1 && len(runes)/size <= mostParts; size /= 2 {
		for i := 0; i+size <= len(runes); i += size {
			list = append(list, spec.StringValue(string(slices.Concat(runes[:i], runes[i+size:]))))
		}
	}
	if len(runes) > mostParts {
		return list
	}
	for i, r := range runes {
		for _, simple := range []rune{'a', 'b'} {
			if r != simple {
				other := slices.Clone(runes)
				other[i] = simple
				list = append(list, spec.StringValue(string(other)))
			}
		}
	}
	return list
}

func simplerNumbers(v spec.Value) (list []spec.Value) {
	for n := range 12 {
		list = append(list, spec.IntValue(n))
	}
	if n, ok := v.Int(); ok && n > 0 {
		list = append(list, spec.IntValue(n/2), spec.IntValue(n-1))
	}
	if f, _ := v.Float(); f >= 0 && f < 1000 {
		list = append(list, spec.IntValue(int(f)))
	}
	return list
}
