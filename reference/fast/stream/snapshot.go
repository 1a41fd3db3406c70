package stream

import (
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter]: {"channels": {"answer": {"tail": …, "chunk": …, "lines": …}, …}}.
func (d *detector) Snapshot() spec.Value { // ST-20
	channels := spec.ObjectValue()
	for _, name := range spec.Channels() {
		c := d.channels[name]
		if c == nil {
			continue
		}
		state := spec.ObjectValue()
		for i, kind := range c.kinds {
			state = state.With(string(kind), c.rules[i].snapshot())
		}
		channels = channels.With(string(name), state)
	}
	return spec.ObjectValue(spec.Member{Name: "channels", Value: channels})
}

// Restore implements [spec.Snapshotter].
func (d *detector) Restore(state spec.Value) error { // ST-21
	fresh := newDetector(d.config)
	for _, m := range state.Get("channels").Members() {
		if !slices.Contains(d.config.Channels, m.Name) {
			return spec.BadState("channels: no channel %s is judged", m.Name)
		}
		c := newChannel(d.config)
		for i, kind := range c.kinds {
			c.rules[i].read(m.Value.Get(string(kind)))
		}
		fresh.channels[spec.Channel(m.Name)] = c
	}
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

func (t *tail) snapshot() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "text", Value: spec.StringValue(string(t.text[max(0, len(t.text)-t.config.TailTo):]))},
		spec.Member{Name: "runs", Value: spec.IntsValue(t.runs)},
	)
}

func (t *tail) read(state spec.Value) {
	t.text = []rune(fast.Text(state.Get("text")))
	t.runs = make([]int, max(0, min(t.config.TailTo, len(t.text))-t.config.TailFrom+1))
	copy(t.runs, counts(state.Get("runs")))
}

func (k *chunk) snapshot() spec.Value {
	m := k.markdown
	return spec.ObjectValue(
		spec.Member{Name: "text", Value: spec.StringValue(string(k.text[max(0, len(k.text)-k.reach):]))},
		spec.Member{Name: "block", Value: spec.BoolValue(m.block)},
		spec.Member{Name: "fenced", Value: spec.BoolValue(m.fenced)},
		spec.Member{Name: "words", Value: spec.BoolValue(m.text)},
		spec.Member{Name: "line", Value: spec.IntsValue([]int{m.ticks, int(m.lead), m.signs, m.length})},
	)
}

func (k *chunk) read(state spec.Value) {
	for _, r := range fast.Text(state.Get("text")) {
		k.record(r)
	}
	m := &k.markdown
	m.block, m.fenced = state.Get("block").IsTrue(), state.Get("fenced").IsTrue()
	m.text = state.Get("words").IsTrue()
	if line := counts(state.Get("line")); len(line) == 4 {
		m.ticks, m.lead, m.signs, m.length = line[0], lead(min(line[1], int(nothing))), line[2], line[3]
	}
}

func (l *lines) snapshot() spec.Value {
	texts, lengths := make([]string, len(l.window)), make([]int, len(l.window))
	for i, line := range l.window {
		texts[i], lengths[i] = line.text, line.length
	}
	return spec.ObjectValue(
		spec.Member{Name: "texts", Value: spec.StringsValue(texts)},
		spec.Member{Name: "lengths", Value: spec.IntsValue(lengths)},
		spec.Member{Name: "text", Value: spec.StringValue(string(l.text))},
		spec.Member{Name: "length", Value: spec.IntValue(l.length)},
	)
}

func (l *lines) read(state spec.Value) {
	lengths := counts(state.Get("lengths"))
	for i, item := range state.Get("texts").Items() {
		if i < len(lengths) {
			l.push(line{rules.Trimmed(fast.Text(item)), lengths[i]})
		}
	}
	l.text, l.length = []byte(fast.Text(state.Get("text"))), fast.Count(state.Get("length"))
}

// counts reads an array of counts.
func counts(v spec.Value) (list []int) {
	for _, item := range v.Items() {
		list = append(list, fast.Count(item))
	}
	return list
}
