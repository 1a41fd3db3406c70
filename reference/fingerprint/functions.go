package fingerprint

import (
	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"fingerprint.compute": callCompute, "fingerprint.nudge": callNudge}

// callCompute is fingerprint.compute {tool, args} → string.
func callCompute(_ spec.Reading, v spec.Value) (spec.Value, error) { // FP-45
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // FP-47
	}
	args := v.Get("args")
	if args.Kind() != spec.Object {
		return spec.Value{}, spec.BadParams("args: want an object, got %s", args.Kind()) // FP-47
	}
	return spec.StringValue(Compute(tool, args)), nil
}

// callNudge is fingerprint.nudge {tool, count} → string.
func callNudge(_ spec.Reading, v spec.Value) (spec.Value, error) { // FP-46
	tool, isText := v.Get("tool").Str()
	if !isText {
		return spec.Value{}, spec.BadParams("tool: want a string, got %s", v.Get("tool").Kind()) // FP-47
	}
	count, _ := v.Get("count").Int() // 0 if it is no integer
	if count < 1 {
		return spec.Value{}, spec.BadParams("count: want an integer of at least 1, got %s", v.Get("count")) // FP-47
	}
	return spec.StringValue(nudge(tool, count)), nil
}
