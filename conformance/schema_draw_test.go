package conformance_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// oddValues are of every kind, and on both sides of what members may be: the wrong ones are as likely as the right.
var oddValues = []spec.Value{
	spec.NullValue(), spec.BoolValue(true), spec.BoolValue(false),
	spec.IntValue(-1), spec.IntValue(0), spec.IntValue(1), spec.IntValue(7), spec.NumberValue("1.5"),
	spec.StringValue(""), spec.StringValue("a"), spec.StringValue("text"), spec.StringValue("1"),
	spec.ArrayValue(), spec.ArrayValue(spec.StringValue("a")), spec.ArrayValue(spec.IntValue(1)),
	spec.ObjectValue(), spec.MustParse(`{"a":1}`), spec.MustParse(`{"a":0}`), spec.MustParse(`{"a":"b"}`),
}

// drawObject draws an object of some of the members; most of them have values that their schemas allow, and now and
// then there is a member that no schema knows.
func drawObject(t *rapid.T, members map[string][]spec.Value) spec.Value {
	object := spec.ObjectValue()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch rapid.IntRange(0, 7).Draw(t, name+" is there") {
		case 0: // absent
		case 1:
			object = object.With(name, rapid.SampledFrom(oddValues).Draw(t, name))
		default:
			schema := rapid.SampledFrom(members[name]).Draw(t, name+" as")
			object = object.With(name, drawValue(t, schema, name))
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "extra") == 0 {
		object = object.With("no_such_member", rapid.SampledFrom(oddValues).Draw(t, "value"))
	}
	return object
}

// drawValue draws a value that fits the schema, as far as its own words go: a reference to another is not followed.
func drawValue(t *rapid.T, schema spec.Value, name string) spec.Value {
	if enum := schema.Get("enum").Items(); len(enum) > 0 {
		return rapid.SampledFrom(enum).Draw(t, name)
	}
	kind, _ := schema.Get("type").Str()
	fitting := slices.DeleteFunc(slices.Clone(oddValues), func(v spec.Value) bool {
		return kind != "" && v.Kind().String() != kind && (kind != "integer" || !v.IsIntegerLiteral())
	})
	return rapid.SampledFrom(fitting).Draw(t, name)
}
