package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

func (sh *shrinker) dropSettings() bool {
	for _, m := range sh.best.Config.Members() {
		if sh.accept(sh.withConfig(sh.best.Config.Without(m.Name))) {
			return true
		}
	}
	return false
}

// sortSettings writes the configuration in the order of its names.
func (sh *shrinker) sortSettings() bool {
	members := slices.Clone(sh.best.Config.Members())
	slices.SortFunc(members, func(a, b spec.Member) int { return strings.Compare(a.Name, b.Name) })
	return len(members) > 0 && sh.accept(sh.withConfig(spec.ObjectValue(members...)))
}

// lowerSettings gives each number of the configuration the lowest value that still fails, together with the removal
// of as many steps as that makes needless.
func (sh *shrinker) lowerSettings() bool {
	for _, m := range sh.best.Config.Members() {
		for _, v := range simpler(m.Value) {
			if sh.accept(sh.withConfig(sh.best.Config.With(m.Name, v))) {
				return true
			}
			if sh.acceptShorter(m.Name, v) {
				return true
			}
		}
	}
	return false
}

// acceptShorter tries a setting together with leaving out one step, since a lower threshold often needs fewer events.
func (sh *shrinker) acceptShorter(name string, v spec.Value) bool {
	for i := range sh.best.Steps {
		s := sh.withConfig(sh.best.Config.With(name, v))
		s.Steps = slices.Concat(sh.best.Steps[:i], sh.best.Steps[i+1:])
		if sh.accept(s) {
			return true
		}
	}
	return false
}

// lowest returns the settings that let the rules that are on by default speak after the fewest events; without those
// that are windows where they are not wanted. Of a detector within another only the thresholds are lowered.
func lowest(settings []spec.Parameter, r spec.Reading, windows bool) spec.Value {
	var members []spec.Member
	for _, p := range settings {
		_, isNumber := p.Usual(r).Int()
		switch {
		case p.Members != nil:
			members = append(members, spec.Member{Name: p.Name, Value: lowest(p.Members, r, false)})
		case isNumber && !p.Percent && p.Use != spec.Interval && (windows || p.Use != spec.Window):
			members = append(members, spec.Member{Name: p.Name, Value: spec.IntValue(1)})
		}
	}
	return spec.ObjectValue(members...)
}

// lowestSettings tries the lowest settings, one by one and all at once, together with leaving out steps that they make
// needless. What of them is not needed, later passes drop.
func (sh *shrinker) lowestSettings() bool {
	definition, _ := spec.DefinitionOf(sh.best.Detector)
	settings := definition.SettingsIn(sh.best.Reading)
	all := lowest(settings, sh.best.Reading, true)
	for _, m := range all.Members() {
		for _, v := range append([]spec.Value{m.Value}, higher(m.Value)...) {
			if sh.acceptFewer(sh.with(spec.ObjectValue(spec.Member{Name: m.Name, Value: v}))) {
				return true
			}
		}
	}
	return sh.acceptFewer(sh.with(all)) || sh.acceptFewer(sh.with(lowest(settings, sh.best.Reading, false)))
}

// higher returns the settings that come after the lowest.
func higher(v spec.Value) []spec.Value {
	if _, isNumber := v.Int(); !isNumber {
		return nil
	}
	return []spec.Value{spec.IntValue(2), spec.IntValue(3)}
}

// with returns the best with some settings put into its configuration.
func (sh *shrinker) with(settings spec.Value) Subject {
	config := sh.best.Config
	if config.Kind() != spec.Object {
		config = spec.ObjectValue()
	}
	for _, m := range settings.Members() {
		config = config.With(m.Name, m.Value)
	}
	return sh.withConfig(config)
}

// acceptFewer accepts a subject with one or more of its steps left out.
func (sh *shrinker) acceptFewer(s Subject) bool {
	steps := s.Steps
	for size := len(steps) - 1; size >= 1; size-- {
		for i := 0; i+size <= len(steps); i++ {
			s.Steps = slices.Concat(steps[:i], steps[i+size:])
			if sh.accept(s) {
				return true
			}
		}
	}
	return false
}
