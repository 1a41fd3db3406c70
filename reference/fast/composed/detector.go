// Package composed is the fast twin of reference/composed: the same verdicts event by event, with snapshots. The cost
// of an event does not grow with the trace.
package composed

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// digest stands for a text: two texts with equal digests count as equal.
type digest [2]uint64

func digestOf(text []byte) digest {
	sum := sha256.Sum256(text)
	return digestOfSum(sum[:])
}

func digestOfSum(sum []byte) digest {
	return digest{binary.BigEndian.Uint64(sum), binary.BigEndian.Uint64(sum[8:])}
}

// spread is an odd number with its bits all over the word.
const spread = 0x9E3779B97F4A7C15

// and returns the digest of two things in a row.
func (d digest) and(other digest) digest {
	return digest{d[0]*spread + other[0], d[1]*spread + other[1]}
}

// Implementation returns the detector.
func Implementation() spec.Implementation {
	return spec.Faster(composed.Rules(), func(s spec.Settings) (spec.Detector, error) {
		rules, err := composed.RulesOf(s)
		if err != nil {
			return nil, err
		}
		return newDetector(rules), nil
	})
}

func (d digest) compare(other digest) int {
	return cmp.Or(cmp.Compare(d[0], other[0]), cmp.Compare(d[1], other[1]))
}

// detector finds the verdicts of the rules for one agent.
type detector struct {
	memories []*memory
	calls    []composed.Same // the ways to read a call; a memory knows which is its own
	answers  []composed.Same // likewise
	listens  bool            // some rule looks at answers

	waiting []*call
	marks   map[string][]mark // by tool, where they follow from it; nil of a tool whose arguments are asked
	heard   []digest          // the current answer, read in each way
	text    []byte            // what was digested last; kept to be written over
}

// call is what the detector keeps of a call until the answer comes.
type call struct {
	id    string
	hasID bool
	index int
	ways  []digest  // as each of the detector's ways reads it
	room  [2]digest // for these, where they are few
	marks []mark    // what it is to each rule
}

// mark says whether a rule excludes a call, or mutes it.
type mark struct{ unseen, silent, change bool }

// newDetector returns a detector with an empty trace.
func newDetector(rules []composed.Rule) *detector {
	d := &detector{marks: map[string][]mark{}}
	for _, r := range rules {
		m := &memory{Rule: r, sequence: newSequence(r), starts: starts(r), completes: completes(r)}
		m.way = place(&d.calls, r.Same, wayOfCalls)
		m.hears = place(&d.answers, r.Same, wayOfAnswers)
		d.memories = append(d.memories, m)
		d.listens = d.listens || r.Same.WithAnswers() || r.Changes != nil
	}
	d.heard = make([]digest, len(d.answers))
	return d
}

// place returns the place of a way in a list, and adds the way if the list lacks it.
func place(list *[]composed.Same, s composed.Same, way func(composed.Same) string) int {
	i := slices.IndexFunc(*list, func(o composed.Same) bool { return way(o) == way(s) })
	if i < 0 {
		i = len(*list)
		*list = append(*list, s)
	}
	return i
}

// wayOfCalls and wayOfAnswers name what rules read in the same way.

func wayOfCalls(s composed.Same) string {
	return fmt.Sprintf("%s %s %v %q", s.By, s.KeyOrder, s.Thought, s.Keep)
}

func wayOfAnswers(s composed.Same) string { return fmt.Sprint(s.Results, s.Prefix) }

// Reset implements [spec.Detector].
func (d *detector) Reset() { // CO-39
	d.waiting = nil
	for _, m := range d.memories {
		m.forget()
	}
}

// kinds is a set of kinds of events. Most rules ignore most kinds.
type kinds uint8

const (
	userSpeaks kinds = 1 << iota
	agentSpeaks
	replies
	calls
	answered // a call
)

// kindOf returns the kind of an event, and the call that it is or answers. An event that no rule looks at has no kind.
func (d *detector) kindOf(e spec.Event) (kinds, *call) {
	switch e.Type {
	case spec.Reply:
		return replies, nil
	case spec.ToolCall:
		return calls, d.readCall(e)
	case spec.ToolResult, spec.ErrorEvent:
		if c := d.answer(e); c != nil {
			return answered, c
		}
	case spec.Message:
		switch e.Role {
		case spec.User:
			return userSpeaks, nil
		case spec.Assistant:
			return agentSpeaks, nil
		}
	}
	return 0, nil
}

// starts returns the kinds of events at which the rule may start afresh.
func starts(r composed.Rule) (set kinds) { // CO-23
	for _, start := range r.Fresh {
		set |= map[string]kinds{
			"user": userSpeaks, "reply": replies, "message": agentSpeaks, "call": calls, "change": answered,
		}[start]
	}
	return set
}

// completes returns the kinds of events that may extend or complete an item of the rule, or that it judges before.
func completes(r composed.Rule) kinds {
	switch {
	case r.Same.By == "step":
		return replies | calls | answered
	case r.Same.By == "speech":
		return agentSpeaks
	case !r.Same.WithAnswers():
		return calls
	case r.JudgesBefore:
		return calls | answered
	default:
		return answered
	}
}

