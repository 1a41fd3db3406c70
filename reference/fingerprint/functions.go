package fingerprint

import "github.com/loopstone/loopstone/spec"

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Fingerprint)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New: func(_ spec.Reading, config spec.Value) (spec.Detector, error) {
			d, err := New(config)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){
			"fingerprint.compute": callCompute,
			"fingerprint.nudge":   callNudge,
		},
	}
}

// callCompute is fingerprint.compute {tool, args} → string. [FP-45]
func callCompute(_ spec.Reading, args spec.Value) (spec.Value, error) {
	tool, isText := args.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", args.Get("tool").Kind()) // FP-47
	}
	arguments := args.Get("args")
	if arguments.Kind() != spec.Object {
		return spec.Value{}, spec.BadParams("args: want an object, got %s", arguments.Kind()) // FP-47
	}
	return spec.StringValue(Compute(tool, arguments)), nil
}

// callNudge is fingerprint.nudge {tool, count} → string. [FP-46]
func callNudge(_ spec.Reading, args spec.Value) (spec.Value, error) {
	tool, isText := args.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", args.Get("tool").Kind()) // FP-47
	}
	count, isInt := args.Get("count").Int()
	if !isInt || count < 1 {
		return spec.Value{}, spec.BadParams("count: want an integer of at least 1, got %s", args.Get("count")) // FP-47
	}
	return spec.StringValue(nudge(tool, count)), nil
}
