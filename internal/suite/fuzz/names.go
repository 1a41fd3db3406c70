package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// What the names of arguments and the texts of a subject are called is changed everywhere at once, so that what repeats
// goes on repeating. First comes the normal form: simple names in the order of appearance. It fails where a name matters
// in itself; so each is tried alone, too.

// letters are the simplest names; simpleNames are those that each name is tried as by itself.
var (
	letters     = strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	simpleNames = append(letters[:4:4], string(face))
)

// normalForm returns what gives each text, in the order in which they come, the next of the names; a text for which
// there is none stays.
func normalForm(names []string) func(string) string {
	known := map[string]string{}
	return func(text string) string {
		if _, is := known[text]; !is {
			known[text] = text
			if len(known) <= len(names) {
				known[text] = names[len(known)-1]
			}
		}
		return known[text]
	}
}

// member changes a member of arguments, at any depth, or leaves it out.
type member func(spec.Member) (changed spec.Member, keep bool)

func keepText(text string) string                  { return text }
func keepMember(m spec.Member) (spec.Member, bool) { return m, true }

// changed returns the best with all its texts and all members of its arguments changed. The members of events themselves,
// and what the protocol gives a meaning, keep their names.
func (sh *shrinker) changed(text func(string) string, member member) Subject {
	var inside func(v spec.Value) spec.Value
	inside = func(v spec.Value) spec.Value {
		switch v.Kind() {
		case spec.String:
			own, _ := v.Str()
			return spec.StringValue(text(own))
		case spec.Array:
			items := slices.Clone(v.Items())
			for i := range items {
				items[i] = inside(items[i])
			}
			return spec.ArrayValue(items...)
		case spec.Object:
			o := spec.ObjectValue()
			for _, m := range v.Members() {
				if m, keep := member(m); keep {
					o = o.With(m.Name, inside(m.Value))
				}
			}
			return o
		default:
			return v
		}
	}
	named := func(v spec.Value) spec.Value {
		members := slices.Clone(v.Members())
		for i, m := range members {
			if m.Name != "type" && m.Name != "role" {
				members[i].Value = inside(m.Value)
			}
		}
		return spec.ObjectValue(members...)
	}
	s := sh.mapSteps(func(_ int, step *laws.Step) {
		if !step.IsReset() {
			step.Event = named(step.Event)
		}
	})
	if s.IsCall() {
		s.Args = named(s.Args)
	}
	return s
}

// changeNames leaves out or renames members of arguments, and puts 0 for their values.
func (sh *shrinker) changeNames() bool {
	var names, values []string
	sh.changed(keepText, func(m spec.Member) (spec.Member, bool) {
		names, values = append(names, m.Name), append(values, m.Value.String())
		return m, true
	})
	for _, change := range memberChanges(distinct(names), distinct(values)) {
		if sh.accept(sh.changed(keepText, change)) {
			return true
		}
	}
	return slices.ContainsFunc(distinct(names), func(name string) bool {
		return sh.accept(sh.mapSteps(func(_ int, step *laws.Step) {
			if args := step.Event.Get("args"); !args.IsAbsent() {
				step.Event = step.Event.With("args", args.Without(name))
			}
		}))
	})
}

// memberChanges returns what to try with the members of arguments: without one of them, with the simplest names, with 0.
func memberChanges(names, values []string) (changes []member) {
	for _, old := range names {
		changes = append(changes, func(m spec.Member) (spec.Member, bool) { return m, m.Name != old })
	}
	simple := normalForm(letters)
	changes = append(changes, func(m spec.Member) (spec.Member, bool) { m.Name = simple(m.Name); return m, true })
	for _, old := range names {
		for _, name := range simpleNames {
			changes = append(changes, func(m spec.Member) (spec.Member, bool) {
				if m.Name == old {
					m.Name = name
				}
				return m, true
			})
		}
	}
	for _, old := range values {
		changes = append(changes, func(m spec.Member) (spec.Member, bool) {
			if m.Value.String() == old {
				m.Value = spec.IntValue(0)
			}
			return m, true
		})
	}
	return changes
}

// changeTexts simplifies texts: all by the normal form, one wherever it stands, a character in all of them.
func (sh *shrinker) changeTexts() bool {
	var texts []string
	sh.changed(func(text string) string { texts = append(texts, text); return text }, keepMember)
	for _, change := range textChanges(distinct(texts)) {
		if sh.accept(sh.changed(change, keepMember)) {
			return true
		}
	}
	return false
}

func textChanges(texts []string) []func(string) string {
	changes := []func(string) string{normalForm(append([]string{""}, letters...)), normalForm(letters)}
	for _, pair := range textPairs(texts) {
		changes = append(changes, func(text string) string {
			if text == pair[0] {
				return pair[1]
			}
			return text
		})
	}
	for _, pair := range characterPairs(texts) {
		changes = append(changes, func(text string) string { return strings.ReplaceAll(text, pair[0], pair[1]) })
	}
	for i, one := range texts {
		for _, other := range texts[i+1:] {
			changes = append(changes, func(text string) string {
				switch text {
				case one:
					return other
				case other:
					return one
				default:
					return text
				}
			})
		}
	}
	return changes
}

// textPairs returns which texts to try in place of which.
func textPairs(texts []string) (pairs [][2]string) {
	for _, text := range texts {
		for _, v := range append(simplerTexts(text), spec.StringValue("c"), spec.StringValue("d")) {
			if simple, isText := v.Str(); isText && simple != text {
				pairs = append(pairs, [2]string{text, simple})
			}
		}
	}
	return pairs
}

// characterPairs returns which characters to try in place of which in all texts at once: a simple one in place of each,
// none, and the first of two that follow one another in place of both.
func characterPairs(texts []string) (pairs [][2]string) {
	for _, text := range texts {
		characters := strings.Split(text, "")
		for i, one := range characters {
			pairs = append(pairs, [2]string{one, "a"}, [2]string{one, "b"}, [2]string{one, "c"}, [2]string{one, string(face)}, [2]string{one, ""})
			if i+1 < len(characters) {
				pairs = append(pairs, [2]string{one + characters[i+1], one})
			}
		}
	}
	return distinct(pairs)
}

// distinct returns the list with each of its items once.
func distinct[T comparable](list []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(list, func(item T) bool {
		was := seen[item]
		seen[item] = true
		return was
	})
}

// unwrap puts, in all calls at once, one of the things that an argument holds in place of the argument.
func (sh *shrinker) unwrap() bool {
	for place, found := 0, true; found; place++ {
		found = false
		if sh.accept(sh.mapSteps(func(_ int, step *laws.Step) {
			args := step.Event.Get("args")
			for _, m := range args.Members() {
				if inner := contentOf(m.Value); place < len(inner) {
					args, found = args.With(m.Name, inner[place]), true
				}
			}
			if found && !args.IsAbsent() {
				step.Event = step.Event.With("args", args)
			}
		})) {
			return true
		}
	}
	return false
}

// contentOf returns what an array or an object holds.
func contentOf(v spec.Value) []spec.Value {
	content := slices.Clone(v.Items())
	for _, m := range v.Members() {
		content = append(content, m.Value)
	}
	return content
}
