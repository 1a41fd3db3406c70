package fuzz

import (
	"slices"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// outside reports whether a subject lies outside the specification though each of its texts is valid: a text that a
// rule would cut between the halves of a surrogate pair. Ports may do there what they like, so that no counterexample
// may come to rest there.
func outside(s Subject) bool {
	definition, _ := spec.DefinitionOf(s.Detector)
	at := definition.Cut
	return at > 0 && (partsPair(s.Args, at) ||
		slices.ContainsFunc(s.Steps, func(step laws.Step) bool { return partsPair(step.Event, at) }))
}

// partsPair reports whether a cut after so many UTF-16 units parts a pair in some text of a value.
func partsPair(v spec.Value, at int) bool {
	if text, ok := v.Str(); ok {
		return cutPartsPair(text, at)
	}
	return slices.ContainsFunc(v.Items(), func(item spec.Value) bool { return partsPair(item, at) }) ||
		slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return partsPair(m.Value, at) })
}

func cutPartsPair(text string, at int) bool {
	if len(text) < at {
		return false // a text has no more units than bytes
	}
	units := 0
	for _, r := range text {
		if units == at-1 {
			return r > 0xFFFF
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	return false
}
