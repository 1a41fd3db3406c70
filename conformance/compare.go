package conformance

import (
	"fmt"
	"math"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// tolerance is how far two numbers may lie apart, where one of them is no integer: languages differ in the last bits.
const tolerance = 1e-9

// compare returns how an object differs from what is expected of it: only the members that the expectation names,
// unless it names all.
func compare(e cases.Expectation, got spec.Value) []Difference {
	var differences []Difference
	for _, m := range e.Members {
		differences = append(differences, compareOne(m.Name, m.Want, got.Get(m.Name))...)
	}
	if !e.Whole {
		return differences
	}
	for _, m := range got.Members() {
		if _, named := e.Want(m.Name); !named {
			differences = append(differences, Difference{Path: m.Name, Got: show(m.Value)})
		}
	}
	return differences
}

// compareOne returns how one value differs from what is wanted. Wants that need a second call of a function are not
// its business.
func compareOne(path string, want cases.Want, got spec.Value) []Difference {
	switch {
	case want.Absent:
		if got.IsAbsent() {
			return nil
		}
		return []Difference{{Path: path, Got: show(got)}}
	case want.Contains != nil:
		return compareParts(path, want.Contains, true, got)
	case want.Lacks != nil:
		return compareParts(path, want.Lacks, false, got)
	case !want.Differs.IsAbsent():
		if !got.IsAbsent() && !got.Equal(want.Differs) {
			return nil
		}
		return []Difference{{path, "anything but " + want.Differs.String(), show(got)}}
	case want.InWords && want.Equal.SameWords(got):
		return nil
	default:
		return compareValues(path, want.Equal, got)
	}
}

// compareParts compares a text with parts that it must contain, or lack.
func compareParts(path string, parts []string, contained bool, got spec.Value) []Difference {
	text, isText := got.Str()
	want := map[bool]string{true: "a text that contains ", false: "a text without "}[contained]
	for _, part := range parts {
		if !isText || strings.Contains(text, part) != contained {
			return []Difference{{path, want + spec.StringValue(part).String(), show(got)}}
		}
	}
	return nil
}

// compareValues returns the places, below path, where two values differ.
func compareValues(path string, want, got spec.Value) []Difference {
	if want.Equal(got) {
		return nil // as nearly always: walking costs many times as much
	}
	reporter := &differ{root: path}
	cmp.Equal(want, got, walk(), cmp.Reporter(reporter))
	return reporter.differences
}

// walk tells go-cmp how to walk two values: objects by name, lists by index; all else it compares as a whole.
func walk() cmp.Options {
	objects, lists := bothAre(spec.Object), bothAre(spec.Array)
	return cmp.Options{
		cmp.FilterValues(objects, cmp.Transformer("object", membersOf)),
		cmp.FilterValues(lists, cmp.Transformer("array", itemsOf)),
		cmp.FilterValues(func(a, b spec.Value) bool { return !objects(a, b) && !lists(a, b) }, cmp.Comparer(sameWhole)),
	}
}

// maxWalked bounds the lists and objects that are walked into: walking costs more than comparing, and where so much
// differs, nobody reads where.
const maxWalked = 1000

func bothAre(kind spec.Kind) func(a, b spec.Value) bool {
	return func(a, b spec.Value) bool {
		return a.Kind() == kind && b.Kind() == kind &&
			max(len(a.Items()), len(b.Items()), len(a.Members()), len(b.Members())) <= maxWalked
	}
}

func membersOf(v spec.Value) map[string]spec.Value {
	members := map[string]spec.Value{}
	for _, m := range v.Members() {
		members[m.Name] = m.Value
	}
	return members
}

// itemsOf returns the items of a list, never nil: go-cmp tells a slice that is nil from one that is empty.
func itemsOf(v spec.Value) []spec.Value { return append([]spec.Value{}, v.Items()...) }

// sameWhole compares values that are not walked into.
func sameWhole(a, b spec.Value) bool {
	x, isNumber := a.Float()
	y, areNumbers := b.Float()
	areNumbers = areNumbers && isNumber && !(a.IsIntegerLiteral() && b.IsIntegerLiteral())
	return a.Equal(b) || areNumbers && math.Abs(x-y) <= tolerance
}

// differ is a [cmp.Reporter] that keeps each difference with its path. Its texts are our own: those of cmp.Diff are
// not the same from one process to the next.
type differ struct {
	root        string
	path        cmp.Path
	differences []Difference
}

// PushStep implements go-cmp's reporter.
func (d *differ) PushStep(step cmp.PathStep) { d.path = append(d.path, step) }

// PopStep implements go-cmp's reporter.
func (d *differ) PopStep() { d.path = d.path[:len(d.path)-1] }

// Report implements go-cmp's reporter.
func (d *differ) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	want, got := d.path.Last().Values()
	difference := Difference{Path: d.where()}
	if want.IsValid() {
		difference.Want = show(want.Interface().(spec.Value))
	}
	if got.IsValid() {
		difference.Got = show(got.Interface().(spec.Value))
	}
	d.differences = append(d.differences, difference)
}

// where returns the path from the root as users write it: fingerprints[0].count.
func (d *differ) where() string {
	var b strings.Builder
	b.WriteString(d.root)
	for _, step := range d.path {
		switch s := step.(type) {
		case cmp.MapIndex:
			if b.Len() > 0 {
				b.WriteString(".")
			}
			b.WriteString(s.Key().String())
		case cmp.SliceIndex:
			want, got := s.SplitKeys()
			fmt.Fprintf(&b, "[%d]", max(want, got))
		}
	}
	return b.String()
}

// show returns a value for a difference, as much as a report keeps of it; an absent one is empty.
func show(v spec.Value) string {
	if v.IsAbsent() {
		return ""
	}
	return bounded(v.String())
}

// compareFault returns how a refusal differs from the one that is expected.
func compareFault(want cases.Fault, got *spec.Fault) []Difference {
	var differences []Difference
	add := func(path, want, got string) {
		if want != "" && want != got {
			differences = append(differences, Difference{path, want, got})
		}
	}
	add("kind", string(want.Kind), string(got.Kind))
	add("field", want.Field, got.Field)
	add("feature", want.Feature, got.Feature)
	return differences
}

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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
