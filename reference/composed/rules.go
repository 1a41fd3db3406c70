// Package composed is the reference of a configurable detector. A configuration is a list of rules. A rule says what an
// item is and when two items are equal (`same`), which equal items it counts (`pattern`), which events make it forget
// (`fresh`), and at which counts it reports a loop (`rungs`).
//
// After each event:
//
//  1. A result or an error is matched to the call that it answers. (CO-2)
//  2. Every rule observes the event; the first rule in the list that reports gives the verdict. (CO-8)
//
// A rule observes an event in these steps:
//
//  1. If `fresh` names the event, the rule forgets everything. (CO-23, CO-24)
//  2. The event may complete an item: a call, a call with its answer, a step or a message. The rule records the item.
//     (CO-7, CO-16, CO-18)
//  3. The rule counts the items that form the pattern with the completed item. (CO-25 to CO-31)
//  4. The highest rung that the count reaches says whether the rule reports. (CO-32 to CO-36)
//
// With `judged: before`, a rule judges each call when it is made: it does steps 3 and 4 with the call, then step 2.
// (CO-30)
//
// Read this file first: it has steps 1 and 4. Step 2 is in rules_items.go and step 3 in rules_patterns.go. The details
// can wait: settings.go reads and checks configurations, texts.go says when two arguments or answers are equal, and
// tools.go which calls `tools` and `changes` name. The clauses are in spec/clauses/composed.md, the fast twin in
// reference/fast/composed.
package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Rule is one rule of a configuration. The comments list the words that a member can have.
type Rule struct { // CO-3
	Name         string
	Same         Same
	Pattern      Pattern
	Tools        Tools    // which calls the rule looks at
	Fresh        []string // user, message, reply, call, change
	Changes      Calls    // if one of these calls succeeds, that is a change
	JudgesBefore bool     // each call is judged when it is made, before its item is recorded
	Rungs        []Rung   // the lowest first
}

// Same says what an item is and when two items are equal.
type Same struct {
	By       string   // an item is a call, tool, step, speech
	KeyOrder string   // of members of the arguments: any, kept
	Keep     []string // the arguments that are compared; all if empty
	Thought  bool     // whether thoughts are compared
	Results  string   // how answers are compared: none, text
	Prefix   int      // how many characters of an answer are compared
	Outcome  string   // any, ok, failed; an item with another answer is blank, and equals no item
	Order    string   // of the calls of a step: kept, any
}

// Pattern says which items are counted.
type Pattern struct {
	Sort     string // run, among, streak, cycle
	Last     int    // among and streak: the size of the window
	Highest  bool   // among: the largest group of equal items is counted, not the group of the current item
	Full     bool   // among: nothing is counted until the window is full
	From, To int    // cycle: the shortest and the longest period
	Varied   bool   // cycle: calls must differ, not only their answers
}

// Rung is a count at which a rule reports.
type Rung struct {
	Name, Severity string
	At             int    // the threshold
	Speaks         string // each, once, restart, stays
}

// verdict is the verdict after the last event of a trace.
func verdict(rules []Rule, trace []spec.Event) spec.Verdict { // CO-8
	events := matchAnswers(trace)
	for _, r := range rules {
		s := state{Rule: r}
		var v spec.Verdict
		for _, e := range events {
			v = s.observe(e)
		}
		if v.Loop {
			return v
		}
	}
	return spec.Verdict{}
}

// event is an event of the trace with the call that it answers; nil if it answers no call.
type event struct {
	*spec.Event

	answered *spec.Event
}

// MaxWaiting is how many calls can wait for an answer.
const MaxWaiting = 100 // CO-2

