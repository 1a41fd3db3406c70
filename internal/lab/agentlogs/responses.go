package agentlogs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

var responsesNesting = nesting{
	keys: []string{"output", "items", "input"},
	also: map[string]func(*Run, spec.Value){"model": namesAgent},
}

var responsesTypes = []string{
	"function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
	"local_shell_call_output", "reasoning",
}

func isResponses(h head) bool {
	return slices.ContainsFunc(responsesNesting.recordsOf(h), func(v spec.Value) bool {
		return slices.Contains(responsesTypes, text(v, "type"))
	})
}

// readResponses reads items of OpenAI's Responses API. They do not say which of them the model wrote at once: those
// between two that it did not write are one reply.
func readResponses(s *source) error {
	return s.eachRun(responsesNesting, responsesItem)
}

func responsesItem(t *transcript, v spec.Value) error {
	switch typ := text(v, "type"); typ {
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		content, how := t.itemOutput(v.Get("output"))
		t.result(text(v, "call_id"), content, how)
		t.reply = ""
		return nil
	case "message", "":
		role := text(v, "role")
		if role == "" {
			return t.leaveOut(v, "an item of type %s was left out", typeName(v))
		}
		content := t.plainText(v.Get("content"))
		if role != "assistant" {
			t.say(itemRole(role), content)
			return nil
		}
		t.beginReply("")
		t.speak(content)
		return nil
	default:
		return t.itemOfReply(v)
	}
}

func itemRole(role string) spec.Role {
	if role == "user" {
		return spec.User
	}
	return spec.System
}

// itemOfReply takes a call or a thought.
func (t *transcript) itemOfReply(v spec.Value) error {
	typ := text(v, "type")
	if !slices.Contains(responsesTypes, typ) {
		return t.leaveOut(v, "an item of type %s was left out", typeName(v))
	}
	if (typ == "function_call" || typ == "custom_tool_call") && text(v, "name") == "" {
		return t.source.failf("a call has no name")
	}
	t.beginReply("")
	id := text(v, "call_id")
	switch typ {
	case "reasoning":
		t.reasoning(v)
	case "custom_tool_call":
		t.call(id, text(v, "name"), named("input", v.Get("input")))
	case "local_shell_call":
		t.call(id, "local_shell", named("command", v.Get("action").Get("command")))
	default:
		t.call(id, text(v, "name"), v.Get("arguments"))
	}
	return nil
}

// named returns an object with a member, if that has a value.
func named(name string, v spec.Value) spec.Value {
	if v.IsAbsent() {
		return spec.ObjectValue()
	}
	return spec.ObjectValue(spec.Member{Name: name, Value: v})
}

func (t *transcript) reasoning(v spec.Value) {
	thought := t.plainText(v.Get("summary"))
	if whole := t.plainText(v.Get("content")); whole != "" {
		thought = whole
	}
	if thought == "" && text(v, "encrypted_content") != "" {
		t.note("a thought is encrypted, and was left out")
	}
	t.think(thought)
}

// itemOutput returns what a call printed, and whether it failed where that is said. Codex writes the output, the status
// and how long it took into one text; the time would make equal results differ.
func (t *transcript) itemOutput(output spec.Value) (string, outcome) {
	if flag := output.Get("success"); flag.Kind() == spec.Bool {
		return t.plainText(output.Get("content")), succeededIf(flag.IsTrue())
	}
	content := t.plainText(output)
	if v, err := parse([]byte(content)); err == nil && v.Get("metadata").Get("duration_seconds").Kind() == spec.Number {
		if printed, isText := v.Get("output").Str(); isText {
			return printed, byStatus(v.Get("metadata").Get("exit_code"))
		}
	}
	return cutExecHead(content)
}

// byStatus returns the outcome of a command by its exit code.
func byStatus(code spec.Value) outcome {
	n, isInt := code.Int()
	if !isInt {
		return unknown
	}
	return succeededIf(n == 0)
}

// cutExecHead takes off the lines that Codex writes above what a command printed; their order varies with its version.
func cutExecHead(content string) (string, outcome) {
	head, printed, found := strings.Cut(content, "\nOutput:\n")
	if !found || strings.Count(head, "\n") > 5 {
		return content, unknown
	}
	how, timed := unknown, false
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(line, ": ")
		code, exited := strings.CutPrefix(line, "Process exited with code ")
		switch {
		case name == "Wall time":
			timed = true
		case exited:
			how = statusOf(code)
		case name == "Exit code":
			how = statusOf(value)
		case name == "Chunk ID", name == "Original token count", name == "Total output lines",
			strings.HasPrefix(line, "Process running with session ID "):
		default:
			return content, unknown
		}
	}
	if !timed {
		return content, unknown
	}
	return printed, how
}

func statusOf(code string) outcome {
	if _, err := strconv.Atoi(code); err != nil {
		return unknown
	}
	return byStatus(spec.NumberValue(code))
}
