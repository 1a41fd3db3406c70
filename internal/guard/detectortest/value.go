package detectortest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// Objects yields objects of so many levels whose members have some of the names.
func Objects(names *rapid.Generator[string], depth int) *rapid.Generator[spec.Value] {
	return rapid.Custom(func(t *rapid.T) spec.Value {
		v := spec.ObjectValue()
		for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID).Draw(t, "names") {
			v = v.With(name, values(names, depth).Draw(t, "value"))
		}
		return v
	})
}

func values(names *rapid.Generator[string], depth int) *rapid.Generator[spec.Value] {
	scalar := rapid.SampledFrom([]spec.Value{
		spec.NullValue(), spec.BoolValue(true), spec.IntValue(1), spec.NumberValue("1.0"), spec.StringValue("é"),
	})
	if depth == 0 {
		return scalar
	}
	array := rapid.Custom(func(t *rapid.T) spec.Value {
		return spec.ArrayValue(rapid.SliceOfN(values(names, depth-1), 0, 3).Draw(t, "items")...)
	})
	return rapid.OneOf(scalar, array, Objects(names, depth-1))
}

// Shuffle puts the members of all objects within v into another order.
func Shuffle(t *rapid.T, v spec.Value) spec.Value {
	v = v.Map(func(inner spec.Value) spec.Value { return Shuffle(t, inner) })
	if v.Kind() != spec.Object {
		return v
	}
	return spec.ObjectValue(rapid.Permutation(v.Members()).Draw(t, "members")...)
}

// written returns the events as the protocol writes them.
func written(trace []spec.Event) []spec.Value {
	values := make([]spec.Value, len(trace))
	for i, e := range trace {
		v := spec.ObjectValue(spec.Member{Name: "type", Value: spec.StringValue(string(e.Type))})
		switch e.Type {
		case spec.ToolCall:
			v = v.With("tool", spec.StringValue(e.Tool)).With("args", e.Args)
			v = withText(v, "id", e.ID, e.HasID)
		case spec.ToolResult:
			v = v.With("content", spec.StringValue(e.Content)).With("ok", spec.BoolValue(e.OK))
			v = withText(withText(v, "call", e.Call, e.HasCall), "tool", e.Tool, e.HasTool)
		case spec.TestRun:
			v = v.With("passed", spec.BoolValue(e.Passed))
		case spec.Message:
			v = v.With("role", spec.StringValue(string(e.Role))).With("content", spec.StringValue(e.Content))
			if !e.ToolCalls.IsAbsent() {
				v = v.With("tool_calls", e.ToolCalls)
			}
		case spec.Output:
			v = v.With("text", spec.StringValue(e.Text))
		case spec.Reply:
		default:
			v = v.With("message", spec.StringValue(e.Message))
		}
		values[i] = v
	}
	return values
}

func withText(v spec.Value, name, text string, has bool) spec.Value {
	if !has {
		return v
	}
	return v.With(name, spec.StringValue(text))
}

func texts(values []spec.Value) []string {
	list := []string{}
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}

// reparsed is what a value is after it was written and read again.
func reparsed(v spec.Value) spec.Value { return spec.MustParse(v.String()) }

// since returns the indices from the first one on, nil for none.
func since(indices []int, first int) []int {
	kept := slices.DeleteFunc(slices.Clone(indices), func(i int) bool { return i < first })
	if len(kept) == 0 {
		return nil
	}
	return kept
}
