package stream

import (
	"slices"

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
	saved := state.Get("channels")
	if len(state.Members()) != 1 || saved.Kind() != spec.Object {
		return spec.BadState("want an object whose only member is an object channels, got %s", state)
	}
	channels := map[spec.Channel]*channel{}
	for _, m := range saved.Members() {
		name := spec.Channel(m.Name)
		if !slices.Contains(d.config.Channels, m.Name) {
			return spec.BadState("channels: no channel %s is judged", m.Name)
		}
		c := newChannel(d.config)
		if len(m.Value.Members()) != len(c.kinds) {
			return spec.BadState("channels/%s: want the rules %v, got %s", m.Name, c.kinds, m.Value)
		}
		for i, kind := range c.kinds {
			if err := c.rules[i].restore(m.Value.Get(string(kind))); err != nil {
				return err
			}
		}
		channels[name] = c
	}
	d.channels = channels
	return nil
}

func (t *tail) snapshot() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "text", Value: spec.StringValue(string(t.text[max(0, len(t.text)-t.config.TailTo):]))},
		spec.Member{Name: "runs", Value: spec.IntsValue(t.runs)},
	)
}

func (t *tail) restore(state spec.Value) error {
	text, isText := state.Get("text").Str()
	runs, areInts := numbers(state.Get("runs"))
	t.text, t.runs = []rune(text), runs
	most := min(t.config.TailTo, len(t.text))
	if !isText || !areInts || len(t.text) > most || len(runs) != max(0, most-t.config.TailFrom+1) {
		return spec.BadState("tail: want the last characters, and a run for each period, got %s", state)
	}
	return nil
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

func (k *chunk) restore(state spec.Value) error {
	text, isText := state.Get("text").Str()
	line, areInts := numbers(state.Get("line"))
	block, fenced, words := state.Get("block"), state.Get("fenced"), state.Get("words")
	if !isText || !areInts || len(line) != 4 || block.Kind() != spec.Bool || fenced.Kind() != spec.Bool ||
		words.Kind() != spec.Bool || len([]rune(text)) > k.reach || line[1] > int(nothing) {
		return spec.BadState("chunk: want the last characters, and what is known of the line, got %s", state)
	}
	for _, r := range text {
		k.record(r)
	}
	k.markdown = markdown{block.IsTrue(), fenced.IsTrue(), line[0], lead(line[1]), line[2], line[3], words.IsTrue()}
	return nil
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

func (l *lines) restore(state spec.Value) error {
	text, isText := state.Get("text").Str()
	length, isInt := state.Get("length").Int()
	lengths, areInts := numbers(state.Get("lengths"))
	texts := state.Get("texts").Items()
	if !isText || !isInt || !areInts || length < 0 || len(texts) != len(lengths) {
		return spec.BadState("lines: want the lines of the window and the current line, got %s", state)
	}
	for i, item := range texts {
		text, isText := item.Str()
		if !isText || text != rules.Trimmed(text) {
			return spec.BadState("lines/texts/%d: want a line without blanks at its ends, got %s", i, item)
		}
		l.push(line{text, lengths[i]})
	}
	l.text, l.length = []byte(text), length
	return nil
}

// numbers returns the integers of an array, none of them negative; false if it is anything else.
func numbers(v spec.Value) (list []int, ok bool) {
	for _, item := range v.Items() {
		n, isInt := item.Int()
		if !isInt || n < 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, v.Kind() == spec.Array
}
