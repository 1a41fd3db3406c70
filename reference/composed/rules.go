// Package composed is the reference for a detector that its configuration composes: of each rule it says what makes two
// steps the same, which pattern of them counts, what starts afresh, and what is said then. The rules stand in this file,
// plain, over the whole trace; detector.go finds the same verdicts event by event. The clauses are in
// spec/clauses/composed.md.
package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// verdict is the verdict after the trace, which is not empty: that of the first rule that speaks. [CO-8]
func verdict(rules []rule, trace []spec.Event) spec.Verdict {
	answered := answers(trace)
	for _, r := range rules {
		if v := r.after(trace, answered); v.Loop {
			return v
		}
	}
	return spec.Verdict{}
}

// mostWaiting is how many calls can wait for their answers. [CO-2]
const mostWaiting = 100

// answers returns for each event the place in the trace of the call that it answers; -1 where it answers none. [CO-2]
func answers(trace []spec.Event) []int {
	answered := make([]int, len(trace))
	var waiting []int
	for i, e := range trace {
		answered[i] = -1
		switch e.Type {
		case spec.ToolCall:
			waiting = append(waiting, i)
			waiting = waiting[max(0, len(waiting)-mostWaiting):]
		case spec.ToolResult, spec.ErrorEvent:
			j := slices.IndexFunc(waiting, func(call int) bool {
				return !e.HasCall || trace[call].HasID && trace[call].ID == e.Call
			})
			if j >= 0 {
				answered[i] = waiting[j]
				waiting = slices.Delete(waiting, j, j+1)
			}
		}
	}
	return answered
}

// item is one of the things that a rule compares.
type item struct {
	call, answer string // what it has in common with equal ones
	blank        bool   // it is equal to none
	first        spec.Event
}

func (it item) equals(other item) bool {
	return !it.blank && !other.blank && it.call == other.call && it.answer == other.answer
}

// story is a rule with what it knows since it started afresh.
type story struct {
	rule
	trace    []spec.Event
	answered []int

	since  int    // the first event that it knows
	items  []item // since it started afresh
	before int    // the count after the item before
	stays  spec.Verdict
}

// after is the rule's verdict after the trace: what it says at the last event.
func (r rule) after(trace []spec.Event, answered []int) (v spec.Verdict) {
	s := story{rule: r, trace: trace, answered: answered}
	for i := range trace {
		v = s.tell(i)
	}
	return v
}

// tell is the verdict after the next event.
func (s *story) tell(i int) spec.Verdict {
	if s.startsAfresh(i) { // CO-23, before the event's own item
		s.forget(i)
	}
	if s.rule.before {
		return s.judgeBefore(i)
	}
	it, is := s.item(i)
	if !is {
		return spec.Verdict{} // CO-1
	}
	if s.stays.Loop {
		return s.stays // CO-36
	}
	s.items = append(s.items, it)
	counted, period := s.counts(it)
	return s.judge(it, counted, period)
}

// judgeBefore judges a call before that is recorded. [CO-30]
func (s *story) judgeBefore(i int) (v spec.Verdict) {
	e := s.trace[i]
	if e.Type == spec.ToolCall && s.tools.sees(e) {
		if s.stays.Loop {
			return s.stays // CO-36
		}
		now := item{call: s.call(e), first: e}
		counted, period := s.counts(now)
		v = s.judge(now, counted, period)
	}
	if it, is := s.item(i); is {
		s.items = append(s.items, it)
	}
	return v
}

func (s *story) forget(since int) {
	s.since, s.items, s.before, s.stays = since, nil, 0, spec.Verdict{}
}

// startsAfresh reports whether the rule forgets what was before an event. [CO-23]
func (s *story) startsAfresh(i int) bool {
	e := s.trace[i]
	return slices.ContainsFunc(s.fresh, func(start string) bool {
		switch start {
		case "user":
			return e.Role == spec.User
		case "reply":
			return e.Type == spec.Reply
		case "message":
			return e.Role == spec.Assistant
		case "call":
			return e.Type == spec.ToolCall
		default:
			call := s.answered[i]
			return call >= 0 && succeeded(e) && among(s.changes, s.trace[call]) // CO-24
		}
	})
}

