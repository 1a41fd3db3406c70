package spec

import (
	"math"
	"testing"
)

// TestValueEqual shows when two JSON values are the same.
func TestValueEqual(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, a, b string
		want         bool
	}{
		{"one number, two spellings", "1", "1.0", true},
		{"exponents", "100", "1e2", true},
		{"integers beyond doubles", "9007199254740993", "9007199254740992", false},
		{"zero has no sign", "0", "-0", true},
		{"huge exponents are never expanded", "1e999999", "10e999998", true},
		{"exponents beyond an integer are compared by spelling", "1e99999999999999999999", "10e99999999999999999998", false},
		{"digits before, behind and after the point", "-12.3400e1", "-123.4", true},
		{"a sign", "-0.5", "0.5", false},
		{"members in another order", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"a member more", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"items in another order", "[1,2]", "[2,1]", false},
		{"null is not false", "null", "false", false},
		{"a text is no number", `"1"`, "1", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			a, b := MustParse(test.a), MustParse(test.b)
			if a.Equal(b) != test.want || b.Equal(a) != test.want {
				t.Errorf("%s and %s: equal is not %t", a, b, test.want)
			}
		})
	}
}

// TestParseValueIsStrict shows what is no JSON text.
func TestParseValueIsStrict(t *testing.T) {
	t.Parallel()
	for reason, text := range map[string]string{
		"a name twice":         `{"a":1,"a":2}`,
		"a lone surrogate":     `"\ud800"`,
		"bytes that are not":   "\"\xff\"",
		"more after the value": "1 2",
		"nothing":              "",
		"half an object":       `{"a":`,
		"a comment":            "1 // one",
	} {
		if v, err := ParseValue([]byte(text)); err == nil {
			t.Errorf("%s: %s was read as %s", reason, text, v)
		}
	}
}

// TestValueKeepsWhatItRead shows that spelling and order survive.
func TestValueKeepsWhatItRead(t *testing.T) {
	t.Parallel()
	const text = `{"b":[1.0,1e5,-0,12345678901234567890],"a":{"z":null,"y":true},"":"\u0001\"é😀"}`
	if got := MustParse(text).String(); got != text {
		t.Errorf("got  %s\nwant %s", got, text)
	}
}

func TestMapChangesWhatStandsInside(t *testing.T) {
	double := func(v Value) Value { return ArrayValue(v, v) }
	for text, want := range map[string]string{
		`{"b":1,"a":[2]}`: `{"b":[1,1],"a":[[2],[2]]}`, `[1,null]`: `[[1,1],[null,null]]`, `[]`: `[]`, `{}`: `{}`, `"a"`: `"a"`,
	} {
		v := MustParse(text)
		if got := v.Map(double).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if v.String() != text {
			t.Errorf("%s became %s", text, v)
		}
	}
}

// TestSameWords shows in which white space two texts may differ (PR-54).
func TestSameWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, a, b string
		want         bool
	}{
		{"another white space between words", `"a b"`, `"a\n\u00a0 b"`, true},
		{"white space at the ends", `"a b"`, `" a b\n"`, true},
		{"no white space between two words", `"a b"`, `"ab"`, false},
		{"another word", `"a b"`, `"a c"`, false},
		{"no texts", "1", "1", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			a, b := MustParse(test.a), MustParse(test.b)
			if a.SameWords(b) != test.want || b.SameWords(a) != test.want {
				t.Errorf("%s and %s: the same words is not %t", a, b, test.want)
			}
		})
	}
}

// TestWhole: a number is an integer by its value, however it is written and however large it is.
func TestWhole(t *testing.T) {
	t.Parallel()
	for spelling, want := range map[string]int{
		"3": 3, "3.0": 3, "-30e-1": -3, "0.003e3": 3, "-0.0": 0, "1e400": math.MaxInt, "-1e400": math.MinInt,
		"9007199254740993": 1<<53 + 1,
	} {
		if got, ok := MustParse(spelling).Whole(); !ok || got != want {
			t.Errorf("%s: got %d, %t, want %d", spelling, got, ok, want)
		}
	}
	for _, spelling := range []string{"0.5", "3.00000000000000000001", "1e-1", `"3"`, "true"} {
		if got, ok := MustParse(spelling).Whole(); ok {
			t.Errorf("%s is %d", spelling, got)
		}
	}
}
