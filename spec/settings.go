package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// MaxSetting is the largest threshold or size that the specification covers. Larger numbers are read as MaxSetting.
const MaxSetting = math.MaxInt32

// Settings is the configuration of a session as the row of its detector reads it: checked, with the default of each
// setting that it does not name.
type Settings struct {
	Reading Reading

	values Value
	row    []Parameter
}

// Read reads a configuration, which may be absent. Its error is a [*Fault] of kind [InvalidConfig]. The fault names the
// first member that the reading or the port does not have, or that is not as the row demands.
func (o Offer) Read(r Reading, config Value) (Settings, error) {
	if k := config.Kind(); k != Absent && k != Object {
		return Settings{}, BadParams("config: want an object, got %s", k)
	}
	has := o.settings(r)
	for _, m := range config.Members() {
		fault := checkMember(has, m)
		if fault == nil {
			continue
		}
		if fault.Field != m.Name {
			fault = BadConfig(m.Name, "%s: %s", fault.Field, fault.Message)
		}
		return Settings{}, fault
	}
	return Settings{r, withUsual(has, r, config), has}, nil
}

// Number returns an integer, at most [MaxSetting]; 0 if the setting is off.
func (s Settings) Number(name string) int {
	n, _ := s.values.Get(name).Int()
	return min(n, MaxSetting)
}

// Numbers returns the integers of an object by their names.
func (s Settings) Numbers(name string) map[string]int {
	numbers := map[string]int{}
	for _, m := range s.values.Get(name).Members() {
		n, _ := m.Value.Int()
		numbers[m.Name] = min(n, MaxSetting)
	}
	return numbers
}

// Text returns a text, empty if the setting is off.
func (s Settings) Text(name string) string { return s.values.Get(name).Text() }

// Texts returns the texts of an array.
func (s Settings) Texts(name string) []string { return s.values.Get(name).Texts() }

// IsTrue reports whether a setting is true.
func (s Settings) IsTrue(name string) bool { return s.values.Get(name).IsTrue() }

// Object returns the settings in an object, with their defaults.
func (s Settings) Object(name string) Settings {
	return Settings{s.Reading, s.values.Get(name), s.members(name)}
}

// Objects returns the settings in each object of an array, with their defaults.
func (s Settings) Objects(name string) []Settings {
	var list []Settings
	for _, item := range s.values.Get(name).Items() {
		list = append(list, Settings{s.Reading, withUsual(s.members(name), s.Reading, item), s.members(name)})
	}
	return list
}

func (s Settings) members(name string) []Parameter {
	return s.row[slices.IndexFunc(s.row, func(p Parameter) bool { return p.Name == name })].Members
}

// Value returns any setting unchanged, absent if it is off.
func (s Settings) Value(name string) Value { return s.values.Get(name) }

// checkMember returns the fault of a member at its place, nil if it has none.
func checkMember(known []Parameter, m Member) *Fault {
	p, ok := lists.Find(known, func(p Parameter) bool { return p.Name == m.Name })
	if !ok {
		names := slices.Sorted(slices.Values(lists.Map(known, func(p Parameter) string { return p.Name })))
		return BadConfig(m.Name, "unknown member; %s", wording.Hint(m.Name, names))
	}
	return p.check(m.Name, m.Value)
}

// check returns the fault of the setting's value at a place, nil if it has none.
func (p Parameter) check(place string, v Value) *Fault {
	if problem := p.problem(v); problem != "" {
		return BadConfig(place, "%s", problem)
	}
	item := Parameter{Kind: p.Of, OneOf: p.OneOf, Members: p.Members, Least: p.Least}
	for i, value := range v.Items() {
		if fault := item.check(place+"/"+strconv.Itoa(i), value); fault != nil {
			return fault
		}
	}
	for _, m := range v.Members() {
		known := p.Members
		if known == nil { // any name will do
			item.Name = m.Name
			known = []Parameter{item}
		}
		if fault := checkMember(known, m); fault != nil {
			return BadConfig(place+"/"+fault.Field, "%s", fault.Message)
		}
	}
	return nil
}

// problem says what is wrong with a value apart from its items and members; empty if nothing is.
func (p Parameter) problem(v Value) string {
	n, isInt := v.Int()
	switch {
	case p.Kind == Number && (!isInt || n < p.Least):
		return fmt.Sprintf("want an integer of at least %d, got %s", p.Least, v)
	case v.Kind() != p.Kind:
		return fmt.Sprintf("want %s, got %s", p.Kind, v)
	case p.Kind == String && p.OneOf != nil && !slices.Contains(p.OneOf, v.Text()):
		return fmt.Sprintf("want one of %v, got %s", p.OneOf, v)
	default:
		return ""
	}
}
