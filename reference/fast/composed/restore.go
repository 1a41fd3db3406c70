package composed

import (
	"encoding/hex"
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// Restore replaces the state by one that Snapshot returned under the same configuration. Its error is a [*spec.Fault]
// of kind invalid_state, and then nothing has changed. The functions below read only what a session with this
// configuration can have written; [fast.CheckRead] finds the rest.
func (d *detector) Restore(state spec.Value) error { // CO-42
	fresh := newDetector(d.plan)
	if d.readsAnswers {
		fresh.readWaiting(state.Get("waiting").Items())
	}
	for i, v := range state.Get("rules").Items() {
		if i < len(fresh.memories) {
			fresh.memories[i].read(v, fresh.waiting)
		}
	}
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

func (d *detector) readWaiting(list []spec.Value) {
	for i, v := range list[:min(len(list), composed.MaxWaiting)] {
		// an index of its own below Restored, by which the answer finds it
		c := &call{index: fast.Restored - 1 - i, ways: make([]digest, len(d.callWays)), marks: make([]mark, len(d.rules))}
		c.id, c.hasID = v.Get("id").Str()
		for k, way := range v.Get("ways").Items() {
			if k < len(c.ways) {
				c.ways[k] = readDigest(way)
			}
		}
		for k, words := range v.Get("marks").Items() {
			if k < len(c.marks) {
				c.marks[k] = readMark(words, d.rules[k].Tools, d.rules[k].Changes)
			}
		}
		d.waiting = append(d.waiting, c)
	}
}

// readMark reads the mark of a call; a rule that names no tools has no marks.
func readMark(words spec.Value, t composed.Tools, changes composed.Calls) mark {
	has := func(word string) bool {
		return slices.ContainsFunc(words.Items(), func(v spec.Value) bool { return fast.Text(v) == word })
	}
	return mark{
		excluded: has("excluded") && len(t.Only)+len(t.Except) > 0,
		muted:    has("muted") && len(t.Silent)+len(t.Watched) > 0,
		change:   has("change") && len(changes) > 0,
	}
}

// read reads what a rule knows; the rule is fresh.
func (m *memory) read(v spec.Value, waiting []*call) {
	m.readStays(v.Get("stays"))
	if m.staying == nil {
		m.readItems(v)
	}
	if step := v.Get("step"); m.Same.By == "step" && !step.IsAbsent() {
		m.step.open = true
		m.readStep(step.Items(), waiting)
	}
}

// readStays reads the verdict that stays; what it says beside this is the configuration's.
func (m *memory) readStays(v spec.Value) { // CO-36, CO-37
	name, count, period := fast.Text(v.Get("rung")), fast.Count(v.Get("count")), fast.Count(v.Get("period"))
	i := slices.IndexFunc(m.Rungs, func(g composed.Rung) bool {
		return g.Name == name && g.Speaks == "stays" && count >= g.At
	})
	from, to := 0, 0
	if m.Pattern.Sort == "cycle" {
		from, to = m.Pattern.From, m.Pattern.To
	}
	if i >= 0 && from <= period && period <= to {
		m.staying = &spec.Verdict{
			Loop: true, Kind: spec.VerdictKind(m.Pattern.Sort), Count: count, Severity: m.Rungs[i].Severity,
			Rule: m.Name, Rung: name, Period: period,
		}
	}
}

func (m *memory) readItems(v spec.Value) {
	if m.shares || m.JudgesBefore {
		m.previous = fast.Count(v.Get("before"))
	}
	if m.shares {
		return
	}
	var last thing
	items, counts := v.Get("items").Items(), v.Get("counts").Items()
	for _, item := range items {
		last = m.readItem(item)
		m.record(last)
	}
	m.recount(counts)
	if len(items) > 0 && !m.JudgesBefore {
		m.previous = m.count(last).count
	}
}

// readItem reads the parts that an item of the rule has.
func (m *memory) readItem(v spec.Value) thing {
	t := thing{index: fast.Restored}
	isOfCalls := m.Same.By == "call" || m.Same.By == "tool"
	if isOfCalls {
		t.call = readDigest(v.Get("call"))
		t.key = t.call
		t.muted = v.Get("muted").IsTrue() && len(m.Tools.Silent)+len(m.Tools.Watched) > 0 // CO-22
	}
	if m.Same.By == "step" || isOfCalls && m.Same.WithAnswers() {
		t.key = readDigest(v.Get("key")) // CO-7
	}
	t.blank = v.Get("blank").IsTrue() &&
		(m.Same.By == "step" || m.Same.Outcome != "any" || m.Pattern.Sort == "streak") // CO-15, CO-17, CO-29
	return t
}

func (m *memory) readStep(list []spec.Value, waiting []*call) {
	next := 0 // calls wait in the order in which they were made
	for _, v := range list[:min(len(list), composed.MaxStep)] {
		c := callOfStep{index: fast.Restored, call: readDigest(v.Get("call"))}
		if answer := v.Get("answer"); m.Same.WithAnswers() && !answer.IsAbsent() {
			c.answer, c.is = readDigest(answer), true
		}
		if waits := v.Get("waits"); !waits.IsAbsent() {
			at := fast.Count(waits)
			if next <= at && at < len(waiting) && waiting[at].ways[m.callWay] == c.call {
				c.index, next = waiting[at].index, at+1
			}
		}
		m.step.calls = append(m.step.calls, c)
	}
}

// readDigest reads 32 hexadecimal digits.
func readDigest(v spec.Value) digest {
	sum, _ := hex.DecodeString(fast.Text(v))
	if len(sum) != 16 {
		return digest{}
	}
	return digestOfSum(sum)
}
