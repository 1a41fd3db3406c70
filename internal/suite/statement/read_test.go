package statement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/spec"
)

func TestReadTakesWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{written(t, stated()), written(t, empty())} {
		s, err := Read("s.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if again := written(t, s); again != text {
			t.Errorf("written again, the statement differs (-want +got):\n%s", cmp.Diff(text, again))
		}
	}
}

// replaced is one deliberate fault in the written sample.
type replaced struct {
	reason, old, new, want string
}

func faults() []replaced {
	return []replaced{
		{"a later format may mean anything", `"format": 1`, `"format": 2`, "/format: the format is 2, and only 1 can be read"},
		{"a format must be told", `"format": 1,`, ``, "/format: the member is missing"},
		{"a member is missing deep inside", `,"total":12`, ``, "/suite/total: the member is missing"},
		{"a misspelt member", `"language"`, `"langauge"`, "/port/langauge: unknown member"},
		{"a member twice", `"date": "2026-11-20"`, `"seed": 1, "date": "2026-11-20"`, `/seed: not JSON, at byte 490: duplicate object member name`},
		{"a wrong type", `"seed": 42`, `"seed": "42"`, "/seed: a value of a wrong type, or out of range"},
		{"a boolean is no number", `"selected":6`, `"selected":true`, "/suite/selected: a value of a wrong type, or out of range"},
		{"a fraction is no integer", `"selected":6`, `"selected":6.5`, "/suite/selected: a value of a wrong type, or out of range"},
		{"null is not absence", `"seed": 42`, `"seed": null`, "/seed: the member is empty; leave it out"},
		{"null is no list", `"features":[]`, `"features":null`, "/detectors/1/features: the value null is read as []"},
		{"an empty address is none", `"https://example.com/?a=1&b=2"`, `""`, "/port/url: the member is empty; leave it out"},
		{"a suite without a name", `"0123456789abcdef"`, `""`, "/suite/digest: the digest is empty: nobody could tell what the statement is about"},
		{"a day that there is not", `"2026-11-20"`, `"2026-11-31"`, `/date: want a day such as 2027-01-31, got "2026-11-31"`},
		{"a status that there is not", `"status":"undecided"`, `"status":"fine"`, `/results/4/status: there is no status "fine"`},
		{"a result without a case", `"case":"crow-b"`, `"case":""`, "/results/3/case: the id is empty"},
		{"a result twice", `"case":"crow-b"`, `"case":"crow-a"`, "/results/3: crow-a (code) stands there twice"},
		{"a detector twice", `{"detector":"history","readings":["code"],"f`, `{"detector":"crow","readings":["code"],"f`, "/detectors/1: crow stands there twice"},
		{"a pass that was none", `"status":"failed"`, `"status":"passed"`, "/counts/2: the results have other counts"},
		{"counts of nothing", `"counts": [`, `"counts": [{"detector":"ralph","reading":"text","passed":0,"failed":0,"known":0,"broken":0,"undecided":0,"skipped":0},`, "/counts/0: the results have other counts"},
		{"counts that are missing", `,
    {"detector":"swarm","reading":"text","passed":0,"failed":0,"known":0,"broken":0,"undecided":0,"skipped":1}`, ``, "/counts: there are 4, and the results have 5"},
		{"text after the end", "\n  ]\n}\n", "\n  ]\n}\n{}", "parse JSON: more text after the value, at byte 1929"},
	}
}

func TestReadRefusesEachFaultAtItsPlace(t *testing.T) {
	t.Parallel()
	text := written(t, stated())
	for _, f := range faults() {
		if strings.Count(text, f.old) != 1 {
			t.Errorf("%s: %q occurs %d times in the sample, want once", f.reason, f.old, strings.Count(text, f.old))
			continue
		}
		_, err := Read("s.json", []byte(strings.Replace(text, f.old, f.new, 1)))
		if err == nil || err.Error() != "s.json: "+f.want {
			t.Errorf("%s: got the error %v, want s.json: %s", f.reason, err, f.want)
		}
	}
}

func TestReadRefusesWhatIsNoStatement(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, text, want string }{
		{"an empty file", "", "s.json: parse JSON: it ends too early"},
		{"a file cut short", `{"format": 1, "suite": {"version"`, "s.json: /suite/version: not JSON, at byte 33: unexpected EOF"},
		{"another kind of value", `[]`, "s.json: a value of a wrong type, or out of range"},
	} {
		if _, err := Read("s.json", []byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%s: got the error %v, want %s", test.reason, err, test.want)
		}
	}
}

// mayBeMissing lists the members that a statement can do without.
var mayBeMissing = []string{"url", "seed", "settings", "reason", "step", "differs"}

func TestReadRefusesAnyMemberThatIsMissing(t *testing.T) {
	t.Parallel()
	whole := spec.MustParse(written(t, stated()))
	n := 0
	for _, name := range mayBeMissing {
		whole = without(whole, name)
	}
	for _, smaller := range eachWithoutOne(whole) {
		n++
		if _, err := Read("s.json", []byte(smaller.String())); err == nil {
			t.Errorf("Read accepts %s", smaller)
		}
	}
	if n < 80 {
		t.Errorf("only %d members were left out", n)
	}
}

// without leaves out every member of that name at any depth.
func without(v spec.Value, name string) spec.Value {
	switch v.Kind() {
	case spec.Object:
		v = v.Without(name)
		for _, m := range v.Members() {
			v = v.With(m.Name, without(m.Value, name))
		}
		return v
	case spec.Array:
		items := make([]spec.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = without(item, name)
		}
		return spec.ArrayValue(items...)
	default:
		return v
	}
}

// eachWithoutOne returns the value once for each member at any depth, without that member.
func eachWithoutOne(v spec.Value) []spec.Value {
	var all []spec.Value
	for _, m := range v.Members() {
		all = append(all, v.Without(m.Name))
		for _, smaller := range eachWithoutOne(m.Value) {
			all = append(all, v.With(m.Name, smaller))
		}
	}
	for i, item := range v.Items() {
		for _, smaller := range eachWithoutOne(item) {
			items := append([]spec.Value{}, v.Items()...)
			items[i] = smaller
			all = append(all, spec.ArrayValue(items...))
		}
	}
	return all
}