// Observe implements [spec.Detector]. The event updates every rule; the first rule that reports gives the verdict.
func (d *detector) Observe(e spec.Event) spec.Verdict { // CO-8
	o := observed{index: e.Index, ok: composed.Succeeded(e)}
	o.kind, o.call = d.kindOf(e)
	if o.kind == answered {
		o.heard = d.heard
	}
	for i, m := range d.memories {
		if o.kind&(m.starts|m.completes) == 0 {
			continue
		}
		if o.call != nil {
			o.mark = o.call.marks[i]
		}
		m.tell(&o)
	}
	return o.verdict
}

// observed is an event as the rules look at it.
type observed struct {
	index   int
	ok      bool // it is a success
	kind    kinds
	call    *call    // it is this call, or answers it
	mark    mark     // of the call, to the rule that looks
	heard   []digest // an answer, in each way
	verdict spec.Verdict
}

// readCall reduces a call to what the rules compare, and adds it to the waiting calls.
func (d *detector) readCall(e spec.Event) *call { // CO-2
	c := &call{id: e.ID, hasID: e.HasID, index: e.Index, marks: d.marksOf(e)}
	c.ways = c.room[:0]
	for _, way := range d.calls {
		d.text = way.AppendCall(d.text[:0], e)
		c.ways = append(c.ways, digestOf(d.text))
	}
	if d.listens {
		d.waiting = append(d.waiting, c)
		d.waiting = d.waiting[max(0, len(d.waiting)-composed.MaxWaiting):]
	}
	return c
}

// How many tools the marks are kept for; an agent that invents names for ever costs no more memory.
const (
	keptTools    = 256
	keptToolName = 64 // bytes
)

// marksOf returns the mark of a call for each rule. Most rules ask only for the tool, and agents have few tools.
func (d *detector) marksOf(e spec.Event) []mark {
	marks, known := d.marks[e.Tool]
	if marks != nil {
		return marks
	}
	marks = make([]mark, len(d.memories))
	for i, m := range d.memories {
		marks[i] = mark{!m.Tools.See(e), m.Tools.Silence(e), composed.Has(m.Changes, e)}
	}
	switch {
	case known || len(d.marks) == keptTools || len(e.Tool) > keptToolName:
	case slices.ContainsFunc(d.memories, func(m *memory) bool { return m.AsksArguments(e.Tool) }):
		d.marks[e.Tool] = nil
	default:
		d.marks[e.Tool] = marks
	}
	return marks
}

// answer returns the call that an event answers, and takes it from the waiting calls; nil if there is none.
func (d *detector) answer(e spec.Event) *call { // CO-2
	i := slices.IndexFunc(d.waiting, func(c *call) bool { return !e.HasCall || c.hasID && c.id == e.Call })
	if i < 0 {
		return nil
	}
	c := d.waiting[i]
	d.waiting = slices.Delete(d.waiting, i, i+1)
	for i, way := range d.answers {
		d.text = way.AppendAnswer(d.text[:0], e)
		d.heard[i] = digestOf(d.text)
	}
	return c
}

// memory is a rule with what it remembers since it started afresh.
type memory struct {
	composed.Rule
	starts, completes kinds
	way, hears        int // places of its ways in the detector's lists
	sequence

	step   step
	before int // the count after the item before
	stays  spec.Verdict
}

// thing is an item that a rule compares.
type thing struct {
	call, key digest // of the call; of that and its answer
	blank     bool   // it is equal to none
	silent    bool   // the rule does not speak after it
	index     int    // of its first event
}

func (t *thing) equals(other *thing) bool { return !t.blank && !other.blank && t.key == other.key }

// forget starts the rule afresh.
func (m *memory) forget() {
	m.sequence.forget()
	m.step.open, m.before, m.stays = false, 0, spec.Verdict{}
}

// tell updates the rule by the next event. Its verdict counts if no earlier rule has reported.
func (m *memory) tell(o *observed) {
	if m.starts&o.kind != 0 && (o.kind != answered || o.mark.change && o.ok) { // CO-23, CO-24
		m.forget()
	}
	if m.completes&o.kind == 0 {
		return
	}
	if m.JudgesBefore && o.kind == calls && !o.mark.unseen {
		m.foretell(o)
	}
	t, is := m.item(o)
	switch {
	case !is:
	case !m.stays.Loop:
		m.record(t)
		if !m.JudgesBefore {
			m.judge(o, &t, m.count(t))
		}
	case !m.JudgesBefore:
		o.hear(m.stays) // CO-36
	}
}

// foretell judges a call before it is recorded.
func (m *memory) foretell(o *observed) { // CO-30
	if m.stays.Loop {
		o.hear(m.stays) // CO-36
	} else {
		now := m.thing(o)
		m.judge(o, &now, m.foresee(now))
	}
}

