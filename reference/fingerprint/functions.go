package fingerprint

import (
	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"fingerprint.compute": callCompute, "fingerprint.nudge": callNudge}

// plain evaluates the rules over the whole trace after every event.
type plain struct {
	Config
	trace []spec.Event
}

// Observe implements [spec.Detector].
func (p *plain) Observe(e spec.Event) spec.Verdict {
	p.trace = append(p.trace, e)
	return verdict(p.Config, p.trace)
}

// Reset implements [spec.Detector].
func (p *plain) Reset() { p.trace = nil }

// State implements [spec.Stater].
func (p *plain) State() spec.Value { return state(p.Config, p.trace) }

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
