package fuzz

import (
	"slices"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// cutAt is where signatures cut an output, in UTF-16 units.
const cutAt = 50

// outside reports whether a subject lies outside the specification though each of its texts is valid: an output whose
// signature would be cut between the halves of a surrogate pair. Ports may do there what they like, so that no
// counterexample may come to rest there.
func outside(s Subject) bool {
	if s.Detector != spec.Signature && s.Detector != spec.Guards {
		return false
	}
	return partsPair(s.Args) || slices.ContainsFunc(s.Steps, func(step laws.Step) bool { return partsPair(step.Event) })
}

// partsPair reports whether the cut parts a pair in some text of a value.
func partsPair(v spec.Value) bool {
	if text, ok := v.Str(); ok {
		return cutPartsPair(text)
	}
	return slices.ContainsFunc(v.Items(), partsPair) ||
		slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return partsPair(m.Value) })
}

func cutPartsPair(text string) bool {
	if len(text) < cutAt {
		return false // a text has no more units than bytes
	}
	units := 0
	for _, r := range text {
		if units == cutAt-1 {
			return r > 0xFFFF
		}
		if units++; r > 0xFFFF {
			units++
		}
	}
	return false
}
