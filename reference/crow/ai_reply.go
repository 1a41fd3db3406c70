package crow

import "github.com/loopstone/loopstone/spec"

// aiParse is the function crow.ai_parse: the verdict that a model's reply stands for (D5#ai-augmented-detection).
func aiParse(args spec.Value) (spec.Value, error) {
	text, ok := args.Get("reply").Str()
	if !ok { // CR-56
		return spec.Value{}, spec.BadParams("reply: want a string, got %s", args.Get("reply").Kind())
	}
	reply, err := spec.ParseValue([]byte(text))
	if err != nil || !reply.Get("is_stuck").IsTrue() || !knownType(reply.Get("loop_type")) {
		return spec.Verdict{}.Value(), nil // CR-55
	}
	return replyVerdict(reply), nil
}

// knownType reports whether a loop_type may stand in a verdict: none, or one of D5's five. // CR-54, CR-55
func knownType(v spec.Value) bool {
	if v.Kind() == spec.Absent || v.Kind() == spec.Null {
		return true
	}
	s, ok := v.Str()
	return ok && (s == "" || wordClauses[spec.VerdictKind(s)] != "")
}

// replyVerdict writes the verdict with all that D5's result has, be it zero or empty. // CR-53, CR-54
func replyVerdict(reply spec.Value) spec.Value {
	members := []spec.Member{{Name: "loop", Value: spec.BoolValue(true)}}
	if kind, _ := reply.Get("loop_type").Str(); kind != "" {
		members = append(members, spec.Member{Name: "kind", Value: spec.StringValue(kind)})
	}
	return spec.ObjectValue(append(members,
		spec.Member{Name: "count", Value: orElse(reply.Get("cycle_count"), spec.IntValue(0))},
		spec.Member{Name: "pattern", Value: orElse(reply.Get("explanation"), spec.StringValue(""))},
		spec.Member{Name: "suggestion", Value: orElse(reply.Get("suggestion"), spec.StringValue(""))},
		spec.Member{Name: "confidence", Value: orElse(reply.Get("confidence"), spec.NumberValue("0.7"))},
	)...)
}

// orElse returns v, or the default where v is absent.
func orElse(v, byDefault spec.Value) spec.Value {
	if v.IsAbsent() {
		return byDefault
	}
	return v
}
