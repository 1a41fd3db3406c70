package spec

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// byLibrary reads a text token by token.
func byLibrary(text []byte) (Value, error) {
	tokens := jsontext.NewDecoder(bytes.NewReader(text))
	v, err := nextValue(tokens)
	if err != nil {
		return Value{}, err
	}
	if _, err := tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return Value{}, errors.New("more text after the value")
	}
	return v, nil
}

func nextValue(tokens *jsontext.Decoder) (Value, error) {
	token, err := tokens.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch token.Kind() {
	case 'n':
		return NullValue(), nil
	case 't', 'f':
		return BoolValue(token.Kind() == 't'), nil
	case '"':
		return StringValue(token.String()), nil
	case '0':
		return NumberValue(token.String()), nil
	}
	kind, closing := Array, jsontext.Kind(']')
	if token.Kind() == '{' {
		kind, closing = Object, jsontext.Kind('}')
	}
	var items []Value
	for tokens.PeekKind() != closing {
		item, err := nextValue(tokens)
		if err != nil {
			return Value{}, err
		}
		items = append(items, item)
	}
	if _, err := tokens.ReadToken(); err != nil || kind == Array {
		return ArrayValue(items...), err
	}
	var members []Member // each a name and a value
	for i := 0; i < len(items); i += 2 {
		name, _ := items[i].Str()
		members = append(members, Member{name, items[i+1]})
	}
	return ObjectValue(members...), nil
}

// compareWithLibrary demands that a text is read as the library reads it, or refused as it is there.
func compareWithLibrary(t *testing.T, text []byte) {
	t.Helper()
	want, wantErr := byLibrary(text)
	got, err := ParseValue(text)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%.200q is %.200s, %v; by the library %.200s, %v", text, got, err, want, wantErr)
	}
}

func FuzzReaderReadsWhatTheLibraryReads(f *testing.F) {
	for _, seed := range []string{
		`{"type":"tool_call","tool":"sh","args":{"command":"a\n\"b\" é \ud83d\ude00","n":[1,-0,1.50,1E+2,0.1e-9]}}`,
		` [ true , false , null , "" , [ ] , { } ] `, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `[1,]`, `[1 2]`, `{"a":1,}`, `{,}`,
		`{"a" 1}`, `[01]`, `[-]`, `[1.]`, `[.5]`, `[1e]`, `[+1]`, `"\ud800"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\xed\xa0\x80\"",
		`"`, `"\`, `"\"`, `tru`, `truex`, `1 2`, ``, "\ufeff1", "[\"\x7f\"]", "\"\u2028\"", "{\"a\":1}\x00", "\v1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(compareWithLibrary)
}

func TestTextsAtTheBoundsOfTheReader(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, text string }{
		{"blanks everywhere", " {\n\"a\" :\t[ 1 , 2 ] ,\r\"b\" : { } } "},
		{"escapes in names and texts", `{"\u0061":"\\\"\n\ud83d\ude00"}`},
		{"as deep as it goes", strings.Repeat("[", mostDepth) + strings.Repeat("]", mostDepth)},
		{"a number as deep as it goes", strings.Repeat("[", mostDepth) + "1" + strings.Repeat("]", mostDepth)},
		{"objects as deep as it goes", strings.Repeat(`{"a":`, mostDepth) + "1" + strings.Repeat("}", mostDepth)},
		{"too deep", strings.Repeat("[", mostDepth+1) + strings.Repeat("]", mostDepth+1)},
		{"objects too deep", strings.Repeat(`{"a":`, mostDepth+1) + "1" + strings.Repeat("}", mostDepth+1)},
		{"as many members as are compared one by one", objectOf(manyMembers, "b")},
		{"many members", objectOf(3*manyMembers, "b")},
		{"a few members, one of them twice", objectOf(manyMembers-1, "a")},
		{"many members, one of them twice", objectOf(3*manyMembers, "a")},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			compareWithLibrary(t, []byte(tt.text))
		})
	}
}

// objectOf writes an object with so many members, named a, aa and so on, and another one.
func objectOf(n int, other string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(`"` + strings.Repeat("a", i+1) + `":1,`)
	}
	return "{" + text.String() + `"` + other + `":1}`
}
