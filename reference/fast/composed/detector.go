// Package composed is the fast twin of reference/composed: the same verdicts event by event, with snapshots. The cost
// of an event does not grow with the trace.
package composed

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

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

func (d digest) compare(other digest) int {
	return cmp.Or(cmp.Compare(d[0], other[0]), cmp.Compare(d[1], other[1]))
}

// detector finds the verdicts of the rules for one agent.
type detector struct {
	*plan

	memories []memory // of the rules

	waiting []*call
	marks   map[string][]mark // by tool, if they follow from it; nil of a tool whose arguments are asked
	answers []digest          // the current answer, in each way
	text    []byte            // what was digested last; kept to be written over
}

// call is what the detector keeps of a call until the answer comes.
type call struct {
	id    string
	hasID bool
	index int
	ways  []digest  // the call, in each way
	room  [2]digest // for ways, if they are few
	marks []mark    // what it is to each rule
}

// mark says whether a rule excludes a call, or mutes it, and whether its success is a change.
type mark struct{ excluded, muted, change bool }

// plans keeps the plan of the configuration that was opened last.
var plans latestPlan

// New returns the detector with an empty trace. Its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func New(s spec.Settings) (spec.Detector, error) {
	p, err := plans.of(s)
	if err != nil {
		return nil, err
	}
	return newDetector(p), nil
}

func newDetector(p *plan) *detector {
	d := &detector{plan: p, marks: map[string][]mark{}}
	d.memories, d.answers = make([]memory, len(p.rules)), make([]digest, len(p.answerWays))
	for i := range p.rules {
		r := &p.rules[i]
		d.memories[i].rule = r
		if r.remembers == i {
			d.memories[i].sequence = newSequence(r.Rule)
		} else {
			d.memories[i].sequence = d.memories[r.remembers].sequence
		}
		d.memories[i].shares = r.remembers < i
	}
	return d
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { // CO-39
	d.waiting = nil
	for i := range d.memories {
		d.memories[i].forget()
	}
}

// kinds is a set of kinds of events. Most rules ignore most kinds.
type kinds uint8

const (
	userMessages kinds = 1 << iota
	agentMessages
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
			return userMessages, nil
		case spec.Assistant:
			return agentMessages, nil
		}
	}
	return 0, nil
}

