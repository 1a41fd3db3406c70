package generate

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// keys are names of arguments that no rule knows. Some are in another order by code points than by UTF-16 units.
var keys = []string{
	"timeout", "n", "x", "y", "é", "\uff5e", "😀", "\U00010000", "", "Path", "\"", "\x7f", "a\\", "__proto__", "constructor", "10", "9", "\n",
}

var (
	constants = []spec.Value{
		spec.NullValue(), spec.BoolValue(true), spec.BoolValue(false), spec.ArrayValue(), spec.ObjectValue(), spec.StringValue(""),
	}
	asciiKeys = []string{"a", "b", "c", "path", "it's", `"`, "z", ""}
)

// speller draws the texts, names and numbers of values.
type speller struct {
	dice
	text    func() string
	names   []string
	numbers []spec.Value
}

// speller returns that of a call's arguments.
func (d *draft) speller() speller { return speller{d.dice, d.text, keys, d.numbers} }

// value returns any value, at most depth objects and arrays deep.
func (s speller) value(depth int) spec.Value {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch s.below(kinds) {
	case 0, 1:
		return spec.StringValue(s.text())
	case 2:
		return pick(s.dice, s.numbers)
	case 3:
		return pick(s.dice, constants)
	case 4:
		return spec.ObjectValue(s.members(nil, s.between(0, 3), depth-1)...)
	default:
		items := make([]spec.Value, s.between(0, 3))
		for i := range items {
			items[i] = s.value(depth - 1)
		}
		return spec.ArrayValue(items...)
	}
}

// members appends up to n members whose names are not there yet.
func (s speller) members(list []spec.Member, n, depth int) []spec.Member {
	for range n {
		name := pick(s.dice, s.names)
		if !hasMember(list, name) {
			list = append(list, spec.Member{Name: name, Value: s.value(depth)})
		}
	}
	return list
}

func hasMember(list []spec.Member, name string) bool {
	return slices.ContainsFunc(list, func(m spec.Member) bool { return m.Name == name })
}

// shuffled returns an equal value whose members stand in another order, at every depth.
func (d dice) shuffled(v spec.Value) spec.Value {
	switch {
	case len(v.Items()) > 0:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = d.shuffled(items[i])
		}
		return spec.ArrayValue(items...)
	case len(v.Members()) > 0:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = d.shuffled(members[i].Value)
			j := d.below(i + 1)
			members[i], members[j] = members[j], members[i]
		}
		return spec.ObjectValue(members...)
	default:
		return v
	}
}