// matchAnswers returns the events of the trace, each with the call that it answers.
func matchAnswers(trace []spec.Event) []event { // CO-2
	var events []event
	var waiting []*spec.Event
	for i := range trace {
		e := event{Event: &trace[i]}
		switch e.Type {
		case spec.ToolCall:
			waiting = append(waiting, e.Event)
			waiting = waiting[max(0, len(waiting)-MaxWaiting):]
		case spec.ToolResult, spec.ErrorEvent:
			oldest := slices.IndexFunc(waiting, func(call *spec.Event) bool {
				return !e.HasCall || call.HasID && call.ID == e.Call
			})
			if oldest >= 0 {
				e.answered = waiting[oldest]
				waiting = slices.Delete(waiting, oldest, oldest+1)
			}
		}
		events = append(events, e)
	}
	return events
}

// state is a rule with what it has learned since it last started afresh.
type state struct {
	Rule

	events   []event
	items    []item       // the recorded items
	previous int          // the count at the previous item, or at the previous call with `judged: before`
	staying  spec.Verdict // the verdict that a rung with `speaks: stays` has given
}

// observe is the verdict of the rule after the next event.
func (s *state) observe(e event) (v spec.Verdict) {
	if s.startsAfresh(e) { // CO-23
		*s = state{Rule: s.Rule}
	}
	s.events = append(s.events, e)
	if s.JudgesBefore && s.sees(e.Event) { // CO-30
		v = s.judge(s.callItem(e.Event))
	}
	it, complete := s.completed(e)
	if !complete {
		return v // CO-1
	}
	s.items = append(s.items, it)
	if !s.JudgesBefore {
		v = s.judge(it)
	}
	return v
}

// startsAfresh reports whether `fresh` names the event.
func (r Rule) startsAfresh(e event) bool { // CO-23
	return slices.ContainsFunc(r.Fresh, func(word string) bool {
		switch word {
		case "user":
			return e.Role == spec.User
		case "message":
			return e.Role == spec.Assistant
		case "reply":
			return e.Type == spec.Reply
		case "call":
			return e.Type == spec.ToolCall
		default: // CO-24: change
			return e.answered != nil && Succeeded(*e.Event) && r.Changes.Contain(*e.answered)
		}
	})
}

// judge is the verdict of the rule at the current item: the latest recorded item or, with `judged: before`, a call that
// is not yet recorded.
func (s *state) judge(current item) spec.Verdict { // CO-32
	if s.staying.Loop {
		return s.staying // CO-36
	}
	counted, period := s.counted(current)
	count, previous := len(counted)/period, s.previous // CO-31: of a cycle, the laps are counted
	s.previous = count                                 // CO-34

	rung := s.Reached(count)
	if rung == nil || rung.Speaks == "once" && previous >= rung.At { // CO-33, CO-34
		return spec.Verdict{}
	}
	v := spec.Verdict{ // CO-37
		Loop: true, Kind: spec.VerdictKind(s.Pattern.Sort), Count: count, Severity: rung.Severity,
		Rule: s.Name, Rung: rung.Name, Evidence: evidence(counted),
	}
	decisive := []item{current}
	if s.Pattern.Sort == "cycle" {
		v.Period = period                        // CO-37
		decisive = counted[len(counted)-period:] // CO-22: the latest lap
	}
	if !slices.ContainsFunc(decisive, s.mayReport) { // CO-22
		return spec.Verdict{}
	}
	switch rung.Speaks {
	case "restart":
		s.items, s.previous = nil, 0 // CO-35
	case "stays":
		s.staying = v // CO-36
	}
	return v
}

// Reached returns the highest rung that a count reaches; nil if it reaches no rung.
func (r Rule) Reached(count int) *Rung { // CO-32
	for i := range slices.Backward(r.Rungs) {
		if count >= r.Rungs[i].At {
			return &r.Rungs[i]
		}
	}
	return nil
}

// mayReport reports whether the item's call is not muted.
func (r Rule) mayReport(it item) bool { return !r.Tools.Mute(it.first) } // CO-22

// evidence returns the indices that stand for the counted items, of at most the latest 100.
func evidence(counted []item) []int { // CO-38
	var indices []int
	for _, it := range counted[max(0, len(counted)-spec.MaxEvidence):] {
		indices = append(indices, it.first.Index)
	}
	slices.Sort(indices) // CO-38
	return indices
}
