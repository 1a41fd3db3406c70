package composed

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot returns all that is needed to go on under the same configuration.
func (d *detector) Snapshot() spec.Value { // CO-41
	waiting := make([]spec.Value, len(d.waiting))
	for i, c := range d.waiting {
		waiting[i] = c.value()
	}
	rules := make([]spec.Value, len(d.memories))
	for i := range d.memories {
		rules[i] = d.memories[i].value(d.waiting)
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
	stays := m.staying != nil
	kept, counts := m.kept()
	items := make([]spec.Value, len(kept))
	for i, t := range kept {
		items[i] = t.value()
	}
	if stays {
		add(true, "stays", spec.ObjectValue(
			spec.Member{Name: "rung", Value: spec.StringValue(m.staying.Rung)},
			spec.Member{Name: "count", Value: spec.IntValue(m.staying.Count)},
			spec.Member{Name: "period", Value: spec.IntValue(m.staying.Period)},
		))
	}
	add(!stays && !m.shares, "items", spec.ArrayValue(items...))
	add(!stays && !m.shares, "counts", spec.IntsValue(counts))
	add(!stays && (m.JudgesBefore || m.shares), "before", spec.IntValue(m.previous))
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
	for len(indices) > 0 && indices[0] <= fast.Restored {
		indices = indices[1:]
	}
	if len(indices) == 0 {
		return nil
	}
	return indices
}

// What the patterns keep, and how they take it back.

// kept returns the ring and, for each period, how many of the latest items equal the item one period before.
func (c *cycle) kept() (items []thing, counts []int) {
	for i := min(c.n, c.to); i > 0; i-- {
		items = append(items, *c.ago(i))
	}
	return items, c.repeated[c.from:]
}

// recount takes a count that is higher than the items of the ring show only if all of them agree: then there may have
// been more before them.
func (c *cycle) recount(counts []spec.Value) {
	for p := c.from; p <= c.to && p-c.from < len(counts) && c.n >= c.to; p++ {
		if count := fast.Count(counts[p-c.from]); count > c.repeated[p] && c.repeated[p] >= c.to-p {
			c.repeated[p] = count
		}
	}
}

// kept returns the items of the window; one that counts no more is blank.
func (w *window) kept() (items []thing, counts []int) {
	for i := w.n - len(w.slots); i < w.n; i++ {
		t := thing{blank: true}
		if g := w.group(i); g.counts() {
			t = thing{call: g.call, key: g.key}
		}
		items = append(items, t)
	}
	return items, nil
}

func (w *window) recount([]spec.Value) {}
