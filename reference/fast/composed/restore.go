package composed

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// mostCounted is the highest count of a state: beyond it, not every language has exact integers.
const mostCounted = 1<<53 - 1

// Restore replaces the state by one that Snapshot returned under the same configuration. Its error is a [*spec.Fault]
// of kind invalid_state, and then nothing has changed.
func (d *detector) Restore(v spec.Value) error { // CO-42
	fresh := newDetector(d.plan)
	r := &reader{}
	members := r.object("", v, []string{"waiting", "rules"}, nil)
	fresh.readWaiting(r, r.array("waiting", members["waiting"], composed.MaxWaiting))
	memories := r.array("rules", members["rules"], len(d.rules))
	if len(memories) != len(d.rules) {
		r.fail("rules: want %d, got %d", len(d.rules), len(memories))
		return r.err
	}
	for i := range fresh.memories {
		fresh.memories[i].read(r, fmt.Sprintf("rules/%d", i), memories[i], fresh.waiting)
	}
	if r.err == nil {
		*d = *fresh
	}
	return r.err
}

func (d *detector) readWaiting(r *reader, list []spec.Value) {
	if len(list) > 0 && !d.readsAnswers {
		r.fail("waiting: no rule looks at answers")
	}
	for i, item := range list {
		place := fmt.Sprintf("waiting/%d", i)
		m := r.object(place, item, []string{"ways", "marks"}, []string{"id"})
		c := &call{index: restored - 1 - i}
		if c.hasID = !m["id"].IsAbsent(); c.hasID {
			c.id = r.text(place+"/id", m["id"])
		}
		for _, way := range r.array(place+"/ways", m["ways"], len(d.callWays)) {
			c.ways = append(c.ways, r.digest(place+"/ways", way))
		}
		for k, words := range r.array(place+"/marks", m["marks"], len(d.memories)) {
			c.marks = append(c.marks, r.mark(fmt.Sprintf("%s/marks/%d", place, k), words, d.rules[k].Rule))
		}
		if len(c.ways) != len(d.callWays) || len(c.marks) != len(d.memories) {
			r.fail("%s: want %d ways and %d marks", place, len(d.callWays), len(d.memories))
		}
		d.waiting = append(d.waiting, c)
	}
}

// read reads what a rule knows; the rule is fresh.
func (m *memory) read(r *reader, place string, v spec.Value, waiting []*call) {
	if r.err != nil {
		return
	}
	required, optional := []string{"items", "counts"}, []string(nil)
	stays := !v.Get("stays").IsAbsent()
	switch {
	case stays:
		required = []string{"stays"}
	case m.shares:
		required = []string{"before"}
	case m.JudgesBefore:
		required = append(required, "before")
	}
	if m.Same.By == "step" {
		optional = []string{"step"}
	}
	parts := r.object(place, v, required, optional)
	if stays {
		m.readStays(r, place+"/stays", parts["stays"])
	} else {
		m.readSequence(r, place, parts)
	}
	if !parts["step"].IsAbsent() {
		m.readStep(r, place+"/step", parts["step"], waiting)
	}
}

func (m *memory) readSequence(r *reader, place string, parts map[string]spec.Value) {
	if m.shares {
		m.previous = r.count(place+"/before", parts["before"])
		return
	}
	items := m.readItems(r, place+"/items", parts["items"])
	var counts []int
	for _, n := range r.array(place+"/counts", parts["counts"], composed.MaxPeriod+1) {
		counts = append(counts, r.count(place+"/counts", n))
	}
	if r.err == nil && !m.restore(items, counts) {
		r.fail("%s/counts: no trace with these items leads to %v", place, counts)
	}
	if m.JudgesBefore {
		m.previous = r.count(place+"/before", parts["before"])
	} else if r.err == nil && len(items) > 0 {
		m.previous = m.count(items[len(items)-1]).count
	}
}

// readStays reads the verdict that stays; what it says beside this is the configuration's.
func (m *memory) readStays(r *reader, place string, v spec.Value) { // CO-36, CO-37
	parts := r.object(place, v, []string{"rung", "count", "period"}, nil)
	name, count, period := r.text(place+"/rung", parts["rung"]),
		r.count(place+"/count", parts["count"]), r.count(place+"/period", parts["period"])
	i := slices.IndexFunc(m.Rungs, func(g composed.Rung) bool { return g.Name == name && g.Speaks == "stays" })
	switch cycle := m.Pattern.Sort == "cycle"; {
	case r.err != nil:
		return
	case i < 0:
		r.fail("%s/rung: no rung of this name stays: %s", place, parts["rung"])
	case count < m.Rungs[i].At:
		r.fail("%s/count: %d do not reach the rung", place, count)
	case cycle && (period < m.Pattern.From || period > m.Pattern.To), !cycle && period != 0:
		r.fail("%s/period: the rule has no such period: %d", place, period)
	default:
		m.staying = &spec.Verdict{
			Loop: true, Kind: spec.VerdictKind(m.Pattern.Sort), Count: count, Severity: m.Rungs[i].Severity,
			Rule: m.Name, Rung: name, Period: period,
		}
	}
}

// readItems reads items that the rule may have recorded. Equal items have equal calls.
func (m *memory) readItems(r *reader, place string, v spec.Value) []thing {
	var items []thing
	callOf := map[digest]digest{}
	for i, item := range r.array(place, v, m.capacity()) {
		place := fmt.Sprintf("%s/%d", place, i)
		t := r.thing(place, item)
		if !records(m.Rule, t) {
			r.fail("%s: the rule records no such item: %s", place, item)
		}
		if call, known := callOf[t.key]; known && call != t.call {
			r.fail("%s: an equal item is of another call", place)
		}
		callOf[t.key] = t.call
		items = append(items, t)
	}
	return items
}

