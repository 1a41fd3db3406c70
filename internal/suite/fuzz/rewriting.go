package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// rewriting changes all values within the events of a subject, or within the arguments of its function.
type rewriting struct {
	value func(spec.Value) spec.Value
	name  func(string) string // of a member; one whose name becomes empty goes
}

func sameValue(v spec.Value) spec.Value { return v }
func sameName(name string) string       { return name }

// of returns the subject as it is rewritten. The members of events themselves, and what the protocol gives a meaning,
// keep their names.
func (r rewriting) of(s Subject) Subject {
	s.Steps = slices.Clone(s.Steps)
	for i, step := range s.Steps {
		if !step.IsReset() {
			s.Steps[i].Event = r.members(step.Event)
		}
	}
	if s.IsCall() {
		s.Args = r.members(s.Args)
	}
	return s
}

func (r rewriting) members(v spec.Value) spec.Value {
	members := slices.Clone(v.Members())
	for i, m := range members {
		switch {
		case m.Name == "type" || m.Name == "role":
		case m.Value.Kind() == spec.Object: // the arguments of a call
			members[i].Value = r.object(m.Value)
		default:
			if other := r.inside(m.Value); other.Kind() == m.Value.Kind() { // which the protocol demands
				members[i].Value = other
			}
		}
	}
	return spec.ObjectValue(members...)
}

func (r rewriting) object(v spec.Value) spec.Value {
	o := spec.ObjectValue()
	for _, m := range v.Members() {
		if name := r.name(m.Name); name != "" || m.Name == "" {
			o = o.With(name, r.inside(m.Value))
		}
	}
	return o
}

func (r rewriting) inside(v spec.Value) spec.Value {
	switch other := r.value(v); {
	case !other.Equal(v):
		return other
	case v.Kind() == spec.Object:
		return r.object(v)
	default:
		return v.Map(r.inside)
	}
}

// onTexts rewrites texts alone.
func onTexts(change func(string) string) rewriting {
	return rewriting{func(v spec.Value) spec.Value {
		if text, isText := v.Str(); isText {
			return spec.StringValue(change(text))
		}
		return v
	}, sameName}
}

// unwrapping puts the nth value that each object or array has in its place.
func unwrapping(n int) rewriting {
	return rewriting{func(v spec.Value) spec.Value {
		switch {
		case n < len(v.Items()):
			return v.Items()[n]
		case n < len(v.Members()):
			return v.Members()[n].Value
		default:
			return v
		}
	}, sameName}
}

// rewritings returns what to try with everything in a subject at once: the simplest texts and names in the order in
// which they come, a simpler value or name in place of each, a simple character in place of each.
func rewritings(s Subject) []rewriting {
	var values []spec.Value
	var names []string
	rewriting{
		func(v spec.Value) spec.Value { values = append(values, v); return v },
		func(name string) string { names = append(names, name); return name },
	}.of(s)
	list := []rewriting{
		onTexts(inOrder(letters)), {sameValue, inOrder(letters)}, unwrapping(0), unwrapping(1), unwrapping(2),
	}
	for _, old := range names {
		for _, by := range []string{"", "a", "b", "c"} {
			list = append(list, rewriting{sameValue, func(name string) string {
				if name == old {
					return by
				}
				return name
			}})
		}
	}
	texts := ""
	for _, old := range values {
		text, _ := old.Str()
		texts += text
		for _, by := range append(simpler(old), spec.IntValue(0)) {
			list = append(list, rewriting{func(v spec.Value) spec.Value {
				if v.Equal(old) {
					return by
				}
				return v
			}, sameName})
		}
	}
	for _, old := range strings.Split(texts, "") {
		for _, by := range []string{"", "a", "b"} {
			list = append(list, onTexts(func(text string) string { return strings.ReplaceAll(text, old, by) }))
		}
	}
	return list
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// inOrder returns what gives each text, in the order in which they come, the next of the letters.
func inOrder(letters string) func(string) string {
	known := map[string]string{}
	return func(text string) string {
		if _, is := known[text]; !is {
			known[text] = text
			if len(known) <= len(letters) {
				known[text] = letters[len(known)-1 : len(known)]
			}
		}
		return known[text]
	}
}
