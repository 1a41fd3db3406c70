package recording

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// chatNesting: a list of messages, or an object with one; traj and reward are tau-bench's.
var chatNesting = nesting{
	keys: []string{"messages", "traj"},
	also: []string{"model", "reward"},
	member: func(t *trace, name string, v spec.Value) {
		if name == "reward" {
			t.run.reward(v)
			return
		}
		t.run.Agent, _ = v.Str()
	},
}

func isChat(h head) bool { return slices.ContainsFunc(chatNesting.recordsOf(h), isChatMessage) }

func isChatMessage(v spec.Value) bool {
	role := text(v, "role")
	known := slices.Contains([]string{"system", "developer", "user", "assistant", "tool", "function"}, role)
	return known && (!v.Get("content").IsAbsent() || !v.Get("tool_calls").IsAbsent())
}

// readChat reads messages of OpenAI's Chat Completions: a message of the assistant is one reply, with the calls that it
// makes; a message of a tool is a result.
func readChat(s *source) error { return s.eachRun(chatNesting, chatRecord) }

func chatRecord(t *trace, v spec.Value, place Place) error { return chatMessage(t, v, place, nil) }

func chatMessage(t *trace, v spec.Value, place Place, when []spec.Member) error {
	content := t.plainText(v.Get("content"), place)
	switch role := text(v, "role"); role {
	case "system", "developer":
		return t.say(spec.System, content, place, when)
	case "user":
		return t.say(spec.User, content, place, when)
	case "tool":
		return t.result(text(v, "tool_call_id"), content, unknown, place, when)
	case "function":
		return t.result("function "+text(v, "name"), content, unknown, place, when)
	case "assistant":
		return chatReply(t, v, content, place, when)
	default:
		return t.source.failf("a message's role is none of system, developer, user, assistant, tool, function")
	}
}

func chatReply(t *trace, v spec.Value, content string, place Place, when []spec.Member) error {
	calls := v.Get("tool_calls").Items()
	if lacks(calls, func(c spec.Value) string { return text(c.Get("function"), "name") }) {
		return t.source.failf("a call has no function with a name")
	}
	if err := t.endReply(); err != nil {
		return err
	}
	if err := t.beginReply("", place, when); err != nil {
		return err
	}
	t.think(text(v, "reasoning_content"))
	t.speak(content)
	t.speak(text(v, "refusal"))
	for _, c := range calls {
		f := c.Get("function")
		t.call(call{text(c, "id"), text(f, "name"), f.Get("arguments"), place, when})
	}
	if f := v.Get("function_call"); f.Kind() == spec.Object { // before there were tools
		t.call(call{"function " + text(f, "name"), text(f, "name"), f.Get("arguments"), place, when})
	}
	return nil
}
