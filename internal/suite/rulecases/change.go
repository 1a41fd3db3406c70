package rulecases

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// change is a configuration that differs from the declared one in one member: what a port has that ignores the member,
// or that has it without declaring it.
type change struct {
	settings spec.Value // the whole rule, or the whole configuration of stream, with the change
	member   string     // such as same.thought, or rungs.1.at
	item     string     // of a list, which is taken away; empty for any other change
	written  bool       // the declaration writes the member, or the item
	rule     int        // which rule of composed has the member, from 0; 0 for stream
}

// rulesIn returns the rules of a configuration of composed as they are written.
func rulesIn(config spec.Value) []spec.Value {
	if config.Get("rules").IsAbsent() {
		return []spec.Value{spec.ObjectValue()} // CO-3
	}
	return config.Get("rules").Items()
}

// changesOf returns a configuration with each member in turn taken away, added, or given another value: the row of the
// detector says which members there are and what they may be. Those that the detector refuses are left out. Members
// that the declaration writes come first.
func changesOf(id spec.DetectorID, config spec.Value) iter.Seq[change] {
	written, others := lists.Partition(allChanges(id, config), func(c change) bool { return c.written })
	return func(yield func(change) bool) {
		for _, c := range append(written, others...) {
			if c.repair(id) && !yield(c) {
				return
			}
		}
	}
}

// allChanges is [changesOf] in the order of the members, with changes that the detector refuses.
func allChanges(id spec.DetectorID, config spec.Value) (list []change) {
	row, _ := spec.DefinitionOf(id.Row())
	objects, parameters := rulesIn(config), row.Settings[0].Members
	if id.Row() == spec.Stream {
		isMinded := func(p spec.Parameter) bool { return slices.ContainsFunc(row.Asked(config), p.BearsOn) }
		objects, parameters = []spec.Value{config}, lists.Filter(row.Settings, isMinded)
	}
	for i, object := range objects {
		for _, s := range settingsIn(object, parameters, nil) {
			for _, c := range s.changes(object) {
				c.member, c.rule = strings.Join(s.path, "."), i
				list = append(list, c)
			}
		}
	}
	return list
}

// alone returns the configuration that has the change and, of composed, no other rule. The rule keeps its name.
func (c change) alone(id spec.DetectorID) spec.Value {
	if id.Row() == spec.Stream {
		return c.settings
	}
	return ruleAlone(c.settings, c.rule)
}

// ruleAlone returns a configuration of composed with one of its rules, which keeps its name.
func ruleAlone(rule spec.Value, i int) spec.Value {
	if rule.Get("name").IsAbsent() {
		rule = rule.With("name", spec.StringValue(strconv.Itoa(i+1)))
	}
	return spec.ObjectValue(spec.Member{Name: "rules", Value: spec.ArrayValue(rule)})
}

// whole returns the declared configuration with the change.
func (c change) whole(id spec.DetectorID, declared spec.Value) spec.Value {
	if id.Row() == spec.Stream {
		return c.settings
	}
	rules := slices.Clone(rulesIn(declared))
	rules[c.rule] = c.settings
	return spec.ObjectValue(spec.Member{Name: "rules", Value: spec.ArrayValue(rules...)})
}

// mostRepairs bounds how many members one change may take with it.
const mostRepairs = 4

// repair takes away members that the rest does not allow any more, such as the periods of a cycle that is now a run. It
// reports whether the detector accepts the configuration.
func (c *change) repair(id spec.DetectorID) bool {
	for range mostRepairs {
		err := profile.CheckConfig(id, c.alone(id))
		if err == nil {
			return true
		}
		fault, isFault := errors.AsType[*spec.Fault](err)
		if !isFault || id.Row() == spec.Stream {
			return false
		}
		where, _, _ := strings.Cut(fault.Message, ":") // CO-40: rules/0/…
		path := strings.Split(where, "/")[2:]
		if len(path) == 0 || strings.HasPrefix(c.member, strings.Join(path, ".")) || path[0] == "rungs" {
			return false // it is the change itself that the detector refuses
		}
		repaired := put(c.settings, path, spec.Value{})
		if repaired.Equal(c.settings) && path[0] == "changes" { // an added change needs calls that are one
			repaired = put(c.settings, path, spec.StringsValue(plainTools[:1]))
		}
		c.settings = repaired
	}
	return false
}

// within returns a member of an object, or an item of a list by its number from 1.
func within(v spec.Value, name string) spec.Value {
	if i, err := strconv.Atoi(name); err == nil && i <= len(v.Items()) {
		return v.Items()[i-1]
	}
	return v.Get(name)
}

