package agentlogs

import (
	"cmp"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

var anthropicNesting = nesting{
	keys: []string{"messages"},
	also: map[string]func(*Run, spec.Value){"model": namesAgent},
}

// isAnthropic: a message has a block that only Anthropic's have.
func isAnthropic(h head) bool {
	return slices.ContainsFunc(anthropicNesting.recordsOf(h), func(v spec.Value) bool {
		return slices.ContainsFunc(v.Get("content").Items(), func(block spec.Value) bool {
			return slices.Contains([]string{"tool_use", "tool_result", "thinking"}, text(block, "type"))
		})
	})
}

// readAnthropic reads messages of Anthropic's API: a message of the assistant is one reply; the results of its calls
// are blocks of the user's next message.
func readAnthropic(s *source) error {
	return s.eachRun(anthropicNesting, func(t *transcript, v spec.Value) error {
		t.endReply()
		return t.anthropic(v)
	})
}

// anthropic takes a message. One of the assistant may be a part of a reply: those that have the same id.
func (t *transcript) anthropic(message spec.Value) error {
	content := message.Get("content")
	switch role := text(message, "role"); role {
	case "assistant":
		if lacks(content.Items(), func(block spec.Value) string {
			if text(block, "type") != "tool_use" {
				return "no call"
			}
			return text(block, "name")
		}) {
			return t.source.failf("a tool_use has no name")
		}
		t.beginReply(text(message, "id"))
		if t.pending.begins {
			t.pending.usage = anthropicUsage(message.Get("usage"))
		}
		t.run.Agent = cmp.Or(t.run.Agent, text(message, "model"))
		if said, isText := content.Str(); isText {
			t.speak(said)
		}
		for _, block := range content.Items() {
			t.anthropicBlock(block)
		}
		return nil
	case "user", "system":
		t.anthropicUser(spec.Role(role), content)
		return nil
	default:
		return t.source.failf("a message's role is none of user, assistant, system")
	}
}

// anthropicBlock takes a block of the assistant.
func (t *transcript) anthropicBlock(block spec.Value) {
	switch typ := text(block, "type"); typ {
	case "text":
		t.speak(text(block, "text"))
	case "thinking":
		t.think(text(block, "thinking"))
	case "tool_use":
		t.call(text(block, "id"), text(block, "name"), block.Get("input"))
	default:
		t.note("a block of type %s was left out", typeName(block))
	}
}

// anthropicUser takes what a user's message holds: results, and what was said beside them.
func (t *transcript) anthropicUser(role spec.Role, content spec.Value) {
	if said, isText := content.Str(); isText {
		t.say(role, said)
		return
	}
	if content.Kind() != spec.Array {
		t.note("a message without content was left out")
		return
	}
	var said []spec.Value
	for _, block := range content.Items() {
		if text(block, "type") != "tool_result" {
			said = append(said, block)
			continue
		}
		how := succeeded // where it failed, the flag is there
		if block.Get("is_error").IsTrue() {
			how = failed
		}
		t.result(text(block, "tool_use_id"), t.plainText(block.Get("content")), how)
	}
	if len(said) > 0 {
		t.say(role, t.plainText(spec.ArrayValue(said...)))
	}
}

// anthropicUsage adds up what was read, be it from a cache or not.
func anthropicUsage(v spec.Value) []spec.Member {
	var read spec.Value
	for _, name := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
		if n, isInt := v.Get(name).Int(); isInt && n >= 0 && n < 1<<40 {
			before, _ := read.Int()
			read = spec.IntValue(before + n)
		}
	}
	return usage(spec.Value{}, read, v.Get("output_tokens"))
}
