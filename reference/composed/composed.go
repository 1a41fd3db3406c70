// Package composed has the rules of a configurable detector. A configuration lists rules. A rule says what an item is,
// when two items are equal, which equal items count, which events reset the rule, and at which counts it reports a
// loop. At each event,
//
//   - an answer is matched to the call that it answers (CO-2);
//   - every rule looks at the event, and the first rule in the list that reports a loop gives the verdict (CO-8).
//
// A rule looks at an event in this order:
//
//  1. Fresh start (fresh.go): an event that `fresh` names makes the rule forget everything (CO-23, CO-24).
//  2. Identity (identity.go): the event may complete an item, which is a call, a call with its answer, a step or a
//     message, and is appended to the rule's items (CO-7 to CO-22).
//  3. Pattern (pattern.go): the rule counts items as the pattern says (CO-25 to CO-31).
//  4. Rungs (rungs.go): the highest rung that the count reaches gives the verdict, unless the call is muted or the
//     rung reports once (CO-32 to CO-38).
//
// A rule that judges before does 3 and 4 when a call is made, and 2 afterwards (CO-30).
//
// The rules read the whole trace again at each event. The package reference/fast/composed says the same event by event.
package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// verdict is the verdict after the last event of a trace.
func verdict(rules []Rule, trace []spec.Event) spec.Verdict { // CO-8
	answers := match(trace)
	for _, r := range rules {
		s := state{Rule: r, trace: trace, answers: answers}
		var v spec.Verdict
		for i := range trace {
			v = s.observe(i)
		}
		if v.Loop {
			return v
		}
	}
	return spec.Verdict{}
}

// MaxWaiting is how many calls can wait for an answer.
const MaxWaiting = 100 // CO-2

// none stands for the call of an event that answers no call.
const none = -1

// match returns for each event the index of the call that it answers, or none.
func match(trace []spec.Event) []int { // CO-2
	answers := make([]int, len(trace))
	var waiting []int
	for i, e := range trace {
		answers[i] = none
		switch e.Type {
		case spec.ToolCall:
			waiting = append(waiting, i)
			waiting = waiting[max(0, len(waiting)-MaxWaiting):]
		case spec.ToolResult, spec.ErrorEvent:
			oldest := slices.IndexFunc(waiting, func(call int) bool {
				return !e.HasCall || trace[call].HasID && trace[call].ID == e.Call
			})
			if oldest >= 0 {
				answers[i] = waiting[oldest]
				waiting = slices.Delete(waiting, oldest, oldest+1)
			}
		}
	}
	return answers
}

// state is a rule with what it knows of a trace.
type state struct {
	Rule
	trace   []spec.Event
	answers []int // by event: the call that it answers, or none

	start    int    // the latest fresh start
	items    []item // since then
	previous int    // the previous count
	stays    spec.Verdict
}

// observe is what the rule says of event i; it has seen all events before.
func (s *state) observe(i int) spec.Verdict {
	if s.startsAfresh(i) { // CO-23
		s.start, s.items, s.previous, s.stays = i, nil, 0, spec.Verdict{}
	}
	if call := s.trace[i]; s.JudgesBefore { // CO-30
		var v spec.Verdict
		if call.Type == spec.ToolCall && s.Tools.See(call) {
			v = s.judge(s.unanswered(call))
		}
		if it, complete := s.item(i); complete {
			s.items = append(s.items, it)
		}
		return v
	}
	it, complete := s.item(i)
	if !complete {
		return spec.Verdict{} // CO-1
	}
	s.items = append(s.items, it)
	return s.judge(it)
}
