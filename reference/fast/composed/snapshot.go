package composed

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// restored is the index of an event from before a restore: no evidence can name it. Waiting calls have indices of their
// own below it, by which the answers find them.
const restored = -1

// Snapshot returns all that is needed to go on under the same configuration.
func (d *detector) Snapshot() spec.Value { // CO-41
	waiting := make([]spec.Value, len(d.waiting))
	for i, c := range d.waiting {
		waiting[i] = c.value()
	}
	rules := make([]spec.Value, len(d.memories))
	for i, m := range d.memories {
		rules[i] = m.value(d.waiting)
	}
	return spec.ObjectValue(
		spec.Member{Name: "waiting", Value: spec.ArrayValue(waiting...)},
		spec.Member{Name: "rules", Value: spec.ArrayValue(rules...)},
	)
}

func (c *call) value() spec.Value {
	var members []spec.Member
	if c.hasID {
		members = append(members, spec.Member{Name: "id", Value: spec.StringValue(c.id)})
	}
	ways := make([]string, len(c.ways))
	for i, way := range c.ways {
		ways[i] = way.String()
	}
	marks := make([]spec.Value, len(c.marks))
	for i, m := range c.marks {
		marks[i] = spec.StringsValue(m.words())
	}
	return spec.ObjectValue(append(members,
		spec.Member{Name: "ways", Value: spec.StringsValue(ways)},
		spec.Member{Name: "marks", Value: spec.ArrayValue(marks...)})...)
}

func (m mark) words() []string {
	words := []string{}
	for _, w := range []struct {
		is   bool
		word string
	}{{m.excluded, "excluded"}, {m.muted, "muted"}, {m.change, "change"}} {
		if w.is {
			words = append(words, w.word)
		}
	}
	return words
}

// value returns what a rule remembers: the verdict that stays, or otherwise its items. The previous count follows from
// the items, except for a rule that judges before.
func (m *memory) value(waiting []*call) spec.Value {
	var members []spec.Member
	add := func(is bool, name string, v spec.Value) {
		if is {
			members = append(members, spec.Member{Name: name, Value: v})
		}
	}
	stays := m.staying.Loop
	kept, counts := m.kept()
	items := make([]spec.Value, len(kept))
	for i, t := range kept {
		items[i] = t.value()
	}
	add(stays, "stays", spec.ObjectValue(
		spec.Member{Name: "rung", Value: spec.StringValue(m.staying.Rung)},
		spec.Member{Name: "count", Value: spec.IntValue(m.staying.Count)},
		spec.Member{Name: "period", Value: spec.IntValue(m.staying.Period)},
	))
	add(!stays, "items", spec.ArrayValue(items...))
	add(!stays, "counts", spec.IntsValue(counts))
	add(!stays && m.JudgesBefore, "before", spec.IntValue(m.previous))
	add(m.step.open, "step", m.step.value(waiting))
	return spec.ObjectValue(members...)
}

// value writes the parts of an item that are there. An item without a key of its own has the key of its call.
func (t thing) value() spec.Value {
	var members []spec.Member
	add := func(has bool, name string, v spec.Value) {
		if has {
			members = append(members, spec.Member{Name: name, Value: v})
		}
	}
	add(t.call != digest{}, "call", spec.StringValue(t.call.String()))
	add(t.key != t.call, "key", spec.StringValue(t.key.String()))
	add(t.blank, "blank", spec.BoolValue(true))
	add(t.muted, "muted", spec.BoolValue(true))
	return spec.ObjectValue(members...)
}

// value lists the calls of the unfinished step. A call that still waits is named by its place among the waiting calls.
func (s *step) value(waiting []*call) spec.Value {
	calls := make([]spec.Value, len(s.calls))
	for i, c := range s.calls {
		members := []spec.Member{{Name: "call", Value: spec.StringValue(c.call.String())}}
		if c.is {
			members = append(members, spec.Member{Name: "answer", Value: spec.StringValue(c.answer.String())})
		} else if at := slices.IndexFunc(waiting, func(w *call) bool { return w.index == c.index }); at >= 0 {
			members = append(members, spec.Member{Name: "waits", Value: spec.IntValue(at)})
		}
		calls[i] = spec.ObjectValue(members...)
	}
	return spec.ArrayValue(calls...)
}

// String returns 32 hexadecimal digits.
func (d digest) String() string { return fmt.Sprintf("%016x%016x", d[0], d[1]) }

// since returns ascending indices without the indices from before a restore.
func since(indices []int) []int { // CO-41
	for len(indices) > 0 && indices[0] <= restored {
		indices = indices[1:]
	}
	if len(indices) == 0 {
		return nil
	}
	return indices
}

// What the patterns keep, and how they take it back.

func (r *runs) capacity() int { return 1 }

// kept returns the latest item and the count; nothing if the count is 0.
func (r *runs) kept() ([]thing, []int) {
	if r.n == 0 {
		return nil, []int{0}
	}
	return []thing{r.last}, []int{r.n}
}

func (r *runs) restore(items []thing, counts []int) bool {
	if len(counts) != 1 || (counts[0] > 0) != (len(items) == 1) {
		return false
	}
	for _, t := range items {
		r.record(t)
	}
	blank := r.n < len(items)
	r.n = counts[0]
	return !blank
}

func (c *cycle) capacity() int { return c.to }

// kept returns the ring, how many of the latest items are equal and, for each period, how many repeat.
func (c *cycle) kept() (items []thing, counts []int) {
	for i := min(c.n, c.to); i > 0; i-- {
		items = append(items, *c.ago(i))
	}
	if c.n == 0 {
		return nil, make([]int, 2+c.to-c.from)
	}
	return items, append([]int{c.alike}, c.repeated[c.from:]...)
}

// restore counts what the items of the ring show. Only if all items agree, there may have been more before them.
func (c *cycle) restore(items []thing, counts []int) bool {
	for _, t := range items {
		c.record(t)
	}
	n := len(items)
	if len(counts) != 2+c.to-c.from || n == 0 && slices.Max(counts) > 0 {
		return false
	}
	beyond := func(shown, count, most int) bool {
		return count == shown || count > shown && n == c.to && shown == most
	}
	ok := n == 0 || beyond(c.alike, counts[0], n)
	for p := c.from; p <= c.to; p++ {
		ok = ok && beyond(c.repeated[p], counts[1+p-c.from], n-p)
	}
	c.alike = counts[0]
	copy(c.repeated[c.from:], counts[1:])
	return ok
}

func (w *window) capacity() int { return w.Last }

// kept returns the items of the window.
func (w *window) kept() (items []thing, counts []int) {
	for i := w.n - len(w.slots); i < w.n; i++ {
		items = append(items, w.slot(i).thing)
	}
	return items, nil
}

func (w *window) restore(items []thing, counts []int) bool {
	for _, t := range items {
		w.record(t)
	}
	return len(counts) == 0
}
