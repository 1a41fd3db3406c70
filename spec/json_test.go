package spec

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestResponseLeavesOutWhatTheProtocolDoesNotKnow shows what is kept of a response (PR-4).
func TestResponseLeavesOutWhatTheProtocolDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, line, want string }{
		{"a member of a verdict", `{"result":{"verdicts":[{"note":[1],"loop":false,"x":{"loop":1}}]}}`, `{"result":{"verdicts":[{"loop":false}]}}`},
		{"members of a result and of the response", `{"id":1,"took":2,"result":{"took":2,"verdicts":[]}}`, `{"id":1,"result":{"verdicts":[]}}`},
		{"evidence stays", `{"result":{"verdicts":[{"evidence":[0,1,[2]]}]}}`, `{"result":{"verdicts":[{"evidence":[0,1,[]]}]}}`},
		{"a state has the form that the port chose", `{"result":{"state":{"a":[{"b":null}]}}}`, `{"result":{"state":{"a":[{"b":null}]}}}`},
		{"so has a value", `{"result":{"value":{"a":["b"]}}}`, `{"result":{"value":{"a":["b"]}}}`},
		{
			"a description", `{"result":{"protocol":1,"name":"n","motto":"m","detectors":[{"id":"@mine","config":{"rules":[]}}]}}`,
			`{"result":{"protocol":1,"name":"n","detectors":[{"id":"@mine","config":{"rules":[]}}]}}`,
		},
		{"an error", `{"error":{"code":1,"message":"m","stack":[1],"data":{"kind":"k","hint":"h"}}}`, `{"error":{"code":1,"message":"m","data":{"kind":"k"}}}`},
		{"a wrong type stays one", `{"id":[1],"result":[1],"error":"no"}`, `{"id":[],"result":[],"error":"no"}`},
		{"no response", `["a",1]`, `[]`},
	} {
		got, err := ParseResponse([]byte(test.line))
		if err != nil || got.String() != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.reason, got, err, test.want)
		}
	}
}

// FuzzResponseIsAPartOfTheValue demands that a response is read as any value is, and then loses what is not kept.
func FuzzResponseIsAPartOfTheValue(f *testing.F) {
	const inVerdict = `{"result":{"verdicts":[{"loop":true,"x":%s}]}}`
	for _, unknown := range []string{
		`[]`, `[1,[2],{"a":"b"}]`, `{"a":1,"a":2}`, `{"a":{"b":[]},"c":1e5}`, `"\ud83d\ude00"`, `"\ud83d"`, `"\x"`, `01`, `-`, `[1,]`, `[,1]`,
		`[1 2]`, `{"a" 1}`, `tru`, strings.Repeat("[", mostDepth) + strings.Repeat("]", mostDepth), objectOf(2*manyMembers, "a"),
	} {
		f.Add(fmt.Appendf(nil, inVerdict, unknown))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, wantErr := ParseValue(text)
		got, err := ParseResponse(text)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !reflect.DeepEqual(got, all.partly(response)) {
			t.Errorf("%.200q is %.200s, %v; want %.200s, %v", text, got, err, all.partly(response), wantErr)
		}
	})
}

// partly returns the part of a value.
func (v Value) partly(p *part) Value {
	var items []Value
	for _, item := range v.Items() {
		if p.item() != nil {
			items = append(items, item.partly(p.item()))
		}
	}
	var members []Member
	for _, m := range v.Members() {
		if of := p.member(m.Name); of != nil {
			members = append(members, Member{m.Name, m.Value.partly(of)})
		}
	}
	switch v.Kind() {
	case Array:
		return ArrayValue(items...)
	case Object:
		return ObjectValue(members...)
	default:
		return v
	}
}

// TestUnknownMembersTakeNoMemory is not parallel: it counts what the whole process allocates. A value of nested arrays
// takes 40 times as much as its text.
func TestUnknownMembersTakeNoMemory(t *testing.T) {
	const size = 1 << 20
	for reason, unknown := range map[string]string{
		"nested arrays":   "[" + strings.Repeat(strings.Repeat("[", 500)+strings.Repeat("]", 500)+",", size/1001) + "0]",
		"nested objects":  strings.Repeat(`{"a":`, 5000) + "0" + strings.Repeat("}", 5000),
		"an array":        "[" + strings.Repeat("1,", size/2) + "0]",
		"a text":          `"` + strings.Repeat("a", size) + `"`,
		"a long number":   strings.Repeat("9", size),
		"texts in arrays": "[" + strings.Repeat(`["a"],`, size/6) + "0]",
	} {
		line := []byte(`{"result":{"verdicts":[{"loop":false,"x":` + unknown + `}]}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ParseResponse(line)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err != nil || taken > size/2 {
			t.Errorf("%s: %v, %d bytes for a line of %d", reason, err, taken, len(line))
		}
	}
}
