package ralph

import "github.com/loopstone/loopstone/spec"

// Rules returns the detector made of its rules.
func Rules() spec.Implementation {
	open := func(s spec.Settings) (spec.Detector, error) {
		c := ConfigOf(s)
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // RA-10
	}
	return spec.Define(spec.Ralph, open, map[string]spec.Function{"ralph.ratio": Ratio(Common)})
}

// Ratio returns the function ralph.ratio {a, b} → number, the similarity of two texts in percent, by a function that
// returns the length of their longest common subsequence.
func Ratio(common func(a, b []rune) int) spec.Function { // RA-12
	return func(_ spec.Reading, args spec.Value) (spec.Value, error) {
		a, okA := args.Get("a").Str()
		b, okB := args.Get("b").Str()
		if !okA || !okB {
			return spec.Value{}, spec.BadParams("want strings a and b, got %s", args)
		}
		x, y := []rune(a), []rune(b)
		return spec.FloatValue(Score{common(x, y), len(x) + len(y)}.percent()), nil
	}
}
