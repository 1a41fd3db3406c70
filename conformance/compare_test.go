package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// inWords returns differences as "path: want … got …", one after the other.
func inWords(differences []Difference) string {
	var list []string
	for _, d := range differences {
		list = append(list, fmt.Sprintf("%s: want %s got %s", d.Path, d.Want, d.Got))
	}
	return strings.Join(list, "; ")
}

// TestAMessageCountsByItsWords: documents wrap lines for display, so only who declares the layout is asked for it.
func TestAMessageCountsByItsWords(t *testing.T) {
	const text = `
detector: fingerprint
cases:
  - id: fingerprint-a
    title: A
    clauses: [FP-25]
    source: silent
    why: B
    needs: [messages]
    steps:
      - tool_call: {tool: t}
        expect: {loop: true, tool: "a\nb", message: "a\nb"}
`
	tests := []struct{ needs, verdict, differences string }{
		{"messages", `{"loop":true,"tool":"a\nb","message":" a  b\n"}`, ``},
		{"messages", `{"loop":true,"tool":"a b","message":"a b"}`, `tool: want "a\nb" got "a b"`},
		{"messages", `{"loop":true,"tool":"a\nb","message":"ab"}`, `message: want "a\nb" got "ab"`},
		{"layout", `{"loop":true,"tool":"a\nb","message":"a b"}`, `message: want "a\nb" got "a b"`},
	}
	for _, tt := range tests {
		all, err := cases.Parse("a.yaml", []byte(strings.Replace(text, "messages", tt.needs, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := inWords(compare(all[0].Steps[0].Expect[0], parse(tt.verdict))); got != tt.differences {
			t.Errorf("needs %s, %s:\n got %s\nwant %s", tt.needs, tt.verdict, got, tt.differences)
		}
	}
}

func parse(text string) spec.Value {
	if text == "" {
		return spec.Value{}
	}
	return spec.MustParse(text)
}

// TestCompareValues states what equal means, and how a difference is told: an absent side is empty.
func TestCompareValues(t *testing.T) {
	tests := []struct{ want, got, differences string }{
		{`1`, `1`, ``},
		{`1`, `2`, `m: want 1 got 2`},
		{`1`, ``, `m: want 1 got `},
		{`null`, ``, `m: want null got `},
		{`1`, `1.0`, ``},
		{`0.5`, `0.5000000001`, ``},
		{`0.5`, `0.50000001`, `m: want 0.5 got 0.50000001`},
		{`0.50000001`, `0.5`, `m: want 0.50000001 got 0.5`},
		{`1`, `1.0000000001`, ``},
		{`1.0000000001`, `1`, ``},
		{`0.0`, `0.000000001`, ``},
		{`0.0`, `0.00000000101`, `m: want 0.0 got 0.00000000101`},
		{`9007199254740993`, `9007199254740992`, `m: want 9007199254740993 got 9007199254740992`},
		{`1`, `"1"`, `m: want 1 got "1"`},
		{`"a"`, `"a"`, ``},
		{`"a"`, `"b"`, `m: want "a" got "b"`},
		{`true`, `true`, ``},
		{`true`, `false`, `m: want true got false`},
		{`null`, `null`, ``},
		{`null`, `1`, `m: want null got 1`},
		{`null`, `false`, `m: want null got false`},
		{`""`, `null`, `m: want "" got null`},
		{`null`, `{}`, `m: want null got {}`},
		{`"a"`, `null`, `m: want "a" got null`},
		{`{"a":1}`, `{"a":null}`, `m.a: want 1 got null`},
		{`{}`, `{"a":null}`, `m.a: want  got null`},
		{`[null]`, `[true]`, `m[0]: want null got true`},
		{`{}`, `[]`, `m: want {} got []`},
		{`[]`, `[]`, ``},
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`, ``},
		{`{"a":1}`, `{"a":2}`, `m.a: want 1 got 2`},
		{`{"a":1}`, `{}`, `m.a: want 1 got `},
		{`{}`, `{"a":1}`, `m.a: want  got 1`},
		{`{"a":null}`, `{}`, `m.a: want null got `},
		{`{"a":{"c":1,"b":[true,"x",null]}}`, `{}`, `m.a: want {"c":1,"b":[true,"x",null]} got `},
		{`[1,2,3]`, `[1,5,3]`, `m[1]: want 2 got 5`},
		{`[1,2]`, `[1]`, `m[1]: want 2 got `},
		{`[1]`, `[1,2]`, `m[1]: want  got 2`},
		{`[1,2,3]`, `[2,3]`, `m[0]: want 1 got `},
		{`[2,3]`, `[1,2,3]`, `m[0]: want  got 1`},
		{`[1,2,3,4]`, `[1,3,4,5]`, `m[1]: want 2 got ; m[3]: want  got 5`},
		{`[]`, `[1,2]`, `m[0]: want  got 1; m[1]: want  got 2`},
		{`[{"a":[0,0]}]`, `[{"a":[0,1]}]`, `m[0].a[1]: want 0 got 1`},
		{`{"a":1,"b":2}`, `{"a":3,"b":4}`, `m.a: want 1 got 3; m.b: want 2 got 4`},
	}
	for _, test := range tests {
		if got := inWords(compareValues("m", parse(test.want), parse(test.got))); got != test.differences {
			t.Errorf("%s and %s:\n got %s\nwant %s", test.want, test.got, got, test.differences)
		}
	}
	if got := inWords(compareValues("", parse(`{"a":1}`), parse(`{"a":2}`))); got != "a: want 1 got 2" {
		t.Errorf("a member of the root: got %s", got)
	}
}

// TestCompareOneWant has, for each kind of demand, what meets it and each way to miss it.
func TestCompareOneWant(t *testing.T) {
	absent := cases.Want{Absent: true}
	contains := cases.Want{Contains: []string{"one", "two"}}
	differs := cases.Want{Differs: parse(`"x"`)}
	equal := cases.Want{Equal: parse(`[1]`)}
	tests := []struct {
		want             cases.Want
		got, differences string
	}{
		{absent, ``, ``},
		{absent, `null`, `m: want  got null`},
		{contains, `"two and one"`, ``},
		{contains, `"one"`, `m: want a text that contains "two" got "one"`},
		{contains, `"two"`, `m: want a text that contains "one" got "two"`},
		{contains, `["one","two"]`, `m: want a text that contains "one" got ["one","two"]`},
		{contains, ``, `m: want a text that contains "one" got `},
		{cases.Want{Contains: []string{""}}, `""`, ``},
		{cases.Want{Contains: []string{""}}, `1`, `m: want a text that contains "" got 1`},
		{differs, `"y"`, ``},
		{differs, `null`, ``},
		{differs, `"x"`, `m: want anything but "x" got "x"`},
		{differs, ``, `m: want anything but "x" got `},
		{equal, `[1]`, ``},
		{equal, `[2]`, `m[0]: want 1 got 2`},
		{equal, ``, `m: want [1] got `},
	}
	for _, test := range tests {
		if got := inWords(compareOne("m", test.want, parse(test.got))); got != test.differences {
			t.Errorf("%+v and %s:\n got %s\nwant %s", test.want, test.got, got, test.differences)
		}
	}
}

// TestCompareFault shows that a refusal is compared in the members that a case names, and in no other.
func TestCompareFault(t *testing.T) {
	got := &spec.Fault{Kind: spec.InvalidEvent, Field: "tool", Feature: "x", Message: "m"}
	tests := []struct {
		want        cases.Fault
		differences string
	}{
		{cases.Fault{}, ``},
		{cases.Fault{Kind: spec.InvalidEvent}, ``},
		{cases.Fault{Kind: spec.InvalidEvent, Field: "tool", Feature: "x"}, ``},
		{cases.Fault{Kind: spec.InvalidConfig, Field: "tool"}, `kind: want invalid_config got invalid_event`},
		{cases.Fault{Kind: spec.InvalidEvent, Field: "args"}, `field: want args got tool`},
		{cases.Fault{Feature: "y"}, `feature: want y got x`},
		{cases.Fault{Kind: spec.InvalidConfig, Field: "args"}, `kind: want invalid_config got invalid_event; field: want args got tool`},
	}
	for _, test := range tests {
		if got := inWords(compareFault(test.want, got)); got != test.differences {
			t.Errorf("%+v:\n got %s\nwant %s", test.want, got, test.differences)
		}
	}
}
