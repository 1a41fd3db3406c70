// Package composed is the reference of a detector that its users compose: a configuration is a list of rules. A rule
// says what an item is and when two items are equal (`same`), which equal items it counts (`pattern`), which events
// make it forget (`fresh`), and at which counts it reports a loop (`rungs`).
//
// After each event:
//
//  1. A result or an error is matched to the call that it answers. (CO-2)
//  2. Every rule observes the event; the first rule in the list that reports gives the verdict. (CO-8)
//
// A rule observes an event in these steps (CO-43):
//
//  1. If `fresh` names the event, the rule forgets everything. (CO-23, CO-24)
//  2. The event may complete an item: a call, a call with its answer, a step or a message. The rule records the item.
//     (CO-7, CO-16, CO-18)
//  3. The rule counts the items that form the pattern with the completed item. (CO-25 to CO-31, CO-44, CO-47, CO-48)
//  4. The highest rung that the count reaches says whether the rule reports. (CO-32 to CO-36)
//
// With `judged: before`, a rule judges each call when it is made: it does steps 3 and 4 with the call, then step 2.
// (CO-30)
//
// Read this file first: it has steps 1 and 4. Step 2 is in rules_items.go and step 3 in rules_patterns.go. The details
// can wait: settings.go reads and checks configurations, texts.go says when two calls or answers are equal, and
// tools.go which calls `tools` and `changes` name. The clauses are in spec/clauses/composed.md.
package composed

import (
	"slices"

	"github.com/loopstone/loopstone/reference/parts/memory"
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
	By       string   // an item is a call, tool, step, speech, message, piece
	KeyOrder string   // of members of the arguments: any, kept
	Keep     []string // the arguments that are compared; all if empty
	Omit     []string // the arguments that are not compared
	Thought  bool     // whether thoughts are compared
	Results  string   // how answers are compared: none, text; any awaits an answer and does not compare it
	Prefix   int      // how many characters of an answer are compared
	Outcome  string   // any, ok, failed; an item with another answer is blank, and equals no item
	Order    string   // of the calls of a step: kept, any
}

// Pattern says which items are counted.
type Pattern struct {
	Sort     string // run, among, streak, cycle, periodic, revisit
	Last     int    // among, streak and revisit: the size of the window
	Highest  bool   // among: the largest group of equal items is counted, not the group of the current item
	Full     bool   // among: nothing is counted until the window is full
	Seconds  int    // among: the age from which an item is not counted; 0 if any age is counted
	From, To int    // cycle and periodic: the shortest and the longest period
	Varied   bool   // cycle and periodic: calls must differ, not only their answers
}

// Rung is a count at which a rule reports.
type Rung struct {
	Name, Severity string
	At             int    // the threshold
	Speaks         string // each, once, restart, stays
}

// rules are the rules of a configuration, in their order.
type rules []Rule

// remembered is what the detector remembers.
type remembered struct { // CO-41, CO-42
	Calls   memory.Count        `json:"calls"`   // how many calls there were
	Waiting memory.Window[call] `json:"waiting"` // the calls without an answer, the oldest first
	Rules   memory.Fixed[state] `json:"rules"`
}

func (rs rules) fresh() remembered { // CO-39
	m := remembered{Waiting: memory.NewWindow[call](maxWaiting)}
	for i := range rs {
		m.Rules = append(m.Rules, rs[i].fresh())
	}
	return m
}

// observe updates every rule. The first rule that reports gives the verdict.
func (rs rules) observe(m *remembered, e spec.Event) (first spec.Verdict) { // CO-8
	var c *call
	switch e.Type {
	case spec.ToolCall:
		c = rs.wait(m, e)
	case spec.ToolResult, spec.ErrorEvent:
		c = m.answer(e)
	}
	for i := range m.Rules {
		if v := m.Rules[i].observe(event{&e, c, c.seenBy(i)}); !first.Loop {
			first = v
		}
	}
	return first
}

// event is an event as a rule sees it.
type event struct {
	*spec.Event

	call *call // that the event is, or that it answers; nil if there is none
	sight
}

// call is what is remembered of a call until its answer comes.
type call struct {
	Number memory.Count `json:"number"` // of calls up to this one
	ID     string       `json:"id,omitempty"`
	HasID  bool         `json:"has_id,omitempty"`
	Seen   []sight      `json:"seen"` // by each rule
	index  memory.Index
}

// sight is what a rule sees in a call.
type sight struct {
	Compared memory.Digest `json:"compared,omitzero"` // what equal calls have in common
	Excluded bool          `json:"excluded,omitempty"`
	Muted    bool          `json:"muted,omitempty"`
	Changes  bool          `json:"changes,omitempty"` // its success is a change
}

// see returns what the rule sees in a call.
func (r *Rule) see(call spec.Event) sight {
	if r.Tools.Exclude(call) { // CO-21
		return sight{Excluded: true, Changes: r.Changes.Contain(call)} // CO-24
	}
	return sight{Compared: r.Same.digestOfCall(call), Muted: r.Tools.Mute(call), Changes: r.Changes.Contain(call)}
}

// seenBy returns what the rule at a place sees in the call; the zero sight if there is no call.
func (c *call) seenBy(rule int) sight {
	if c == nil || rule >= len(c.Seen) { // CO-24: no change without a call; a state that was restored may lack some
		return sight{}
	}
	return c.Seen[rule]
}

// maxWaiting is how many calls can wait for an answer.
const maxWaiting = 100 // CO-2

