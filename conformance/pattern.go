package conformance

import (
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// match returns where a value is not as a pattern says. An object may have more members than its pattern. The text
// ${any} matches whatever is there, ${id} and ${name} an id of a detector and a name (PR-45), and {each: pattern} a
// list that is not empty and whose items all match.
func match(path string, pattern, got spec.Value) []Difference {
	if text, ok := pattern.Str(); ok && cases.IsPlaceholder(text) {
		return matchPlaceholder(path, text, got)
	}
	if each := pattern.Get("each"); !each.IsAbsent() && len(pattern.Members()) == 1 {
		return matchEach(path, each, got)
	}
	var differences []Difference
	switch {
	case pattern.Kind() != got.Kind() || len(pattern.Items()) != len(got.Items()):
		return []Difference{{path, pattern.String(), show(got)}}
	case pattern.Kind() == spec.Object:
		for _, m := range pattern.Members() {
			differences = append(differences, match(join(path, m.Name), m.Value, got.Get(m.Name))...)
		}
	case pattern.Kind() == spec.Array:
		for i, item := range pattern.Items() {
			differences = append(differences, match(fmt.Sprintf("%s[%d]", path, i), item, got.Items()[i])...)
		}
	case !pattern.Equal(got): // 1 is equal to 1.0, which a language with one kind of number may answer
		return []Difference{{path, pattern.String(), show(got)}}
	}
	return differences
}

func matchPlaceholder(path, placeholder string, got spec.Value) []Difference {
	text, isText := got.Str()
	want := ""
	switch {
	case placeholder == cases.AnyPlaceholder && got.IsAbsent():
		want = "any value"
	case placeholder == cases.IDPlaceholder && (!isText || spec.CheckID(spec.DetectorID(text)) != nil):
		want = "the id of a detector"
	case placeholder == cases.NamePlaceholder && (!isText || spec.CheckName(text) != nil):
		want = "a name"
	default:
		return nil
	}
	return []Difference{{path, want, show(got)}}
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
