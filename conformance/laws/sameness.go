package laws

import (
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

var keyOrder = Law{
	ID:     "key-order",
	Clause: "PR-28",
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-6"}, spec.History: {"HI-7"}, spec.Crow: {"CR-3"}, spec.Swarm: {"SW-3"},
	},
	Sentence: "The order of the members of an object, at any depth, changes no verdict.",
	Why: "JSON libraries order members as they like; a detector that minds the order misses the loops " +
		"of half its users.",
	check: func(a *asking, t Trace) {
		a.same("with the members of every object in reverse", a.play(t), a.play(t.mapEvents(reverseMembers)))
	},
}

// reverseMembers turns the members of every object around, at every depth.
func reverseMembers(v spec.Value) spec.Value {
	v = v.Map(reverseMembers)
	if v.Kind() != spec.Object {
		return v
	}
	members := slices.Clone(v.Members())
	slices.Reverse(members)
	return spec.ObjectValue(members...)
}

var determinism = Law{
	ID:       "determinism",
	General:  true,
	Clause:   "PR-13",
	Sentence: "The same trace gives the same verdicts every time.",
	Why:      "A verdict that cannot be reproduced cannot be explained or tested.",
	check:    func(a *asking, t Trace) { a.same("the same trace again", a.play(t), a.play(t)) },
}

var prefix = Law{
	ID:       "prefix",
	General:  true,
	Clause:   "PR-15",
	Sentence: "A verdict never depends on later events.",
	Why:      "An agent is stopped by what it did, never by what it is about to do.",
	check: func(a *asking, t Trace) {
		half := len(t.Steps) / 2
		a.same("with nothing after the first half", a.play(t)[:half], a.play(t.with(t.Steps[:half])))
	},
}

var batchSplit = Law{
	ID:       "batch-split",
	General:  true,
	Clause:   "PR-15",
	Sentence: "Events in one request get the same verdicts as events in requests of their own.",
	Why:      "How a framework groups its events is no business of the detector.",
	ByEvent:  true,
	check: func(a *asking, t Trace) {
		a.same("with several events in one request", a.batches(t, 1), a.play(t))
		long := t.with(repeated(t.Steps, longTrace)) // so that there are more than a few requests
		a.same("with several events in one request", a.batches(long, 2), a.play(long))
	},
}

var neutralEvents = Law{
	ID:       "neutral-events",
	Clause:   "PR-33",
	Sentence: "Events of a type that the detector's clauses do not mention are no loop, and change no verdict of others.",
	Why:      "Frameworks log more than a detector needs; what it ignores must not change its verdict.",
	check: func(a *asking, t Trace) {
		neutral := ignored(t.definition(), a.offer(t))
		if len(neutral) == 0 {
			return // it observes all events
		}
		want := a.play(t)
		var steps []Step
		var own []int // where the steps of t are among them
		for i, s := range t.Steps {
			steps = append(steps, Step{s.Session, neutral[(i+len(t.Steps))%len(neutral)]}) // another first one in each trace
			own = append(own, len(steps))
			steps = append(steps, s)
		}
		all := a.play(t.with(steps))
		got := lists.Map(own, func(at int) spec.Value { return all[at] })
		a.same("with an event of another type before each", withoutEvidence(want), withoutEvidence(got))
		for i, at := range own {
			if verdict := all[at-1]; verdict.Get("loop").IsTrue() {
				a.breach(i, "at an event of another type before it", noLoopVerdict, verdict)
			}
		}
	},
}

// noLoopVerdict is the verdict on an event that the detector ignores.
var noLoopVerdict = spec.MustParse(`{"loop":false}`)

// ignored returns events of the types that the detector does not observe, and the port knows.
func ignored(d spec.Definition, offer spec.Offer) []spec.Value {
	var events []spec.Value
	for _, typ := range spec.EventTypes() {
		if !slices.Contains(d.Observes, typ) && offer.Takes(string(typ)) {
			events = append(events, lists.Map(neutral[typ], spec.MustParse)...)
		}
	}
	return events
}

// neutral has events of each type, those among them that other detectors take for a success, a failure or a new task.
var neutral = map[spec.EventType][]string{
	spec.ToolCall: {`{"type":"tool_call","tool":"neutral","worker":"w"}`},
	spec.ToolResult: {
		`{"type":"tool_result","content":"neutral","ok":false}`,
		`{"type":"tool_result","content":"","ok":true}`,
	},
	spec.ErrorEvent: {`{"type":"error","message":"neutral"}`},
	spec.Message: {
		`{"type":"message","role":"assistant","content":"neutral"}`,
		`{"type":"message","role":"user","content":"neutral"}`, `{"type":"message","role":"system","content":"neutral"}`,
		`{"type":"message","role":"user","content":"","tool_calls":[{"tool":"neutral"}]}`,
	},
	spec.Output:  {`{"type":"output","text":"neutral"}`},
	spec.TestRun: {`{"type":"test_run","passed":false}`, `{"type":"test_run","passed":true}`},
	spec.Iteration: {
		`{"type":"iteration","elapsed_s":1,"output":"neutral","failed":true}`,
		`{"type":"iteration","elapsed_s":1,"output":"","failed":false}`,
	},
	spec.Reply: {`{"type":"reply"}`},
}
