package history

import "github.com/loopstone/loopstone/spec"

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.History)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New: func(_ spec.Reading, config spec.Value) (spec.Detector, error) {
			d, err := New(config)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){"history.hash": callHash},
	}
}

// callHash is history.hash {tool, args} → string. [HI-27]
func callHash(_ spec.Reading, args spec.Value) (spec.Value, error) {
	tool, isText := args.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", args.Get("tool").Kind()) // HI-28
	}
	arguments := args.Get("args")
	if arguments.Kind() != spec.Object {
		return spec.Value{}, spec.BadParams("args: want an object, got %s", arguments.Kind()) // HI-28
	}
	return spec.StringValue(Hash(tool, arguments)), nil
}
