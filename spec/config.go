package spec

import (
	"math"
	"slices"
)

// MaxSetting is the largest threshold or size that the specification covers; larger ones are taken as this.
const MaxSetting = math.MaxInt32

// Setting reads one member of a configuration into a variable. Its error is a [*Fault] of kind [InvalidConfig].
type Setting func(field string, v Value) error

// AtLeast returns the Setting of an integer that must not be below least.
func AtLeast(least int, into *int) Setting {
	return func(field string, v Value) error {
		n, ok := v.Int()
		if !ok || n < least {
			return BadConfig(field, "want an integer of at least %d, got %s", least, v)
		}
		*into = min(n, MaxSetting)
		return nil
	}
}

// ReadConfig reads a configuration member by member. An absent configuration changes nothing, so the variables hold
// their defaults before. A member that has no Setting is refused; the first fault in the order of the members is
// returned.
func ReadConfig(config Value, settings map[string]Setting) error {
	if config.IsAbsent() {
		return nil
	}
	if config.Kind() != Object {
		return BadParams("config: want an object, got %s", config.Kind())
	}
	for _, m := range config.Members() {
		set, known := settings[m.Name]
		if !known {
			return BadConfig(m.Name, "unknown member; known are %v", names(settings))
		}
		if err := set(m.Name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

func names(settings map[string]Setting) []string {
	var list []string
	for name := range settings {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