// Observe implements [spec.Detector]. The event updates every rule; the first rule that reports gives the verdict.
func (d *detector) Observe(e spec.Event) spec.Verdict { // CO-8
	o := observed{index: e.Index, ok: composed.Succeeded(e)}
	o.kind, o.call = d.kindOf(e)
	if o.kind == answered {
		o.answers = d.answers
	}
	for i := range d.memories {
		m := &d.memories[i]
		if o.kind&(m.starts|m.completes) == 0 {
			continue
		}
		if o.call != nil {
			o.mark = o.call.marks[i]
		}
		m.observe(&o)
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
	answers []digest // an answer, in each way
	verdict spec.Verdict
}

// readCall reduces a call to what the rules compare, and adds it to the waiting calls.
func (d *detector) readCall(e spec.Event) *call { // CO-2
	c := &call{id: e.ID, hasID: e.HasID, index: e.Index, marks: d.marksOf(e)}
	c.ways = c.room[:0]
	for _, way := range d.callWays {
		d.text = appendCall(d.text[:0], way, e)
		c.ways = append(c.ways, digestOf(d.text))
	}
	if d.readsAnswers {
		d.waiting = append(d.waiting, c)
		d.waiting = d.waiting[max(0, len(d.waiting)-composed.MaxWaiting):]
	}
	return c
}

// appendCall appends a text that equal calls have in common, and different calls do not.
func appendCall(b []byte, s composed.Same, call spec.Event) []byte { // CO-9, CO-11, CO-12
	b = appendPart(b, call.Tool)
	if s.By == "tool" {
		return b
	}
	if s.Thought {
		b = appendPart(b, call.Thought)
	}
	return s.AppendArguments(b, call.Args)
}

// appendPart appends a text so that it cannot be mistaken for a part of its neighbours.
func appendPart(b []byte, text string) []byte {
	b = strconv.AppendInt(b, int64(len(text)), 10)
	return append(append(b, ':'), text...)
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
	marks = make([]mark, len(d.rules))
	for i, r := range d.rules {
		marks[i] = mark{r.Tools.Exclude(e), r.Tools.Mute(e), r.Changes.Contain(e)}
	}
	switch {
	case known || len(d.marks) == keptTools || len(e.Tool) > keptToolName:
	case slices.ContainsFunc(d.rules, func(r rule) bool { return r.asksArguments(e.Tool) }):
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
	for i, way := range d.answerWays {
		d.text = way.AppendAnswer(d.text[:0], e)
		d.answers[i] = digestOf(d.text)
	}
	return c
}

// memory is a rule with what it remembers since it started afresh.
type memory struct {
	*rule
	sequence
	shares bool // the sequence is that of an earlier rule, which keeps it

	step     step
	previous int           // the previous count
	staying  *spec.Verdict // of a rung that stays; nil if none does
}

// thing is an item that a rule compares.
type thing struct {
	call, key digest // of the call; of the call and its answer
	blank     bool   // it equals no item
	muted     bool   // the rule does not report at it
	index     int    // of its first event
}

func (t *thing) equals(other *thing) bool { return !t.blank && !other.blank && t.key == other.key }

// forget starts the rule afresh.
func (m *memory) forget() {
	if !m.shares {
		m.sequence.forget()
	}
	m.step.open, m.previous, m.staying = false, 0, nil
}

// observe updates the rule by the next event. Its verdict counts if no earlier rule has reported.
func (m *memory) observe(o *observed) {
	if m.starts&o.kind != 0 && (o.kind != answered || o.mark.change && o.ok) { // CO-23, CO-24
		m.forget()
	}
	if m.completes&o.kind == 0 {
		return
	}
	if m.JudgesBefore && o.kind == calls && !o.mark.excluded {
		m.judgeBefore(o)
	}
	t, is := m.item(o)
	switch {
	case !is:
	case m.staying == nil:
		if !m.shares {
			m.record(t)
		}
		if !m.JudgesBefore {
			m.judge(o, &t, m.count(t))
		}
	case !m.JudgesBefore:
		o.report(*m.staying) // CO-36
	}
}

// judgeBefore judges a call before it is recorded.
func (m *memory) judgeBefore(o *observed) { // CO-30
	if m.staying != nil {
		o.report(*m.staying) // CO-36
	} else {
		now := m.thing(o)
		m.judge(o, &now, m.countBefore(now))
	}
}

// report keeps the verdict of a rule, unless an earlier rule has reported.
func (o *observed) report(v spec.Verdict) { // CO-8
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
	case o.mark.excluded || m.Same.WithAnswers() != (o.kind == answered):
		return t, false // CO-7
	}
	t = m.thing(o)
	if o.kind == answered {
		t.key = t.call.and(o.answers[m.answerWay])
		t.blank = m.Same.Blank(o.ok) // CO-15
	}
	return t, true
}

// thing returns the item of a call, without its answer.
func (m *memory) thing(o *observed) thing {
	c := o.call
	way := c.ways[m.callWay]
	return thing{call: way, key: way, muted: o.mark.muted, index: c.index}
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
	case !s.open || o.mark.excluded:
	case o.kind == calls && len(s.calls) < composed.MaxStep: // CO-17
		s.calls = append(s.calls, callOfStep{index: o.call.index, call: o.call.ways[m.callWay]})
	case m.Same.WithAnswers():
		i := slices.IndexFunc(s.calls, func(c callOfStep) bool { return c.index == o.call.index })
		if i >= 0 {
			s.calls[i].answer, s.calls[i].is = o.answers[m.answerWay], true
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
	withCurrent   bool    // the call that is judged is one more
}

// judge returns the rule's verdict on a count.
func (m *memory) judge(o *observed, now *thing, n tally) { // CO-32
	was := m.previous
	m.previous = n.count // CO-34
	g := m.Reached(n.count)
	if g == nil || isMuted(now, &n) || g.Speaks == "once" && was >= g.At { // CO-22, CO-34
		return
	}
	if o.verdict.Loop && (g.Speaks == "each" || g.Speaks == "once") {
		return // an earlier rule has reported, and this report changes nothing
	}
	v := m.verdict(g, now, &n)
	o.report(v)
	switch g.Speaks {
	case "restart":
		m.sequence.forget() // CO-35
		m.previous = 0
	case "stays":
		m.staying = &v // CO-36
	}
}

// verdict is the verdict of a rung on a count.
func (m *memory) verdict(g *composed.Rung, now *thing, n *tally) spec.Verdict { // CO-37
	counted := min(n.count*max(n.period, 1), spec.MaxEvidence)
	var evidence []int // CO-38
	if n.withCurrent {
		evidence = append(n.trail.last(counted-1), now.index)
	} else {
		evidence = n.trail.last(counted)
	}
	return spec.Verdict{
		Loop: true, Kind: spec.VerdictKind(m.Pattern.Sort), Count: n.count, Severity: g.Severity,
		Rule: m.Name, Rung: g.Name, Period: n.period, Evidence: since(evidence),
	}
}

// isMuted reports whether muting keeps the rule from reporting what was counted.
func isMuted(now *thing, n *tally) bool { // CO-22
	if n.period == 0 {
		return now.muted
	}
	return !slices.ContainsFunc(n.lap, func(t thing) bool { return !t.muted })
}
