package score

import (
	"bytes"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// PairRule is a way to tell from two steps alone that the later one repeats the other: what a detector can build on.
type PairRule struct {
	Name string
	Agreement

	repeats func(a, b Step) bool
}

func pairRules() []PairRule {
	return []PairRule{
		{Name: "equal call", repeats: equalCalls},
		{Name: "equal fingerprint", repeats: equalFingerprints},
		{Name: "same tool, equal result", repeats: equalResults},
	}
}

// equalCalls takes the arguments as JSON, in whatever order.
func equalCalls(a, b Step) bool {
	return a.Tool == b.Tool && argsOf(a).Canonical() == argsOf(b).Canonical()
}

// equalFingerprints is D1's "similar".
func equalFingerprints(a, b Step) bool {
	return bytes.Equal(fingerprint.Append(nil, a.Tool, argsOf(a)), fingerprint.Append(nil, b.Tool, argsOf(b)))
}

func equalResults(a, b Step) bool {
	return a.Tool == b.Tool && a.Answered && b.Answered && a.Result == b.Result
}

func argsOf(s Step) spec.Value {
	if s.Args.IsAbsent() {
		return spec.ObjectValue()
	}
	return s.Args
}

// said returns what the rule says of each pair of steps.
func (p PairRule) said(steps []Step) []bool {
	said := make([]bool, max(0, len(steps)-1))
	for i := range said {
		said[i] = p.repeats(steps[i], steps[i+1])
	}
	return said
}
