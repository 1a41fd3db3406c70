package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// renameTexts gives a text the simplest name, wherever it stands in the trace.
func (sh *shrinker) renameTexts() bool {
	for _, text := range sh.texts() {
		for _, name := range []string{"", "a", "b", "c", "d"} {
			if sh.accept(sh.renamed(text, name)) {
				return true
			}
		}
	}
	return false
}

// texts returns the texts of the events' members, each once.
func (sh *shrinker) texts() []string {
	var list []string
	var collect func(v spec.Value)
	collect = func(v spec.Value) {
		if text, ok := v.Str(); ok && !slices.Contains(list, text) {
			list = append(list, text)
		}
		for _, item := range v.Items() {
			collect(item)
		}
		for _, m := range v.Members() {
			if m.Name != "type" && m.Name != "role" {
				collect(m.Value)
			}
		}
	}
	for _, s := range sh.best.Steps {
		collect(s.Event)
	}
	collect(sh.best.Args)
	return list
}

func (sh *shrinker) renamed(text, name string) Subject {
	s := sh.best
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		s.Steps[i].Event = renameIn(s.Steps[i].Event, text, name)
	}
	s.Args = renameIn(s.Args, text, name)
	return s
}

func renameIn(v spec.Value, text, name string) spec.Value {
	if own, ok := v.Str(); ok && own == text {
		return spec.StringValue(name)
	}
	switch v.Kind() {
	case spec.Object:
		members := slices.Clone(v.Members())
		for i := range members {
			if members[i].Name != "type" && members[i].Name != "role" {
				members[i].Value = renameIn(members[i].Value, text, name)
			}
		}
		return spec.ObjectValue(members...)
	case spec.Array:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = renameIn(items[i], text, name)
		}
		return spec.ArrayValue(items...)
	default:
		return v
	}
}

// swapTexts exchanges two texts wherever they stand in the trace.
func (sh *shrinker) swapTexts() bool {
	texts := sh.texts()
	for i, one := range texts {
		for _, other := range texts[i+1:] {
			if sh.accept(sh.mapTexts(func(text string) string {
				switch text {
				case one:
					return other
				case other:
					return one
				default:
					return text
				}
			})) {
				return true
			}
		}
	}
	return false
}

// simplifyTexts makes the same change to a text wherever it stands in the trace.
func (sh *shrinker) simplifyTexts() bool {
	for _, text := range sh.texts() {
		for _, v := range simplerTexts(text) {
			if simple, ok := v.Str(); ok && sh.accept(sh.renamed(text, simple)) {
				return true
			}
		}
	}
	return false
}

// renameRunes gives a character the simplest name, in all texts at once.
func (sh *shrinker) renameRunes() bool {
	var runes []rune
	for _, text := range sh.texts() {
		for _, r := range text {
			if !slices.Contains(runes, r) {
				runes = append(runes, r)
			}
		}
	}
	for _, old := range runes {
		for _, simple := range []rune{'a', 'b', 'c'} {
			change := func(text string) string { return replaceRune(text, old, simple) }
			if old != simple && sh.accept(sh.mapTexts(change)) {
				return true
			}
		}
	}
	return false
}

func replaceRune(text string, old, simple rune) string {
	runes := []rune(text)
	for i := range runes {
		if runes[i] == old {
			runes[i] = simple
		}
	}
	return string(runes)
}

// mapTexts returns the best with every text changed.
func (sh *shrinker) mapTexts(change func(string) string) Subject {
	return sh.mapValues(func(v spec.Value) spec.Value {
		if text, ok := v.Str(); ok {
			return spec.StringValue(change(text))
		}
		return v
	}, func(members []spec.Member) []spec.Member { return members })
}

// renameNames gives the members of arguments simple names, wherever they stand.
func (sh *shrinker) renameNames() bool {
	for _, old := range sh.names() {
		for _, simple := range []string{"a", "b", "c", "d"} {
			s := sh.mapNames(func(m spec.Member) (spec.Member, bool) {
				if m.Name == old {
					m.Name = simple
				}
				return m, true
			})
			if old != simple && !repeatsName(s.Value()) && sh.accept(s) {
				return true
			}
		}
	}
	return false
}

// repeatsName reports whether an object in the value has a name twice.
func repeatsName(v spec.Value) bool {
	seen := map[string]bool{}
	for _, m := range v.Members() {
		if seen[m.Name] || repeatsName(m.Value) {
			return true
		}
		seen[m.Name] = true
	}
	return slices.ContainsFunc(v.Items(), repeatsName)
}

// dropTopNames leaves out the members of the calls' arguments that have a name, at the top level only.
func (sh *shrinker) dropTopNames() bool {
	for _, old := range sh.names() {
		s := sh.best
		s.Steps = slices.Clone(s.Steps)
		for i, step := range s.Steps {
			if args := step.Event.Get("args"); !args.IsAbsent() {
				s.Steps[i].Event = step.Event.With("args", args.Without(old))
			}
		}
		if sh.accept(s) {
			return true
		}
	}
	return false
}