// item returns what an event completes, and whether it completes an item of the rule.
func (s *story) item(i int) (item, bool) {
	e, call := s.trace[i], s.answered[i]
	switch {
	case s.same.by == "step":
		return s.step(i)
	case s.same.isOfMessages():
		return s.message(e), e.Role == spec.Assistant // CO-18
	case !s.same.looksAtAnswers():
		return item{call: s.call(e), first: e}, e.Type == spec.ToolCall && s.tools.sees(e) // CO-7
	case call < 0 || !s.tools.sees(s.trace[call]):
		return item{}, false // CO-7
	default:
		return item{s.call(s.trace[call]), s.answer(e), !s.same.counts(succeeded(e)), s.trace[call]}, true // CO-15
	}
}

func (s *story) call(e spec.Event) string { return string(s.same.appendCall(nil, e)) }

func (s *story) answer(e spec.Event) string { return string(s.same.appendAnswer(nil, e)) }

// message returns a message as an item. [CO-18]
func (s *story) message(e spec.Event) item {
	it := item{first: e}
	if s.same.by == "message" {
		it.call = e.Content
	}
	return it
}

// mostOfStep is how many calls of a reply a step holds. [CO-17]
const mostOfStep = 100

// step returns the step that a reply ends: the calls since the reply before, each with its answer. [CO-16]
func (s *story) step(i int) (item, bool) {
	if s.trace[i].Type != spec.Reply {
		return item{}, false
	}
	begin := i - 1
	for begin >= s.since && s.trace[begin].Type != spec.Reply {
		begin--
	}
	if begin < s.since {
		return item{}, false // CO-16
	}
	it := item{blank: true}
	calls := 0
	for c, e := range s.trace[:i] {
		if c < begin || e.Type != spec.ToolCall || !s.tools.sees(e) || calls == mostOfStep { // CO-17
			continue
		}
		if calls == 0 {
			it.blank, it.first = false, e // CO-17
		}
		calls++
		it.call = string(appendPart([]byte(it.call), s.call(e)+s.answerWithin(c, i))) // CO-16
	}
	return it, true
}

// answerWithin is the answer to a call, where it comes before the end of the step. [CO-16]
func (s *story) answerWithin(call, end int) string {
	i := slices.Index(s.answered[:end], call)
	if i < 0 || !s.same.looksAtAnswers() {
		return "no answer"
	}
	return string(appendPart(nil, s.answer(s.trace[i])))
}

// counts returns the items that the pattern counts for a call, which is the latest item or comes after that.
func (s *story) counts(now item) (counted []item, period int) {
	switch s.pattern.sort {
	case "run":
		return run(s.items, now), 0
	case "among":
		return s.among(now), 0
	case "interleaved":
		return s.interleaved(now), 0
	case "streak":
		return s.streak(now), 0
	default:
		return s.cycle(now)
	}
}

// run returns the latest items that equal one another, where they are of the call. [CO-25]
func run(items []item, now item) []item {
	begin := len(items)
	for begin > 0 && items[begin-1].call == now.call && items[begin-1].equals(items[len(items)-1]) {
		begin--
	}
	return items[begin:]
}

// window returns the items that the window holds. [CO-26]
func (s *story) window() []item { return s.items[max(0, len(s.items)-s.pattern.last):] }

// among returns the items of the window that equal the current one, or the most frequent one. [CO-26]
func (s *story) among(now item) (counted []item) {
	window := s.window()
	if s.pattern.full && len(window) < s.pattern.last {
		return nil // CO-27
	}
	if s.pattern.counts == "current" {
		return equal(window, now)
	}
	for _, it := range slices.Backward(window) {
		if same := equal(window, it); len(same) > len(counted) { // CO-27
			counted = same
		}
	}
	return counted
}

// equal returns those of the items that equal one of them, or a call that comes after them.
func equal(items []item, now item) (counted []item) {
	for _, it := range items {
		if it.equals(now) {
			counted = append(counted, it)
		}
	}
	return counted
}

// interleaved returns the items of the window that equal the current one and come after another. [CO-28]
func (s *story) interleaved(now item) (counted []item) {
	outside := len(s.items) - len(s.window())
	for i, it := range s.items {
		if i >= outside && it.equals(now) && (i == 0 || !it.equals(s.items[i-1])) {
			counted = append(counted, it)
		}
	}
	return counted
}

