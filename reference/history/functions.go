package history

import (
	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"history.hash": hash}

// hash is history.hash {tool, args} → string: a call's hash as D4#how-hashing-works computes it in Python.
func hash(_ spec.Reading, v spec.Value) (spec.Value, error) { // HI-27
	call, err := hashedCall(v)
	if err != nil {
		return spec.Value{}, err
	}
	return spec.StringValue(new(Config).hash(call)), nil
}

func hashedCall(v spec.Value) (spec.Event, error) {
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Event{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // HI-28
	}
	args := v.Get("args")
	if args.Kind() != spec.Object {
		return spec.Event{}, spec.BadParams("args: want an object, got %s", args.Kind()) // HI-28
	}
	return spec.Event{Tool: tool, Args: args}, nil
}
