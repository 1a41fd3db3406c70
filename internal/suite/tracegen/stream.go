package tracegen

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// streamed are texts that streams are made of: some that repeat, and all that may be taken for Markdown.
var streamed = []string{
	"a", "b", "ab", "a ", "é", "\U0001F600", "\n", "ab\n", " ab\n", "aab", "0", "...", "```\n", "``", "`", "```go\n",
	"| a | b |\n", "|-|-|\n", "---\n", "* a\n", "- a\n", "+", "1. a\n", "# a\n", "#a\n", "> a\n", "", "\r\n", "\t",
}

// streamTemplate is of pieces of streamed text; near ones are changed at an end. Now and then something else happens
// at which a text may start afresh.
func (d *draft) streamTemplate() template {
	if d.oneIn(8) {
		return d.afreshTemplate()
	}
	text := pick(d.dice, streamed)
	for range d.below(3) {
		text += pick(d.dice, streamed)
	}
	text = strings.Repeat(text, 1+d.below(4))
	channel := spec.Value{}
	if d.oneIn(4) {
		channel = spec.StringValue(string(pick(d.dice, spec.Channels())))
	}
	return func(d *draft, near bool) {
		text := text
		switch {
		case near && d.maybe():
			text = pick(d.dice, streamed) + text
		case near:
			text += pick(d.dice, streamed)
		}
		event := spec.ObjectValue(is(spec.Delta), says("text", text))
		if !channel.IsAbsent() {
			event = event.With("channel", channel)
		}
		d.emit(event)
	}
}

// afreshTemplate is of messages, calls and replies.
func (d *draft) afreshTemplate() template {
	switch {
	case d.offer.Takes(string(spec.Reply)) && d.maybe():
		return func(d *draft, _ bool) { d.emit(spec.ObjectValue(is(spec.Reply))) }
	case d.maybe():
		return d.callTemplate()
	default:
		return d.messageTemplate()
	}
}

// streamSettings draws the settings of stream: numbers that a few pieces reach.
var streamSettings = map[string]func(*draft) spec.Value{
	"rules":    func(d *draft) spec.Value { return d.someOf("tail", "chunk", "lines") },
	"channels": func(d *draft) spec.Value { return d.someOf("answer", "thought", "arguments") },
	"fresh":    func(d *draft) spec.Value { return d.someOf("user", "call", "reply") },

	"tail_from":      func(d *draft) spec.Value { return d.upTo(4) },
	"tail_to":        func(d *draft) spec.Value { return d.upTo(12) },
	"chunk_size":     func(d *draft) spec.Value { return d.upTo(6) },
	"chunk_copies":   func(d *draft) spec.Value { return d.upTo(5) },
	"chunk_distance": func(d *draft) spec.Value { return d.upTo(12) },
	"chunk_texts":    func(d *draft) spec.Value { return d.upTo(3) },
	"lines_least":    func(d *draft) spec.Value { return d.upTo(20) },
	"lines_window":   func(d *draft) spec.Value { return d.upTo(120) },
	"lines_share":    percents, "lines_different": percents,
}

func percents(d *draft) spec.Value {
	return spec.IntValue(pick(d.dice, []int{50, 10, 33, 100, 1, 101}))
}
