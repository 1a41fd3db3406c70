package fingerprint

import (
	"math"

	"github.com/loopstone/loopstone/spec"
)

// State returns D1's LoopDetectionState (D1#loopdetectionstate): the first three members are of the last tool call,
// lastWarningTime of the last event that was a loop. [FP-40]
func (d *Detector) State() spec.Value {
	d.log.Apply("FP-40")
	d.log.Apply("FP-41")
	lastTool := spec.NullValue()
	verdict := spec.Verdict{}
	if d.calls.any {
		lastTool = spec.StringValue(d.calls.tool)
		verdict = d.judgeCall()
	}
	return spec.ObjectValue(
		spec.Member{Name: "doomLoopDetected", Value: spec.BoolValue(verdict.Loop)},
		spec.Member{Name: "lastTool", Value: lastTool},
		spec.Member{Name: "consecutiveCount", Value: spec.IntValue(verdict.Count)},
		spec.Member{Name: "threshold", Value: spec.IntValue(d.threshold)},
		spec.Member{Name: "fuzzyThreshold", Value: spec.IntValue(d.fuzzyThreshold)},
		spec.Member{Name: "lastWarningTime", Value: milliseconds(d.lastWarning)}, // FP-41
	)
}

// milliseconds writes a time as a JSON number, whole ones without an exponent.
func milliseconds(ms float64) spec.Value {
	if ms == math.Trunc(ms) && math.Abs(ms) < 1<<53 {
		return spec.IntValue(int(ms))
	}
	return spec.FloatValue(min(max(ms, -math.MaxFloat64), math.MaxFloat64))
}
