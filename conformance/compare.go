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
		if !names(e, m.Name) {
			differences = append(differences, Difference{Path: m.Name, Got: m.Value.String()})
		}
	}
	return differences
}

func names(e cases.Expectation, name string) bool {
	for _, m := range e.Members {
		if m.Name == name {
			return true
		}
	}
	return false
}

// compareOne returns how one value differs from what is wanted. Wants that need a second call of a function are not
// its business.
func compareOne(path string, want cases.Want, got spec.Value) []Difference {
	switch {
	case want.Absent:
		if got.IsAbsent() {
			return nil
		}
		return []Difference{{Path: path, Got: got.String()}}
	case want.Contains != nil:
		return compareContains(path, want.Contains, got)
	case want.Lacks != nil:
		return compareLacks(path, want.Lacks, got)
	case !want.Differs.IsAbsent():
		if !got.IsAbsent() && !got.Equal(want.Differs) {
			return nil
		}
		return []Difference{{path, "anything but " + want.Differs.String(), show(got)}}
	default:
		return compareValues(path, want.Equal, got)
	}
}

func compareContains(path string, parts []string, got spec.Value) []Difference {
	text, isText := got.Str()
	for _, part := range parts {
		if !isText || !strings.Contains(text, part) {
			return []Difference{{path, "a text that contains " + spec.StringValue(part).String(), show(got)}}
		}
	}
	return nil
}

func compareLacks(path string, parts []string, got spec.Value) []Difference {
	text, isText := got.Str()
	for _, part := range parts {
		if !isText || strings.Contains(text, part) {
			return []Difference{{path, "a text without " + spec.StringValue(part).String(), show(got)}}
		}
	}
	return nil
}

// compareValues returns the places, below path, where two values differ.
func compareValues(path string, want, got spec.Value) []Difference {
	if got.IsAbsent() {
		return []Difference{{Path: path, Want: want.String()}}
	}
	if want.Kind() != got.Kind() { // go-cmp has no value to show for a null that stands alone
		return []Difference{{path, want.String(), got.String()}}
	}
	reporter := &differ{root: path}
	cmp.Equal(native(want), native(got), cmp.Comparer(sameNumber), cmp.Reporter(reporter))
	return reporter.differences
}

// number is a JSON number among native values.
type number struct{ v spec.Value }

func sameNumber(a, b number) bool {
	if a.v.Equal(b.v) {
		return true
	}
	if a.v.IsIntegerLiteral() && b.v.IsIntegerLiteral() {
		return false
	}
	x, _ := a.v.Float()
	y, _ := b.v.Float()
	return math.Abs(x-y) <= tolerance
}

// native returns a value as go-cmp walks it: maps, slices, texts, booleans, nil and numbers.
func native(v spec.Value) any {
	switch v.Kind() {
	case spec.Object:
		object := map[string]any{}
		for _, m := range v.Members() {
			object[m.Name] = native(m.Value)
		}
		return object
	case spec.Array:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, native(item))
		}
		return list
	case spec.Number:
		return number{v}
	case spec.String:
		text, _ := v.Str()
		return text
	case spec.Bool:
		return v.IsTrue()
	default:
		return nil
	}
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
		difference.Want = show(fromNative(want.Interface()))
	}
	if got.IsValid() {
		difference.Got = show(fromNative(got.Interface()))
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

func fromNative(x any) spec.Value {
	switch x := x.(type) {
	case map[string]any:
		members := []spec.Member{}
		for _, name := range sortedKeys(x) {
			members = append(members, spec.Member{Name: name, Value: fromNative(x[name])})
		}
		return spec.ObjectValue(members...)
	case []any:
		items := make([]spec.Value, len(x))
		for i := range x {
			items[i] = fromNative(x[i])
		}
		return spec.ArrayValue(items...)
	case number:
		return x.v
	case string:
		return spec.StringValue(x)
	case bool:
		return spec.BoolValue(x)
	default:
		return spec.NullValue()
	}
}

// show returns a value for a difference; an absent one is empty.
func show(v spec.Value) string {
	if v.IsAbsent() {
		return ""
	}
	return v.String()
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
