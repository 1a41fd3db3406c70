package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// simpler returns what one change makes of a value, the greatest simplifications first. Not all of them are simpler by
// the order of subjects; those are not accepted.
func simpler(v spec.Value) []spec.Value {
	switch v.Kind() {
	case spec.Object:
		return simplerObjects(v)
	case spec.Array:
		return simplerArrays(v)
	case spec.String:
		text, _ := v.Str()
		return simplerTexts(text)
	case spec.Number:
		return simplerNumbers(v)
	case spec.Bool:
		return []spec.Value{spec.BoolValue(false), spec.BoolValue(true), spec.IntValue(0)}
	case spec.Null:
		return []spec.Value{spec.IntValue(0)}
	default:
		return nil
	}
}

func simplerObjects(v spec.Value) []spec.Value {
	list := []spec.Value{spec.ObjectValue(), spec.IntValue(0)}
	for i, m := range v.Members() {
		list = append(list, v.Without(m.Name), m.Value)
		for _, name := range []string{"a", "b", "c"} {
			if v.Get(name).IsAbsent() {
				members := slices.Clone(v.Members())
				members[i].Name = name
				list = append(list, spec.ObjectValue(members...))
			}
		}
		for _, item := range simpler(m.Value) {
			list = append(list, v.With(m.Name, item))
		}
	}
	sorted := slices.Clone(v.Members())
	slices.SortFunc(sorted, func(a, b spec.Member) int { return strings.Compare(a.Name, b.Name) })
	return append(list, spec.ObjectValue(sorted...))
}

func simplerArrays(v spec.Value) []spec.Value {
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
}

func simplerTexts(text string) []spec.Value {
	list := []spec.Value{spec.StringValue(""), spec.IntValue(0), spec.StringValue("a"), spec.StringValue("b")}
	runes := []rune(text)
	list = append(list, spec.StringValue(strings.Repeat("a", len(runes))))
	inOrder := slices.Clone(runes)
	slices.Sort(inOrder)
	list = append(list, spec.StringValue(string(inOrder)))
	for size := len(runes) / 2; size >= 1; size /= 2 {
		for i := 0; i+size <= len(runes); i += size {
			list = append(list, spec.StringValue(string(slices.Concat(runes[:i], runes[i+size:]))))
		}
	}
	for i := 0; i+1 < len(runes); i++ {
		swapped := slices.Clone(runes)
		swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		list = append(list, spec.StringValue(string(swapped)))
	}
	for i, r := range runes {
		for _, simple := range []rune{'a', 'b', ' '} {
			if r != simple {
				other := slices.Clone(runes)
				other[i] = simple
				list = append(list, spec.StringValue(string(other)))
			}
		}
	}
	return list
}

func simplerNumbers(v spec.Value) []spec.Value {
	var list []spec.Value
	for n := range 12 {
		list = append(list, spec.IntValue(n))
	}
	if n, ok := v.Int(); ok && n > 0 {
		list = append(list, spec.IntValue(n/2), spec.IntValue(n-1))
	}
	if f, _ := v.Float(); f >= 0 && f < 1000 {
		list = append(list, spec.NumberValue(fmt.Sprintf("%d", int(f))), spec.NumberValue(fmt.Sprintf("%d.5", int(f))))
	}
	return list
}

// simplerEvents returns the events that one change makes of an event; its type stays.
func simplerEvents(event spec.Value) []spec.Value {
	var list []spec.Value
	for _, m := range event.Members() {
		if m.Name == "type" {
			continue
		}
		list = append(list, event.Without(m.Name))
		for _, v := range simpler(m.Value) {
			list = append(list, event.With(m.Name, v))
		}
	}
	return slices.DeleteFunc(list, func(v spec.Value) bool {
		_, err := spec.DecodeEvent(v)
		return err != nil
	})
}
