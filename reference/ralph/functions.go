package ralph

import "github.com/loopstone/loopstone/spec"

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"ralph.ratio": Ratio(Common)}

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