// put returns an object, or a list, with a member at a path of names and numbers of items; without it if the member is
// absent.
func put(v spec.Value, path []string, member spec.Value) spec.Value {
	if len(path) > 1 {
		member = put(within(v, path[0]), path[1:], member)
	}
	i, err := strconv.Atoi(path[0])
	switch {
	case err == nil:
		items := append(slices.Clone(v.Items()), make([]spec.Value, max(i-len(v.Items()), 0))...)
		items[i-1] = member
		return spec.ArrayValue(items...)
	case member.IsAbsent():
		return v.Without(path[0])
	default:
		return v.With(path[0], member)
	}
}

// setting is a parameter of an object with its value, which is absent if the object does not have it.
type setting struct {
	spec.Parameter

	path   []string
	value  spec.Value
	others [][]string // where else the value may be: lists of free names, too, which the object lacks
}

// settingsIn returns the settings in an object. In the place of objects and of lists of objects stand their settings.
func settingsIn(object spec.Value, parameters []spec.Parameter, path []string) (list []setting) {
	isFree := func(p spec.Parameter) bool { return p.Of == spec.String && p.OneOf == nil }
	for _, p := range parameters {
		s := setting{Parameter: p, path: append(slices.Clip(path), p.Name), value: object.Get(p.Name)}
		switch {
		case p.Kind == spec.Object:
			list = append(list, settingsIn(s.value, p.Members, s.path)...)
			continue
		case p.Of == spec.Object:
			for i := range max(len(s.value.Items()), 1) { // one object is the default
				at := strconv.Itoa(i + 1)
				list = append(list, settingsIn(within(s.value, at), p.Members, append(slices.Clip(s.path), at))...)
			}
			continue
		}
		for _, other := range parameters {
			if isFree(p) && len(s.value.Items()) > 0 && isFree(other) && object.Get(other.Name).IsAbsent() {
				s.others = append(s.others, append(slices.Clip(path), other.Name))
			}
		}
		list = append(list, s)
	}
	return list
}

// changes returns an object with each other value of the setting that is tried, and without it.
func (p setting) changes(object spec.Value) (list []change) {
	written := !p.value.IsAbsent()
	if p.Kind == spec.Array {
		for i, item := range p.items() {
			shorter := spec.ArrayValue(slices.Delete(slices.Clone(p.items()), i, i+1)...)
			list = append(list, change{settings: put(object, p.path, shorter), item: item.Text(), written: written})
		}
		for _, v := range p.longer() {
			list = append(list, change{settings: put(object, p.path, v)})
		}
	}
	for _, v := range p.values() {
		list = append(list, change{settings: put(object, p.path, v), written: written})
	}
	for _, other := range p.others {
		moved := put(put(object, p.path, spec.Value{}), other, p.value)
		list = append(list, change{settings: moved, written: true})
	}
	return list
}

// items returns the items of a list, or those that it has by default.
func (p setting) items() []spec.Value {
	if p.value.IsAbsent() {
		return p.Usual(spec.Code).Items()
	}
	return p.value.Items()
}

// mostBothWays is the largest number of which the next larger one is tried, too: a trace that decides it is as long.
const mostBothWays = 200

// farAway is the number that stands for all below it where none is declared, such as characters of an answer.
const farAway = 1000

// values returns other values of a parameter that is no object, and absent for its default. The items of lists are
// changed one by one.
func (p setting) values() []spec.Value {
	usual := p.value
	if usual.IsAbsent() {
		usual = p.Usual(spec.Code)
	}
	var list []spec.Value
	switch p.Kind {
	case spec.Bool:
		list = append(list, spec.BoolValue(!usual.IsTrue()))
	case spec.String:
		others := p.OneOf
		if others == nil {
			others = []string{usual.Text() + "x"}
		}
		for _, other := range others {
			list = append(list, spec.StringValue(other))
		}
	case spec.Number:
		n, has := usual.Int()
		if !has {
			return []spec.Value{spec.IntValue(farAway)}
		}
		list = append(list, spec.IntValue(max(n-1, p.Least)))
		if n <= mostBothWays {
			list = append(list, spec.IntValue(n+1))
		}
	}
	if !p.value.IsAbsent() && !p.value.Equal(p.Usual(spec.Code)) {
		list = append(list, spec.Value{})
	}
	return lists.Filter(list, func(v spec.Value) bool { return v.IsAbsent() || !v.Equal(usual) })
}

// longer returns the list with one more item: each word that it may have, the name that traces give to an argument or,
// for a list of tools, the tool that they call most.
func (p setting) longer() []spec.Value {
	more := p.OneOf
	switch {
	case more != nil:
	case p.Name == "keep" || p.Name == "omit":
		more = []string{plainArgument}
	default:
		more = plainTools[:1]
	}
	var list []spec.Value
	for _, word := range more {
		if v := spec.StringValue(word); !slices.ContainsFunc(p.items(), v.Equal) {
			list = append(list, spec.ArrayValue(append(slices.Clone(p.items()), v)...))
		}
	}
	return list
}