// records reports whether an item can be one of the rule.
func records(r composed.Rule, t thing) bool {
	none := digest{}
	neverBlank := r.Same.By != "step" && r.Same.Outcome == "any" // CO-15, CO-17
	switch {
	case isWindow(r) && t.blank: // or its streak has ended
		return t == thing{index: t.index, blank: true} && (r.Pattern.Sort == "streak" || !neverBlank)
	case t.blank && neverBlank,
		t.muted && isWindow(r),
		t.muted && len(r.Tools.Silent)+len(r.Tools.Watched) == 0: // CO-22
		return false
	case r.Same.By == "call" || r.Same.By == "tool":
		return t.call != none && (t.key != t.call) == r.Same.WithAnswers() // CO-7
	case r.Same.By == "speech":
		return t == thing{index: t.index} // CO-18
	default:
		return t == thing{index: t.index, key: t.key, blank: t.blank} && (t.key == none) == t.blank // CO-17
	}
}

func (m *memory) readStep(r *reader, place string, v spec.Value, waiting []*call) {
	m.step.open = true
	next := 0 // calls wait in the order in which they were made
	for i, item := range r.array(place, v, composed.MaxStep) {
		place := fmt.Sprintf("%s/%d", place, i)
		parts := r.object(place, item, []string{"call"}, []string{"answer", "waits"})
		c := callOfStep{index: restored, call: r.digest(place+"/call", parts["call"])}
		answered, waits := !parts["answer"].IsAbsent(), !parts["waits"].IsAbsent()
		if answered {
			c.answer, c.is = r.digest(place+"/answer", parts["answer"]), true
		}
		if waits {
			at := r.count(place+"/waits", parts["waits"])
			if at < next || at >= len(waiting) || r.err == nil && waiting[at].ways[m.callWay] != c.call {
				r.fail("%s/waits: no such call waits: %s", place, parts["waits"])
				return
			}
			c.index, next = waiting[at].index, at+1
		}
		if answered && (waits || !m.Same.WithAnswers()) {
			r.fail("%s/answer: the call has none", place)
		}
		m.step.calls = append(m.step.calls, c)
	}
}

// reader reads the parts of a state; the first fault stays.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = spec.BadState(format, args...)
	}
}

// object returns the members of an object that must have the required members, may have the optional members, and has
// no others.
func (r *reader) object(place string, v spec.Value, required, optional []string) map[string]spec.Value {
	found := map[string]spec.Value{}
	for _, m := range v.Members() {
		if !slices.Contains(required, m.Name) && !slices.Contains(optional, m.Name) {
			r.fail("%s: unknown member %s", place, m.Name)
		}
		found[m.Name] = m.Value
	}
	for _, name := range required {
		if _, has := found[name]; !has {
			r.fail("%s: want an object with the members %v, got %s", place, required, v)
		}
	}
	return found
}

func (r *reader) array(place string, v spec.Value, most int) []spec.Value {
	if v.Kind() != spec.Array || len(v.Items()) > most {
		r.fail("%s: want an array of at most %d, got %s", place, most, v)
		return nil
	}
	return v.Items()
}

func (r *reader) count(place string, v spec.Value) int {
	n, is := v.Int()
	if !is || n < 0 || n > mostCounted {
		r.fail("%s: want a count, got %s", place, v)
		return 0
	}
	return n
}

func (r *reader) text(place string, v spec.Value) string {
	s, is := v.Str()
	if !is {
		r.fail("%s: want a text, got %s", place, v)
	}
	return s
}

// digest reads 32 lower-case hexadecimal digits.
func (r *reader) digest(place string, v spec.Value) (d digest) {
	text, _ := v.Str()
	sum, err := hex.DecodeString(text)
	if err == nil && len(sum) == 16 {
		d = digestOfSum(sum)
	}
	if err != nil || d.String() != text {
		r.fail("%s: want 32 hexadecimal digits, got %s", place, v)
	}
	return d
}

// thing reads an item, and refuses what [thing.value] does not write.
func (r *reader) thing(place string, v spec.Value) thing {
	t := thing{index: restored}
	if call := v.Get("call"); !call.IsAbsent() {
		t.call = r.digest(place+"/call", call)
	}
	t.key = t.call
	if key := v.Get("key"); !key.IsAbsent() {
		t.key = r.digest(place+"/key", key)
	}
	t.blank, t.muted = v.Get("blank").IsTrue(), v.Get("muted").IsTrue()
	if !t.value().Equal(v) {
		r.fail("%s: %s is not as a snapshot writes it", place, v)
	}
	return t
}

// mark reads the mark of a call; a rule that names no tools has no marks.
func (r *reader) mark(place string, v spec.Value, of composed.Rule) mark {
	m := mark{}
	for _, word := range r.array(place, v, 3) {
		switch text, _ := word.Str(); text {
		case "excluded":
			m.excluded = len(of.Tools.Only)+len(of.Tools.Except) > 0
		case "muted":
			m.muted = len(of.Tools.Silent)+len(of.Tools.Watched) > 0
		case "change":
			m.change = len(of.Changes) > 0
		}
	}
	if !spec.StringsValue(m.words()).Equal(v) {
		r.fail("%s: the call cannot be this to the rule: %s", place, v)
	}
	return m
}
