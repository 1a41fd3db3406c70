package fingerprint

import "github.com/loopstone/loopstone/spec"

// State implements [spec.Stater]: it returns D1's LoopDetectionState (D1#loopdetectionstate).
func (d detector) State() spec.Value { // FP-40
	m := d.Memory()
	tool, ofCall := spec.NullValue(), spec.Verdict{}
	if m.Exact.Len() > 0 { // there was a call
		tool, ofCall = spec.StringValue(m.Tool), d.exactOrFuzzy(m)
	}
	return spec.ObjectValue(
		spec.Member{Name: "doomLoopDetected", Value: spec.BoolValue(ofCall.Loop)},
		spec.Member{Name: "lastTool", Value: tool},
		spec.Member{Name: "consecutiveCount", Value: spec.IntValue(ofCall.Count)},
		spec.Member{Name: "threshold", Value: spec.IntValue(d.Threshold)},
		spec.Member{Name: "fuzzyThreshold", Value: spec.IntValue(d.FuzzyThreshold)},
		spec.Member{Name: "lastWarningTime", Value: milliseconds(m.LastWarning)},
	)
}

// milliseconds writes a time: a whole number without an exponent.
func milliseconds(ms float64) spec.Value { return spec.NumberValue(spec.FloatValue(ms).Canonical()) }