// streak returns the items of the window that are of the same call and of the same answer as the latest of them, from
// the last one on that has another. [CO-29]
func (s *story) streak(now item) (counted []item) {
	for _, it := range s.window() {
		switch {
		case it.call != now.call:
		case it.blank:
			counted = nil
		case len(counted) > 0 && counted[0].answer == it.answer:
			counted = append(counted, it)
		default:
			counted = []item{it}
		}
	}
	return counted
}

// cycle returns the items of the laps, all but the first like the one before it, that the trace ends with, and how many
// a lap has: of the period with the most laps, the shortest of several. [CO-31]
func (s *story) cycle(now item) (counted []item, period int) {
	most := 1
	for p := s.pattern.from; p <= s.pattern.to; p++ {
		items := s.items
		if s.rule.before {
			if len(items) < p || items[len(items)-p].call != now.call {
				continue
			}
			items = append(slices.Clip(items), items[len(items)-p]) // CO-30: as though it had the same answer
			items[len(items)-1].first = now.first
		}
		if laps := s.laps(items, p); laps > most {
			most, period = laps, p
			counted = items[len(items)-laps*p:]
		}
	}
	return counted, period
}

// laps returns how often the last p items came one after the other; 0 where they are all the same, or, where the laps must
// be varied, all of one call. [CO-31]
func (s *story) laps(items []item, p int) int {
	repeated := 0
	for i := len(items) - 1; i >= p && items[i].equals(items[i-p]); i-- {
		repeated++
	}
	if p > 1 && s.alike(items) >= p {
		return 0
	}
	return repeated/p + 1
}

// alike returns how many of the latest items are the same, or, where laps must be varied, of one call. [CO-31]
func (s *story) alike(items []item) (n int) {
	for _, it := range slices.Backward(items) {
		last := items[len(items)-1]
		if !it.equals(last) && (!s.pattern.varied || it.call != last.call) {
			break
		}
		n++
	}
	return n
}

// judge is what the rule says of a count. [CO-32]
func (s *story) judge(now item, counted []item, period int) spec.Verdict {
	count := len(counted) / max(period, 1) // CO-31
	lap := counted                         // which are of one tool, but for a cycle
	if period > 0 {
		lap = counted[len(counted)-period:]
	}
	was := s.before
	s.before = count // CO-34
	if count == 0 {
		return spec.Verdict{}
	}
	i := s.rung(lap, count)
	if i < 0 || s.hushed(now, lap, period) {
		return spec.Verdict{}
	}
	g := s.rungs[i]
	if g.speaks == "once" && was >= threshold(g, lap) {
		return spec.Verdict{} // CO-34
	}
	v := spec.Verdict{ // CO-37
		Loop: true, Kind: spec.VerdictKind(s.pattern.sort), Count: count, Severity: g.severity,
		Rule: s.name, Rung: g.name, Period: period, Evidence: evidence(counted),
	}
	switch g.speaks {
	case "restart":
		s.items, s.before = nil, 0 // CO-35
	case "stays":
		s.stays = v // CO-36
	}
	return v
}

// rung returns the place of the rung that a count has reached; -1 where there is none. [CO-32]
func (s *story) rung(lap []item, count int) int {
	for i, g := range slices.Backward(s.rungs) {
		if count >= threshold(g, lap) {
			return i
		}
	}
	return -1
}

// threshold is the count at which a rung is reached: of the calls of a lap, the highest. [CO-33]
func threshold(g rung, lap []item) int {
	var highest int
	for _, it := range lap {
		highest = max(highest, g.threshold(it.first.Tool))
	}
	return highest
}

// hushed reports whether the rule does not speak of the calls. [CO-22]
func (s *story) hushed(now item, lap []item, period int) bool {
	if period == 0 {
		return s.tools.hush(now.first)
	}
	return !slices.ContainsFunc(lap, func(it item) bool { return !s.tools.hush(it.first) })
}

// evidence names the counted items by their first events: the latest ones. [CO-38]
func evidence(counted []item) []int {
	var indices []int
	for _, it := range counted[max(0, len(counted)-spec.MaxEvidence):] {
		indices = append(indices, it.first.Index)
	}
	slices.Sort(indices) // CO-38
	return indices
}
