package spec_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// TestCanonicalIsThatOfAnotherImplementation compares with jsontext, which rewrites a text in place.
func TestCanonicalIsThatOfAnotherImplementation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := anyJSON(3).Draw(t, "value")
		want := jsontext.Value(v.AppendJSON(nil))
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if got := v.Canonical(); got != string(want) {
			t.Fatalf("%s\ngot  %s\nwant %s", v, got, want)
		}
	})
}

// anyJSON draws values whose names and numbers lie where canonical forms go wrong: on both sides of the surrogates,
// and where doubles change their spelling or run out of digits.
func anyJSON(depth int) *rapid.Generator[spec.Value] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.StringOf(oddRunes), spec.StringValue),
		rapid.Map(oddNumbers(), spec.NumberValue),
		rapid.Map(rapid.Bool(), spec.BoolValue),
		rapid.Just(spec.NullValue()),
	)
	if depth == 0 {
		return leaf
	}
	inner := anyJSON(depth - 1)
	objects := rapid.Custom(func(t *rapid.T) spec.Value {
		var members []spec.Member
		names := rapid.SliceOfNDistinct(rapid.StringOf(oddRunes), 0, 5, rapid.ID[string]).Draw(t, "names")
		for _, name := range names {
			members = append(members, spec.Member{Name: name, Value: inner.Draw(t, "member")})
		}
		return spec.ObjectValue(members...)
	})
	arrays := rapid.Map(rapid.SliceOfN(inner, 0, 3), func(items []spec.Value) spec.Value { return spec.ArrayValue(items...) })
	return rapid.OneOf(leaf, objects, arrays)
}

var oddRunes = rapid.SampledFrom([]rune("aAb_\"\\/\n\t\x01\x7fé\u2028퟿\ue000\uffee\U00010000\U0010ffff<&"))

func oddNumbers() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) string { return strconv.FormatInt(n, 10) }),
		rapid.Map(rapid.Float64(), func(f float64) string { return strconv.FormatFloat(f, 'e', -1, 64) }),
		rapid.Map(rapid.Float64Range(-1e22, 1e22), func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }),
		rapid.SampledFrom([]string{
			"0", "-0", "0.0", "-0.0", "1.0", "1e0", "1e21", "1e20", "1e-6", "1e-7", "999999999999999", "9999999999999999",
			"9007199254740993", "123456789012345678901234567890", fmt.Sprint(math.MaxFloat64), "5e-324",
		}),
	)
}
