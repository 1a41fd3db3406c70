package conformance

import (
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// match returns where a value is not as a pattern says. An object may have more members than its pattern. The text
// ${any} matches whatever is there, and {each: pattern} a list that is not empty and whose items all match.
func match(path string, pattern, got spec.Value) []Difference {
	if text, ok := pattern.Str(); ok && text == cases.AnyPlaceholder {
		if got.IsAbsent() {
			return []Difference{{Path: path, Want: "any value"}}
		}
		return nil
	}
	if each := pattern.Get("each"); !each.IsAbsent() && len(pattern.Members()) == 1 {
		return matchEach(path, each, got)
	}
	switch {
	case pattern.Kind() == spec.Object && got.Kind() == spec.Object:
		var differences []Difference
		for _, m := range pattern.Members() {
			differences = append(differences, match(join(path, m.Name), m.Value, got.Get(m.Name))...)
		}
		return differences
	case pattern.Kind() == spec.Array && got.Kind() == spec.Array && len(pattern.Items()) == len(got.Items()):
		var differences []Difference
		for i, item := range pattern.Items() {
			differences = append(differences, match(fmt.Sprintf("%s[%d]", path, i), item, got.Items()[i])...)
		}
		return differences
	case sameScalar(pattern, got):
		return nil
	default:
		return []Difference{{path, pattern.String(), show(got)}}
	}
}

func matchEach(path string, pattern, got spec.Value) []Difference {
	if len(got.Items()) == 0 {
		return []Difference{{path, "a list that is not empty", show(got)}}
	}
	var differences []Difference
	for i, item := range got.Items() {
		differences = append(differences, match(fmt.Sprintf("%s[%d]", path, i), pattern, item)...)
	}
	return differences
}

// sameScalar compares ids and codes: a number must be a number, but 1 may come back as 1.0 from a language that has
// one kind of number.
func sameScalar(pattern, got spec.Value) bool {
	return pattern.Kind() != spec.Object && pattern.Kind() != spec.Array && pattern.Equal(got)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
