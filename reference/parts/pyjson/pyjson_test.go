package pyjson_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"testing"

	"github.com/loopstone/loopstone/reference/parts/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// TestPythonTexts holds texts that CPython 3.11 printed for json.dumps(json.loads(in), sort_keys=True).
func TestPythonTexts(t *testing.T) {
	tests := []struct{ reason, in, want string }{
		{"an empty object has no blank", `{}`, `{}`},
		{"an empty array has no blank", `[]`, `[]`},
		{"the constants are JSON's", `[null,true,false]`, `[null, true, false]`},
		{
			"keys are sorted at every depth, items are not", `{"b":[2,1],"a":{"d":1,"c":[{"z":0,"y":0}]}}`,
			`{"a": {"c": [{"y": 0, "z": 0}], "d": 1}, "b": [2, 1]}`,
		},
		{
			"upper case sorts before lower case", `{"a":1,"B":2,"_":3,"10":4,"9":5}`,
			`{"10": 4, "9": 5, "B": 2, "_": 3, "a": 1}`,
		},
		{"keys sort by code point, not by UTF-16 unit", `{"\ud83d\ude00":1,"\uff5e":2}`, `{"\uff5e": 2, "\ud83d\ude00": 1}`},
		{"a key that is a prefix comes first", `{"ab":1,"a":2,"":3}`, `{"": 3, "a": 2, "ab": 1}`},
		{"an integer stays one", `1`, `1`},
		{"a float keeps its point", `1.0`, `1.0`},
		{"trailing zeros go", `1.500`, `1.5`},
		{"the minus of an integer zero goes", `-0`, `0`},
		{"the minus of a float zero stays", `-0.0`, `-0.0`},
		{"an exponent makes a float", `1E2`, `100.0`},
		{"an integer has any length", `123456789012345678901234567890`, `123456789012345678901234567890`},
		{"the last float without an exponent", `9999999999999998.0`, `9999999999999998.0`},
		{"exponents begin at 1e16", `1e16`, `1e+16`},
		{"digits go before the exponent", `1.25E+20`, `1.25e+20`},
		{"small floats keep the point down to 1e-4", `0.0001`, `0.0001`},
		{"smaller ones have a two-digit exponent", `0.00001`, `1e-05`},
		{"three digits of exponent", `1e-300`, `1e-300`},
		{"the shortest digits that read back", `0.1000000000000000055`, `0.1`},
		{"the smallest double", `5e-324`, `5e-324`},
		{"a float that is too large", `[1e400,-1e400]`, `[Infinity, -Infinity]`},
		{"a float that is too small", `1e-400`, `0.0`},
		{"short escapes", `"\"\\\/\b\f\n\r\t"`, `"\"\\/\b\f\n\r\t"`},
		{"other control characters", `"\u0000\u001f\u007f"`, `"\u0000\u001f\u007f"`},
		{"the ends of printable ASCII", `" ~"`, `" ~"`},
		{"no HTML escapes", `"<&>"`, `"<&>"`},
		{"Latin-1 is escaped", `"é"`, `"\u00e9"`},
		{"the line separator is escaped", `"\u2028"`, `"\u2028"`},
		{"astral characters are two escapes", `"😀"`, `"\ud83d\ude00"`},
		{"keys are escaped like values", `{"é\n":1}`, `{"\u00e9\n": 1}`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			got := string(pyjson.AppendSorted([]byte("<"), spec.MustParse(tt.in)))
			if want := "<" + tt.want; got != want {
				t.Errorf("AppendSorted(%s)\n got %s\nwant %s", tt.in, got, want)
			}
		})
	}
}

// TestFloatsReadBack checks over powers of ten and their neighbours what makes the text a repr: it reads back as the
// same double, and as a float.
func TestFloatsReadBack(t *testing.T) {
	for e := -30; e <= 30; e++ {
		power := math.Pow(10, float64(e))
		for _, f := range []float64{power, -power, math.Nextafter(power, 0), math.Nextafter(power, math.Inf(1))} {
			in := spec.NumberValue(strconv.FormatFloat(f, 'e', -1, 64))
			text := pyjson.AppendSorted(nil, in)
			back, err := spec.ParseValue(text)
			if err != nil {
				t.Fatalf("%s is written as %s: %v", in, text, err)
			}
			if got, _ := back.Float(); got != f || back.IsIntegerLiteral() && math.Abs(f) < 1e16 {
				t.Errorf("%s is written as %s, which is %v", in, text, got)
			}
		}
	}
}

// FuzzJSON checks that the text of any value is JSON that means that value to another decoder.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"b":[1,"é"],"a":{"c":-0.0}}`, `"\ud83d\ude00\u007f"`, `[1e16,1e-5,100]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		v, err := spec.ParseValue([]byte(in))
		if err != nil {
			t.Skip()
		}
		text := pyjson.AppendSorted(nil, v)
		var want, got any
		if json.Unmarshal([]byte(in), &want) != nil {
			t.Skip() // a number outside the range of doubles
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("the text of %s is %s: %v", in, text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the text of %s is %s, which is another value", in, text)
		}
	})
}