// squeeze leaves out a character, or the second of two that follow one another, in all texts at once.
func (sh *shrinker) squeeze() bool {
	seen := map[string]bool{}
	for _, text := range sh.texts() {
		runes := []rune(text)
		for i := range runes {
			one, two := string(runes[i:i+1]), string(runes[i:min(i+2, len(runes))])
			for _, change := range [][2]string{{one, ""}, {two, one}} {
				if seen[change[0]+"\x00"+change[1]] || change[0] == change[1] {
					continue
				}
				seen[change[0]+"\x00"+change[1]] = true
				if sh.accept(sh.mapTexts(func(t string) string { return strings.ReplaceAll(t, change[0], change[1]) })) {
					return true
				}
			}
		}
	}
	return false
}

// unwrap puts, in all calls at once, what an argument holds in place of the argument.
func (sh *shrinker) unwrap() bool {
	s := sh.best
	s.Steps = slices.Clone(s.Steps)
	for i, step := range s.Steps {
		args := step.Event.Get("args")
		for _, m := range args.Members() {
			args = args.With(m.Name, inner(m.Value))
		}
		if !args.IsAbsent() {
			s.Steps[i].Event = step.Event.With("args", args)
		}
	}
	return sh.accept(s)
}

// inner returns the first thing in a list or object, and any other value as it is.
func inner(v spec.Value) spec.Value {
	for _, item := range v.Items() {
		return item
	}
	for _, m := range v.Members() {
		return m.Value
	}
	return v
}

// zeroScalars puts 0 in place of a scalar wherever it stands in arguments.
func (sh *shrinker) zeroScalars() bool {
	var scalars []string
	sh.mapArgs(func(v spec.Value) spec.Value {
		if text := v.String(); !slices.Contains(scalars, text) {
			scalars = append(scalars, text)
		}
		return v
	})
	for _, old := range scalars {
		if sh.accept(sh.mapArgs(func(v spec.Value) spec.Value {
			if v.String() == old {
				return spec.IntValue(0)
			}
			return v
		})) {
			return true
		}
	}
	return false
}

// mapArgs returns the best with the scalars in the arguments of its calls changed.
func (sh *shrinker) mapArgs(scalar func(spec.Value) spec.Value) Subject {
	s := sh.best
	s.Steps = slices.Clone(s.Steps)
	same := func(members []spec.Member) []spec.Member { return members }
	for i, step := range s.Steps {
		if args := step.Event.Get("args"); !args.IsAbsent() {
			s.Steps[i].Event = step.Event.With("args", mapValue(args, scalar, same))
		}
	}
	if s.IsCall() {
		s.Args = mapValue(s.Args, scalar, same)
	}
	return s
}

// dropNames leaves out the members of arguments that have a name, wherever they stand.
func (sh *shrinker) dropNames() bool {
	for _, old := range sh.names() {
		if sh.accept(sh.mapNames(func(m spec.Member) (spec.Member, bool) { return m, m.Name != old })) {
			return true
		}
	}
	return false
}

// mapNames returns the best with the members of its arguments, at every depth, changed or left out.
func (sh *shrinker) mapNames(change func(spec.Member) (spec.Member, bool)) Subject {
	return sh.mapValues(func(v spec.Value) spec.Value { return v }, func(members []spec.Member) []spec.Member {
		var kept []spec.Member
		for _, m := range members {
			if changed, keep := change(m); keep {
				kept = append(kept, changed)
			}
		}
		return kept
	})
}

// names returns the names of members in arguments, at every depth, each once.
func (sh *shrinker) names() []string {
	var list []string
	sh.mapNames(func(m spec.Member) (spec.Member, bool) {
		if !slices.Contains(list, m.Name) {
			list = append(list, m.Name)
		}
		return m, true
	})
	return list
}

// mapValues returns the best with its scalars changed, and the members of the arguments of its calls. Members of events
// themselves, and what the protocol gives a meaning, stay.
func (sh *shrinker) mapValues(scalar func(spec.Value) spec.Value, names func([]spec.Member) []spec.Member) Subject {
	s := sh.best
	s.Steps = slices.Clone(s.Steps)
	for i, step := range s.Steps {
		if step.IsReset() {
			continue
		}
		members := slices.Clone(step.Event.Members())
		for k, m := range members {
			if m.Name != "type" && m.Name != "role" {
				members[k].Value = mapValue(m.Value, scalar, names)
			}
		}
		s.Steps[i].Event = spec.ObjectValue(members...)
	}
	if s.IsCall() {
		members := slices.Clone(s.Args.Members())
		for k, m := range members {
			members[k].Value = mapValue(m.Value, scalar, names)
		}
		s.Args = spec.ObjectValue(members...)
	}
	return s
}

func mapValue(v spec.Value, scalar func(spec.Value) spec.Value, names func([]spec.Member) []spec.Member) spec.Value {
	switch v.Kind() {
	case spec.Object:
		members := slices.Clone(names(v.Members()))
		for i := range members {
			members[i].Value = mapValue(members[i].Value, scalar, names)
		}
		return spec.ObjectValue(members...)
	case spec.Array:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = mapValue(items[i], scalar, names)
		}
		return spec.ArrayValue(items...)
	default:
		return scalar(v)
	}
}