// wait adds a call to the waiting calls.
func (rs rules) wait(m *remembered, e spec.Event) *call { // CO-2
	m.Calls.Add()
	c := call{Number: m.Calls, ID: e.ID, HasID: e.HasID, index: memory.IndexOf(e)}
	for i := range rs {
		c.Seen = append(c.Seen, rs[i].see(e))
	}
	m.Waiting.Add(c)
	return &c
}

// answer returns the call that an event answers, which then waits no more; nil if the event answers no call.
func (m *remembered) answer(e spec.Event) *call { // CO-2
	oldest := slices.IndexFunc(m.Waiting.Items(), func(c call) bool { return !e.HasCall || c.HasID && c.ID == e.Call })
	if oldest < 0 {
		return nil
	}
	c := m.Waiting.Items()[oldest]
	m.Waiting.Remove(oldest)
	return &c
}

// state is a rule with what it remembers since it last started afresh.
type state struct {
	*Rule `json:"-"`

	Items   memory.Window[item]        `json:"items"`             // the latest recorded items, as many as the pattern needs
	Times   memory.Window[*float64]    `json:"times,omitzero"`    // of the items, if the rule has `seconds`: see timeOf
	Repeats memory.Fixed[memory.Count] `json:"repeats,omitempty"` // run, cycle and periodic: see recordRepeats
	Step    step                       `json:"step,omitzero"`

	Previous memory.Count `json:"previous"`        // the count at the previous item, or at the previous call with `judged: before`
	Staying  *finding     `json:"stays,omitempty"` // of a rung with `speaks: stays`

	now *float64 // the time of the current event, if the rule has `seconds`
}

func (r *Rule) fresh() state {
	s := state{Rule: r, Items: memory.NewWindow[item](r.Pattern.Last), Step: step{Calls: memory.NewWindow[part](maxStep)}}
	if r.Pattern.Sort == "revisit" {
		s.Items = memory.NewWindow[item](max(r.Pattern.Last, revisited))
	}
	if r.Pattern.Seconds > 0 {
		s.Times = memory.NewWindow[*float64](r.Pattern.Last)
	}
	if from, to := r.Pattern.periods(); to > 0 {
		s.Items = memory.NewWindow[item](spec.MaxEvidence)
		s.Repeats = make(memory.Fixed[memory.Count], to-from+1)
	}
	return s
}

// observe is the verdict of the rule after the next event.
func (s *state) observe(e event) (v spec.Verdict) {
	if s.startsAfresh(e) { // CO-23
		*s = s.Rule.fresh()
	}
	s.now = s.timeOf(e)
	if s.JudgesBefore && e.Type == spec.ToolCall && !e.Excluded { // CO-30
		v = s.judge(e.callItem())
	}
	it, complete := s.completed(e)
	if !complete {
		return v // CO-1
	}
	s.record(it)
	if !s.JudgesBefore {
		v = s.judge(it)
	}
	return v
}

// startsAfresh reports whether `fresh` names the event.
func (r *Rule) startsAfresh(e event) bool { // CO-23
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
			return e.Changes && succeeded(e.Event)
		}
	})
}

// finding is a loop that a rung reports.
type finding struct {
	Rung     string       `json:"rung"`
	Severity string       `json:"severity"`
	Count    memory.Count `json:"count"`
	Period   memory.Count `json:"period,omitempty"`
	evidence []int
}

// judge is the verdict of the rule at the current item: the latest recorded item or, with `judged: before`, a call that
// is not yet recorded.
func (s *state) judge(current item) spec.Verdict { // CO-32
	if s.Staying != nil {
		return s.verdict(s.Staying) // CO-36
	}
	n, previous := s.count(current), int(s.Previous)
	s.Previous = memory.Count(n.count) // CO-34
	rung := s.Reached(n.count)
	if rung == nil || rung.Speaks == "once" && previous >= rung.At { // CO-33, CO-34
		return spec.Verdict{}
	}
	decisive := []item{current}
	if n.period > 0 {
		decisive = n.counted[len(n.counted)-n.period:] // the latest lap
	}
	if !slices.ContainsFunc(decisive, item.mayBeReported) { // CO-22
		return spec.Verdict{}
	}
	found := finding{rung.Name, rung.Severity, memory.Count(n.count), memory.Count(n.period), evidence(n.counted)}
	switch rung.Speaks {
	case "restart": // CO-35
		s.Items.Reset()
		s.Times.Reset()
		s.Previous = 0
	case "stays": // CO-36
		s.Staying = &found
	}
	return s.verdict(&found)
}

func (it item) mayBeReported() bool { return !it.Muted } // CO-22

// verdict is the verdict that reports a finding of the rule.
func (r *Rule) verdict(f *finding) spec.Verdict { // CO-37
	return spec.Verdict{
		Loop: true, Kind: spec.VerdictKind(r.Pattern.Sort), Count: int(f.Count), Severity: f.Severity,
		Rule: r.Name, Rung: f.Rung, Period: int(f.Period), Evidence: f.evidence,
	}
}

// Reached returns the highest rung that a count reaches; nil if it reaches no rung.
func (r *Rule) Reached(count int) *Rung { // CO-32
	for i := range slices.Backward(r.Rungs) {
		if count >= r.Rungs[i].At {
			return &r.Rungs[i]
		}
	}
	return nil
}

// evidence returns the indices that stand for the counted items: for the 100 that were recorded last, in ascending
// order.
func evidence(counted []item) []int { // CO-38
	recorded := make([]memory.Index, len(counted))
	for i, it := range counted {
		recorded[i] = it.index
	}
	indices := memory.Evidence(recorded)
	slices.Sort(indices)
	return indices
}
