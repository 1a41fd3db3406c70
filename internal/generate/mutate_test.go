package generate

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// mutated returns the state of a snapshot after one change somewhere in it. Mostly no session could have written it.
func (d dice) mutated(v spec.Value) spec.Value {
	inside := len(v.Items()) > 0 || len(v.Members()) > 0
	if inside && !d.oneIn(4) {
		return d.mutatedInside(v)
	}
	switch v.Kind() {
	case spec.Object:
		return d.mutatedObject(v)
	case spec.Array:
		return d.mutatedArray(v)
	case spec.Number:
		n, _ := v.Int()
		return pick(d, []spec.Value{
			spec.IntValue(n + 1), spec.IntValue(n - 1), spec.IntValue(-1), spec.IntValue(largestCount), spec.IntValue(largestCount + 1),
			d.wrong(spec.Number),
		})
	case spec.Bool:
		return pick(d, []spec.Value{spec.BoolValue(!v.IsTrue()), d.wrong(spec.Bool)})
	case spec.String:
		text, _ := v.Str()
		return pick(d, []spec.Value{spec.StringValue(""), spec.StringValue(text + "x"), spec.StringValue("bash"), d.wrong(spec.String)})
	default:
		return d.wrong(v.Kind())
	}
}

func (d dice) mutatedInside(v spec.Value) spec.Value {
	if n := len(v.Items()); n > 0 {
		items := slices.Clone(v.Items())
		i := d.below(min(n, maxSides))
		items[i] = d.mutated(items[i])
		return spec.ArrayValue(items...)
	}
	m := pick(d, v.Members())
	return v.With(m.Name, d.mutated(m.Value))
}

func (d dice) mutatedObject(v spec.Value) spec.Value {
	switch {
	case len(v.Members()) > 0 && d.maybe():
		return v.Without(pick(d, v.Members()).Name)
	case d.maybe():
		return v.With("more", spec.IntValue(1))
	default:
		return d.wrong(spec.Object)
	}
}

func (d dice) mutatedArray(v spec.Value) spec.Value {
	switch n := len(v.Items()); {
	case n > 0 && d.maybe():
		return spec.ArrayValue(append(slices.Clone(v.Items()), v.Items()[0])...)
	case n > 0 && d.maybe():
		return spec.ArrayValue(v.Items()[1:]...)
	case n > 0 && d.maybe():
		return spec.ArrayValue(slices.Repeat(v.Items(), 1+1024/n)...)
	default:
		return d.wrong(spec.Array)
	}
}
