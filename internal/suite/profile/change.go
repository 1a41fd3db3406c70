package profile

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
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
	if id.Row() == spec.Composed {
		for i, rule := range rulesIn(config) {
			for _, c := range ofObject(rule, row.Settings[0].Members, "") {
				c.rule = i
				list = append(list, c)
			}
		}
		return list
	}
	asked := row.Asked(config)
	for _, p := range row.Settings {
		if slices.ContainsFunc(asked, p.BearsOn) { // otherwise no rule minds it
			list = append(list, ofMember(config, p, p.Name)...)
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
		rule = with(rule, "name", spec.StringValue(strconv.Itoa(i+1)))
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

// with returns an object with a member, or without it if its value is absent.
func with(object spec.Value, name string, value spec.Value) spec.Value {
	switch {
	case value.IsAbsent():
		return object.Without(name)
	case object.IsAbsent():
		return spec.ObjectValue(spec.Member{Name: name, Value: value})
	default:
		return object.With(name, value)
	}
}

// mostRepairs bounds how many members one change may take with it.
const mostRepairs = 4

// repair takes away members that the rest does not allow any more, such as the periods of a cycle that is now a run. It
// reports whether the detector accepts the configuration.
func (c *change) repair(id spec.DetectorID) bool {
	for range mostRepairs {
		err := checkConfig(id, c.alone(id))
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

// put returns an object with a member at a path of names; without it if the member is absent.
func put(object spec.Value, path []string, member spec.Value) spec.Value {
	if len(path) > 1 {
		member = put(object.Get(path[0]), path[1:], member)
	}
	return with(object, path[0], member)
}

// setting is a parameter of a configuration with its value, which is absent if the configuration does not have it.
type setting struct {
	parameter spec.Parameter
	value     spec.Value
	path      string
}

// changes returns the setting with each other value that is tried; absent if the member is taken away.
func (p setting) changes() []change {
	switch {
	case p.parameter.Kind == spec.Object:
		return ofObject(p.value, p.parameter.Members, p.path+".")
	case p.parameter.Of == spec.Object:
		return p.ofObjects()
	}
	written := !p.value.IsAbsent()
	var list []change
	if p.parameter.Kind == spec.Array {
		for i, item := range p.items() {
			shorter := spec.ArrayValue(slices.Delete(slices.Clone(p.items()), i, i+1)...)
			list = append(list, change{shorter, p.path, item.Text(), written, 0})
		}
		for _, v := range p.longer() {
			list = append(list, change{v, p.path, "", false, 0})
		}
	}
	for _, v := range p.values() {
		list = append(list, change{v, p.path, "", written, 0})
	}
	return list
}

// ofObject changes each member of an object in turn; path is how the paths of its members begin.
func ofObject(object spec.Value, members []spec.Parameter, path string) []change {
	var list []change
	for _, m := range members {
		list = append(list, ofMember(object, m, path+m.Name)...)
		list = append(list, moved(object, m, members, path)...)
	}
	return list
}

// ofMember returns an object with each change of a member, which has a path.
func ofMember(object spec.Value, m spec.Parameter, path string) []change {
	list := setting{m, object.Get(m.Name), path}.changes()
	for i := range list {
		list[i].settings = with(object, m.Name, list[i].settings)
	}
	return list
}

// moved gives a list of free names to each other such list that the object lacks.
func moved(object spec.Value, from spec.Parameter, members []spec.Parameter, path string) []change {
	isFree := func(p spec.Parameter) bool { return p.Of == spec.String && p.OneOf == nil }
	names := object.Get(from.Name)
	if !isFree(from) || len(names.Items()) == 0 {
		return nil
	}
	var list []change
	for _, to := range members {
		if isFree(to) && object.Get(to.Name).IsAbsent() {
			list = append(list, change{with(object.Without(from.Name), to.Name, names), path + from.Name, "", true, 0})
		}
	}
	return list
}

// ofObjects changes each member of each object of a list in turn.
func (p setting) ofObjects() []change {
	items := p.value.Items()
	if p.value.IsAbsent() {
		items = []spec.Value{spec.ObjectValue()} // the default of rules and of rungs
	}
	var list []change
	for i, item := range items {
		for _, c := range ofObject(item, p.parameter.Members, fmt.Sprintf("%s.%d.", p.path, i+1)) {
			changed := slices.Clone(items)
			changed[i] = c.settings
			c.settings = spec.ArrayValue(changed...)
			list = append(list, c)
		}
	}
	return list
}

// items returns the items of a list, or those that it has by default.
func (p setting) items() []spec.Value {
	if p.value.IsAbsent() {
		return p.parameter.Usual(spec.Code).Items()
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
		usual = p.parameter.Usual(spec.Code)
	}
	var list []spec.Value
	switch p.parameter.Kind {
	case spec.Bool:
		list = append(list, spec.BoolValue(!usual.IsTrue()))
	case spec.String:
		others := p.parameter.OneOf
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
		list = append(list, spec.IntValue(max(n-1, p.parameter.Least)))
		if n <= mostBothWays {
			list = append(list, spec.IntValue(n+1))
		}
	}
	if !p.value.IsAbsent() && !p.value.Equal(p.parameter.Usual(spec.Code)) {
		list = append(list, spec.Value{})
	}
	return lists.Filter(list, func(v spec.Value) bool { return v.IsAbsent() || !v.Equal(usual) })
}

// longer returns the list with one more item: each word that it may have, the name that traces give to an argument or,
// for a list of tools, the tool that they call most.
func (p setting) longer() []spec.Value {
	more := p.parameter.OneOf
	switch {
	case more != nil:
	case p.parameter.Name == "keep" || p.parameter.Name == "omit":
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
