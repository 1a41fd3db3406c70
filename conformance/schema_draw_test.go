package conformance_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

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

// members holds what a drawn object may have; where a name stands for different things, it has several schemas.
type members map[string][]spec.Value

// drawer draws values that fit a schema more often than not.
type drawer struct {
	definitions spec.Value // what the schema's references lead to
}

func newDrawer(t *testing.T, schema string) drawer {
	return drawer{schemaSource(t, schema).Get("$defs")}
}

// object draws an object of some of the members; most have values that their schemas allow, and now and then there is
// a member that no schema knows.
func (d drawer) object(t *rapid.T, all members) spec.Value {
	object := spec.ObjectValue()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch rapid.IntRange(0, 9).Draw(t, name+" is there") {
		case 0: // absent
		case 1:
			object = object.With(name, rapid.SampledFrom(oddValues).Draw(t, name))
		default:
			schema := rapid.SampledFrom(all[name]).Draw(t, name+" as")
			object = object.With(name, d.value(t, schema, name))
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "extra") == 0 {
		object = object.With("no_such_member", rapid.SampledFrom(oddValues).Draw(t, "value"))
	}
	return object
}

// value draws a value that fits the schema as far as its type and its enumeration go.
func (d drawer) value(t *rapid.T, schema spec.Value, name string) spec.Value {
	schema = d.follow(schema)
	if enum := schema.Get("enum").Items(); len(enum) > 0 {
		return rapid.SampledFrom(enum).Draw(t, name)
	}
	if all := d.properties(schema); len(all) > 0 {
		return d.object(t, all)
	}
	if items := d.follow(schema.Get("items")); len(d.properties(items)) > 0 {
		list := make([]spec.Value, rapid.IntRange(0, 2).Draw(t, name+" length"))
		for i := range list {
			list[i] = d.value(t, items, name)
		}
		return spec.ArrayValue(list...)
	}
	return drawOfType(t, textOf(schema.Get("type")), name)
}

func drawOfType(t *rapid.T, kind, name string) spec.Value {
	fitting := slices.DeleteFunc(slices.Clone(oddValues), func(v spec.Value) bool {
		return kind != "" && v.Kind().String() != kind && (kind != "integer" || !v.IsIntegerLiteral())
	})
	return rapid.SampledFrom(fitting).Draw(t, name)
}

// follow returns what a reference within the same schema leads to; any other schema is returned as it is.
func (d drawer) follow(schema spec.Value) spec.Value {
	name, isReference := strings.CutPrefix(textOf(schema.Get("$ref")), "#/$defs/")
	if !isReference {
		return schema
	}
	return d.follow(d.definitions.Get(name))
}

// properties returns the members that a schema itself names.
func (d drawer) properties(schema spec.Value) members {
	all := members{}
	for _, m := range d.follow(schema).Get("properties").Members() {
		all[m.Name] = []spec.Value{m.Value}
	}
	return all
}

// anywhere returns the members that a schema names at any depth.
func (d drawer) anywhere(schema spec.Value) members {
	all := members{}
	var collect func(spec.Value)
	collect = func(v spec.Value) {
		for _, m := range v.Get("properties").Members() {
			all[m.Name] = append(all[m.Name], m.Value)
		}
		for _, item := range v.Items() {
			collect(item)
		}
		for _, m := range v.Members() {
			collect(m.Value)
		}
	}
	collect(schema)
	return all
}
