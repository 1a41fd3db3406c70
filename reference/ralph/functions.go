package ralph

import "github.com/loopstone/loopstone/spec"

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"ralph.ratio": ratio}

// ratio is the function ralph.ratio {a, b} → number: the similarity of two texts in percent.
func ratio(_ spec.Reading, args spec.Value) (spec.Value, error) { // RA-12
	a, okA := args.Get("a").Str()
	b, okB := args.Get("b").Str()
	if !okA || !okB {
		return spec.Value{}, spec.BadParams("want strings a and b, got %s", args)
	}
	x, y := []rune(a), []rune(b)
	return spec.FloatValue(score{new(comparison).common(x, y, 0), len(x) + len(y)}.percent()), nil
}