// hear keeps the verdict of a rule, unless an earlier rule has reported.
func (o *observed) hear(v spec.Verdict) { // CO-8
	if !o.verdict.Loop {
		o.verdict = v
	}
}

// item returns the item that an event completes, and whether it completes one.
func (m *memory) item(o *observed) (t thing, is bool) {
	switch {
	case m.Same.By == "step":
		return m.stepOf(o)
	case m.Same.By == "speech":
		return thing{index: o.index}, true // CO-18
	case o.mark.unseen || m.Same.WithAnswers() != (o.kind == answered):
		return t, false // CO-7
	}
	t = m.thing(o)
	if o.kind == answered {
		t.key = t.call.and(o.heard[m.hears])
		t.blank = m.Same.Blank(o.ok) // CO-15
	}
	return t, true
}

// thing returns the item of a call, without its answer.
func (m *memory) thing(o *observed) thing {
	c := o.call
	way := c.ways[m.way]
	return thing{call: way, key: way, silent: o.mark.silent, index: c.index}
}

// step is the unfinished step of a rule that compares steps.
type step struct {
	open  bool
	calls []callOfStep
}

type callOfStep struct {
	index  int
	call   digest
	answer digest
	is     bool // it is answered
}

// stepOf notes the calls of a step and their answers, and returns the step when the next reply completes it.
func (m *memory) stepOf(o *observed) (t thing, is bool) { // CO-16
	s := &m.step
	switch {
	case o.kind == replies:
		t, is = s.end(m.Same.Order), s.open
		s.open, s.calls = true, s.calls[:0]
	case !s.open || o.mark.unseen:
	case o.kind == calls && len(s.calls) < composed.MaxStep: // CO-17
		s.calls = append(s.calls, callOfStep{index: o.call.index, call: o.call.ways[m.way]})
	case m.Same.WithAnswers():
		i := slices.IndexFunc(s.calls, func(c callOfStep) bool { return c.index == o.call.index })
		if i >= 0 {
			s.calls[i].answer, s.calls[i].is = o.heard[m.hears], true
		}
	}
	return t, is
}

// end returns the step as an item.
func (s *step) end(order string) thing { // CO-16
	if len(s.calls) == 0 {
		return thing{blank: true} // CO-17
	}
	t := thing{index: s.calls[0].index}
	parts := make([]digest, len(s.calls))
	for i, c := range s.calls {
		parts[i] = c.call
		if c.is {
			parts[i] = c.call.and(c.answer)
		}
	}
	if order == "any" {
		slices.SortFunc(parts, digest.compare)
	}
	for _, part := range parts {
		t.key = t.key.and(part)
	}
	return t
}

// tally is what a pattern counts.
type tally struct {
	count, period int
	lap           []thing // of a cycle, in any order
	trail         *trail  // of the counted items
	foreseen      bool    // the call that is judged is one more
}

// judge returns the rule's verdict on a count.
func (m *memory) judge(o *observed, now *thing, n tally) { // CO-32
	was := m.before
	m.before = n.count // CO-34
	i := m.rung(n.count)
	if i < 0 || silenced(now, &n) {
		return
	}
	g := &m.Rungs[i]
	if g.Speaks == "once" && was >= g.At {
		return // CO-34
	}
	if leavesNothing(g) && o.verdict.Loop {
		return // nobody hears it
	}
	v := m.verdict(g, now, &n)
	o.hear(v)
	switch g.Speaks {
	case "restart":
		m.sequence.forget() // CO-35
		m.before = 0
	case "stays":
		m.stays = v // CO-36
	}
}

// leavesNothing reports whether a report of the rung changes nothing for later items.
func leavesNothing(g *composed.Rung) bool { return g.Speaks != "restart" && g.Speaks != "stays" }

// verdict is the verdict of a rung on a count.
func (m *memory) verdict(g *composed.Rung, now *thing, n *tally) spec.Verdict { // CO-37
	counted := min(n.count*max(n.period, 1), spec.MaxEvidence)
	var evidence []int // CO-38
	if n.foreseen {
		evidence = append(n.trail.last(counted-1), now.index)
	} else {
		evidence = n.trail.last(counted)
	}
	return spec.Verdict{
		Loop: true, Kind: spec.VerdictKind(m.Pattern.Sort), Count: n.count, Severity: g.Severity,
		Rule: m.Name, Rung: g.Name, Period: n.period, Evidence: since(evidence),
	}
}

// rung returns the place of the last rung that a count reaches; -1 if it reaches none.
func (m *memory) rung(count int) int { // CO-32
	for i := len(m.Rungs) - 1; i >= 0; i-- {
		if count >= m.Rungs[i].At {
			return i
		}
	}
	return -1
}

// silenced reports whether muting keeps the rule from reporting what was counted.
func silenced(now *thing, n *tally) bool { // CO-22
	if n.period == 0 {
		return now.silent
	}
	return !slices.ContainsFunc(n.lap, func(t thing) bool { return !t.silent })
}
