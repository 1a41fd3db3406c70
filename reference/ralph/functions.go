package ralph

import (
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Ralph)
	return spec.Implementation{
		Offer:     definition.Offer(),
		New:       func(_ spec.Reading, config spec.Value) (spec.Detector, error) { return newDetector(config) },
		Functions: functions(func(a, b []rune) int { return new(comparison).common(a, b, 0) }),
	}
}

// Rules returns the same detector made of the plain rules, without snapshots: slow, and short enough to be believed.
func Rules() spec.Implementation {
	rules := Implementation()
	rules.Offer = rules.Offer.Without(spec.Snapshots)
	rules.Functions = functions(common)
	rules.New = func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
		c, err := readConfig(v)
		if err != nil {
			return nil, err
		}
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // RA-10
	}
	return rules
}

// functions returns ralph.ratio by that longest common subsequence: the similarity of two texts in percent. [RA-12]
func functions(common func(a, b []rune) int) map[string]func(spec.Reading, spec.Value) (spec.Value, error) {
	ratio := func(_ spec.Reading, args spec.Value) (spec.Value, error) {
		a, okA := args.Get("a").Str()
		b, okB := args.Get("b").Str()
		if !okA || !okB {
			return spec.Value{}, spec.BadParams("want strings a and b, got %s", args)
		}
		x, y := []rune(a), []rune(b)
		return spec.FloatValue(score{common(x, y), len(x) + len(y)}.percent()), nil
	}
	return map[string]func(spec.Reading, spec.Value) (spec.Value, error){"ralph.ratio": ratio}
}
