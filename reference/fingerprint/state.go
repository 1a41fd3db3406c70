package fingerprint

import (
	"math"

	"github.com/loopstone/loopstone/spec"
)

// state is D1's LoopDetectionState after the trace (D1#loopdetectionstate).
func state(c Config, trace []spec.Event) spec.Value {
	lastTool, ofLast, lastWarning := spec.NullValue(), spec.Verdict{}, 0.0
	for i, e := range trace {
		v := verdict(c, trace[:i+1])
		if e.Type == spec.ToolCall { // FP-40
			lastTool, ofLast = spec.StringValue(e.Tool), v
		}
		if v.Loop && e.HasAt { // FP-41
			lastWarning = e.At
		}
	}
	return WriteState(c, lastTool, ofLast, lastWarning)
}

// WriteState writes the tool of the last call, the verdict on it, and the time of the last loop, with the thresholds.
func WriteState(c Config, tool spec.Value, v spec.Verdict, lastWarning float64) spec.Value { // FP-40
	return spec.ObjectValue(
		spec.Member{Name: "doomLoopDetected", Value: spec.BoolValue(v.Loop)},
		spec.Member{Name: "lastTool", Value: tool},
		spec.Member{Name: "consecutiveCount", Value: spec.IntValue(v.Count)},
		spec.Member{Name: "threshold", Value: spec.IntValue(c.Threshold)},
		spec.Member{Name: "fuzzyThreshold", Value: spec.IntValue(c.FuzzyThreshold)},
		spec.Member{Name: "lastWarningTime", Value: Milliseconds(lastWarning)},
	)
}

// Milliseconds writes a time: a whole number without an exponent, a number beyond the doubles as the largest double.
func Milliseconds(ms float64) spec.Value {
	return spec.NumberValue(spec.FloatValue(min(max(ms, -math.MaxFloat64), math.MaxFloat64)).Canonical())
}
