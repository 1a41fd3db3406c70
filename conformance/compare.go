package conformance

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// compare returns how an object differs from what is expected of it: only the members that the expectation names,
// unless it names all.
func compare(e cases.Expectation, got spec.Value) []Difference {
	var differences []Difference
	for _, m := range e.Members {
		value := got.Get(m.Name)
		if m.Optional && value.IsAbsent() {
			continue
		}
		differences = append(differences, compareOne(m.Name, m.Want, value)...)
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

// misplaced returns the members of a verdict that a verdict of this kind does not have.
func misplaced(row spec.Definition, verdict spec.Value) (differences []Difference) {
	for _, m := range row.Misplaced(verdict) {
		differences = append(differences, Difference{Path: m.Name, Got: show(m.Value)})
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

// compareValues returns the places, below path, where two values differ. go-cmp compares objects name by name; lists
// are compared by [compareItems], and all else as a whole.
func compareValues(path string, want, got spec.Value) []Difference {
	if spec.Agrees(path, want, got) { // as nearly all do: go-cmp takes its time
		return nil
	}
	if !areObjects(want, got) {
		return compareWhole(path, want, got)
	}
	r := &reporter{root: path}
	cmp.Equal(want, got, byMember, exactly, otherwise, cmp.Reporter(r))
	return r.found
}

// maxWalked bounds the lists and objects that are walked into: walking costs more than comparing, and where so much
// differs, nobody reads where.
const maxWalked = 1000

var (
	byMember  = cmp.FilterValues(areObjects, cmp.Transformer("members", membersOf))
	exactly   = cmp.FilterPath(isInteger, comparer(spec.Value.Equal))
	otherwise = cmp.FilterPath(func(p cmp.Path) bool { return !isInteger(p) }, comparer(spec.Value.Near))
)

// comparer compares values that are not both objects.
func comparer(same func(a, b spec.Value) bool) cmp.Option {
	return cmp.FilterValues(func(a, b spec.Value) bool { return !areObjects(a, b) }, cmp.Comparer(same))
}

// isInteger reports whether a path ends at a member that is an integer in verdicts.
func isInteger(p cmp.Path) bool {
	member, ok := p.Last().(cmp.MapIndex)
	if !ok {
		return false
	}
	m, _ := spec.VerdictMemberOf(member.Key().String())
	return m.Integer
}

func areObjects(a, b spec.Value) bool {
	small := max(len(a.Members()), len(b.Members())) <= maxWalked
	return a.Kind() == spec.Object && b.Kind() == spec.Object && small
}

func membersOf(object spec.Value) map[string]spec.Value {
	members := map[string]spec.Value{}
	for _, m := range object.Members() {
		members[m.Name] = m.Value
	}
	return members
}

// reporter collects what go-cmp finds: what go-cmp itself prints is worded anew in each process.
type reporter struct {
	root  string
	path  cmp.Path
	found []Difference
}

func (r *reporter) PushStep(step cmp.PathStep) { r.path = append(r.path, step) }
func (r *reporter) PopStep()                   { r.path = r.path[:len(r.path)-1] }

func (r *reporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	path := r.root
	for _, step := range r.path {
		if member, ok := step.(cmp.MapIndex); ok {
			path = join(path, member.Key().String())
		}
	}
	want, got := r.path.Last().Values()
	r.found = append(r.found, compareWhole(path, valueOf(want), valueOf(got))...)
}

// valueOf returns the value that go-cmp holds; where it holds none, the value is absent.
func valueOf(v reflect.Value) spec.Value {
	if !v.IsValid() {
		return spec.Value{}
	}
	return v.Interface().(spec.Value)
}

// compareWhole returns how two values differ that are not both objects.
func compareWhole(path string, want, got spec.Value) []Difference {
	walked := max(len(want.Items()), len(got.Items())) <= maxWalked
	if walked && want.Kind() == spec.Array && got.Kind() == spec.Array {
		return compareItems(path, want.Items(), got.Items())
	}
	return []Difference{{path, show(want), show(got)}}
}

// compareItems compares two lists so that as many items as possible are the same: an item that one list lacks does not
// make those behind it differ. go-cmp does so too, but neither as well nor the same in each process.
func compareItems(path string, want, got []spec.Value) (differences []Difference) {
	common := commonItems(want, got)
	for i, j := 0, 0; i < len(want) || j < len(got); {
		var w, g spec.Value
		at, most := max(i, j), common[i][j]
		switch {
		case i < len(want) && j < len(got) && (want[i].Near(got[j]) || common[i+1][j+1] == most):
			w, g, i, j = want[i], got[j], i+1, j+1
		case i < len(want) && common[i+1][j] == most:
			w, at, i = want[i], i, i+1
		default:
			g, at, j = got[j], j, j+1
		}
		differences = append(differences, compareValues(fmt.Sprintf("%s[%d]", path, at), w, g)...)
	}
	return differences
}

// commonItems returns how many items the rest of one list, from i, has in common with the rest of the other, from j, in
// the same order: the longest common subsequence.
func commonItems(a, b []spec.Value) [][]int {
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i].Near(b[j]) {
				common[i][j] = 1 + common[i+1][j+1]
			}
		}
	}
	return common
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
