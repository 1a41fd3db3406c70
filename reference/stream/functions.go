package stream

import "github.com/loopstone/loopstone/spec"

// Rules returns the detector made of its rules.
func Rules() spec.Implementation {
	return spec.Define(spec.Stream, func(s spec.Settings) (spec.Detector, error) {
		c := ConfigOf(s)
		return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // ST-19
	}, nil)
}
