package detectortest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// spoil returns the value with a change at one place.
func spoil(t *rapid.T, v spec.Value) spec.Value {
	if inner := len(v.Items()) + len(v.Members()); inner > 0 && rapid.IntRange(0, 3).Draw(t, "deeper") > 0 {
		return spoilInner(t, v, rapid.IntRange(0, inner-1).Draw(t, "place"))
	}
	return spec.MustParse(rapid.SampledFrom([]string{
		`null`, `true`, `false`, `0`, `1`, `2`, `-1`, `1.5`, `2.0`, `9007199254740992`, `""`, `"x"`, `[]`, `[7]`, `{}`, `{"x":1}`,
	}).Draw(t, "instead"))
}

// spoilInner changes an item or member, takes it away, or puts one beside it.
func spoilInner(t *rapid.T, v spec.Value, place int) spec.Value {
	how := rapid.IntRange(0, 4).Draw(t, "how")
	if v.Kind() == spec.Object {
		m := v.Members()[place]
		switch how {
		case 0:
			return v.Without(m.Name)
		case 1:
			return v.With("x", m.Value)
		default:
			return v.With(m.Name, spoil(t, m.Value))
		}
	}
	items := slices.Clone(v.Items())
	switch how {
	case 0:
		items = slices.Delete(items, place, place+1)
	case 1:
		items = slices.Insert(items, place, items[place])
	default:
		items[place] = spoil(t, items[place])
	}
	return spec.ArrayValue(items...)
}
