package composed

import "github.com/loopstone/loopstone/spec"

// Rules returns the detector made of its rules.
func Rules() spec.Implementation {
	return spec.Define(spec.Composed, func(s spec.Settings) (spec.Detector, error) {
		rules, err := RulesOf(s)
		if err != nil {
			return nil, err
		}
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(rules, trace) }), nil
	}, nil)
}
