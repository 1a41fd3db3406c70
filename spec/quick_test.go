package spec

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// bothWays reads a text quickly and by the library alone.
func bothWays(text []byte) (quickly Value, ok bool, slowly Value, err error) {
	a, b := &reader{names: map[string]string{}}, &reader{names: map[string]string{}}
	quickly, ok = a.parseQuick(text)
	slowly, err = b.parse(text)
	return quickly, ok, slowly, err
}

func FuzzQuickReadsWhatTheLibraryReads(f *testing.F) {
	for _, seed := range []string{
		`{"type":"tool_call","tool":"sh","args":{"command":"a\n\"b\" é \ud83d\ude00","n":[1,-0,1.50,1E+2,0.1e-9]}}`,
		` [ true , false , null , "" , [ ] , { } ] `, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1,]`, `[1 2]`, `{"a":1,}`, `{,}`,
		`{"a" 1}`, `[01]`, `[-]`, `[1.]`, `[.5]`, `[1e]`, `[+1]`, `"\ud800"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\xed\xa0\x80\"",
		`"`, `"\`, `"\"`, `tru`, `truex`, `1 2`, ``, "\ufeff1", "[\"\x7f\"]", "\"\u2028\"", "{\"a\":1}\x00", "\v1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		quickly, ok, slowly, err := bothWays(text)
		if ok && (err != nil || !reflect.DeepEqual(quickly, slowly)) {
			t.Errorf("%q is quickly %s, by the library %s, %v", text, quickly, slowly, err)
		}
	})
}

// TestQuickGivesUpOnFaultsAlone has the two exceptions, too: what is too deep, and objects with many members.
func TestQuickGivesUpOnFaultsAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, text string
		want         bool
	}{
		{"blanks everywhere", " {\n\"a\" :\t[ 1 , 2 ] ,\r\"b\" : { } } ", true},
		{"escapes in names and texts", `{"\u0061":"\\\"\n\ud83d\ude00"}`, true},
		{"as deep as it goes", strings.Repeat("[", quickDepth) + strings.Repeat("]", quickDepth), true},
		{"too deep", strings.Repeat("[", quickDepth+1) + strings.Repeat("]", quickDepth+1), false},
		{"many members", string(objectOf(quickMembers)), true},
		{"too many members", string(objectOf(quickMembers + 1)), false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			quickly, ok, slowly, err := bothWays([]byte(tt.text))
			if ok != tt.want || err != nil || ok && !reflect.DeepEqual(quickly, slowly) {
				t.Errorf("%s: quickly %t, %s; by the library %s, %v", tt.text, ok, quickly, slowly, err)
			}
		})
	}
}

// objectOf writes an object with so many members.
func objectOf(n int) []byte {
	var text bytes.Buffer
	for i := range n {
		text.WriteString(`,"` + strings.Repeat("a", i) + `":1`)
	}
	return append(bytes.Replace(text.Bytes(), []byte(","), []byte("{"), 1), '}')
}
