package laws

import "github.com/loopstone/loopstone/spec"

var streamCuts = Law{
	ID:  "stream-cuts",
	Own: map[spec.DetectorID][]string{spec.Stream: {"ST-5"}},
	Sentence: "However a streamed text is cut into pieces, the same loops are found; " +
		"only the piece with the verdict may differ.",
	Why:       "Networks and frameworks cut streams as they like; nobody can reproduce a verdict that depends on it.",
	Detectors: []spec.DetectorID{spec.Stream},
	check: func(a *asking, t Trace) {
		t = t.Single()
		for _, size := range []int{1, 3} {
			var steps []Step
			var ends []int // by step of t: how many of the steps it becomes a part of
			for _, s := range t.Steps {
				steps = append(steps, cut(s, size)...)
				ends = append(ends, len(steps))
			}
			want, parts := withoutEvidence(a.play(t)), withoutEvidence(a.play(t.with(steps)))
			got := make([]spec.Value, len(want))
			from := 0
			for i, end := range ends {
				got[i] = firstLoop(parts[from:end])
				from = end
			}
			a.same("with the text in smaller pieces", want, got)
		}
	},
}

// cut returns the step with its piece of text in pieces of so many characters; any other step as it is.
func cut(s Step, size int) []Step {
	text, isText := s.Event.Get("text").Str()
	if spec.TypeOf(s.Event) != spec.Delta || !isText {
		return []Step{s}
	}
	rest := []rune(text)
	var steps []Step
	for len(rest) > size {
		steps = append(steps, Step{s.Session, s.Event.With("text", spec.StringValue(string(rest[:size])))})
		rest = rest[size:]
	}
	return append(steps, Step{s.Session, s.Event.With("text", spec.StringValue(string(rest)))})
}

// firstLoop returns the first verdict with a loop, else the last verdict.
func firstLoop(verdicts []spec.Value) spec.Value {
	for _, v := range verdicts {
		if v.Get("loop").IsTrue() {
			return v
		}
	}
	return verdicts[len(verdicts)-1]
}
