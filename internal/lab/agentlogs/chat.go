package agentlogs

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// chatNesting: a list of messages, or an object with one; traj and reward are tau-bench's.
var chatNesting = nesting{
	keys: []string{"messages", "traj"},
	also: map[string]func(*Run, spec.Value){"model": namesAgent, "reward": (*Run).reward},
}

func isChat(h head) bool { return slices.ContainsFunc(chatNesting.recordsOf(h), isChatMessage) }

func isChatMessage(v spec.Value) bool {
	role := text(v, "role")
	known := slices.Contains([]string{"system", "developer", "user", "assistant", "tool", "function"}, role)
	return known && (!v.Get("content").IsAbsent() || !v.Get("tool_calls").IsAbsent())
}

// readChat reads messages of OpenAI's Chat Completions: a message of the assistant is one reply, with the calls that it
// makes; a message of a tool is a result.
func readChat(s *source) error { return s.eachRun(chatNesting, chatMessage) }

func chatMessage(t *transcript, v spec.Value) error {
	content := t.plainText(v.Get("content"))
	switch role := text(v, "role"); role {
	case "system", "developer":
		t.say(spec.System, content)
	case "user":
		t.say(spec.User, content)
	case "tool":
		t.result(text(v, "tool_call_id"), content, unknown)
	case "function":
		t.result("function "+text(v, "name"), content, unknown)
	case "assistant":
		return chatReply(t, v, content)
	default:
		return t.source.failf("a message's role is none of system, developer, user, assistant, tool, function")
	}
	return nil
}

func chatReply(t *transcript, v spec.Value, content string) error {
	calls := v.Get("tool_calls").Items()
	if lacks(calls, func(c spec.Value) string { return text(c.Get("function"), "name") }) {
		return t.source.failf("a call has no function with a name")
	}
	t.newReply()
	t.think(text(v, "reasoning_content"))
	t.speak(content)
	t.speak(text(v, "refusal"))
	for _, c := range calls {
		f := c.Get("function")
		t.call(text(c, "id"), text(f, "name"), f.Get("arguments"))
	}
	if f := v.Get("function_call"); f.Kind() == spec.Object { // before there were tools
		t.call("function "+text(f, "name"), text(f, "name"), f.Get("arguments"))
	}
	return nil
}
