package agentlogs

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

func isNYUCTF(h head) bool {
	return slices.ContainsFunc(h.records(), func(v spec.Value) bool {
		return slices.ContainsFunc(v.Get("messages").Items(), func(pair spec.Value) bool {
			_, message, isPair := nyuPair(pair)
			return isPair && isChatMessage(message)
		})
	})
}

// nyuPair returns the time and the message of a pair.
func nyuPair(v spec.Value) (at, message spec.Value, isPair bool) {
	if pair := v.Items(); len(pair) == 2 && pair[0].Kind() == spec.String && pair[1].Kind() == spec.Object {
		return pair[0], pair[1], true
	}
	return spec.Value{}, spec.Value{}, false
}

var nyuNesting = nesting{
	keys: []string{"messages"},
	also: map[string]func(*Run, spec.Value){
		"args": func(run *Run, v spec.Value) { run.Agent = text(v, "model") },
		"solved": func(run *Run, v spec.Value) {
			if solved := v.IsTrue(); v.Kind() == spec.Bool {
				run.Solved = &solved
			}
		},
	},
	pairs: true,
}

// readNYUCTF reads transcripts of the baseline agent of NYU CTF: messages of Chat Completions, each in a pair behind
// its time. For a model that writes its calls as XML, the log has each message twice, as a message and as the model was
// sent it or wrote it; the second copy is left out.
func readNYUCTF(s *source) error {
	before := map[*transcript]spec.Value{}
	return s.eachRun(nyuNesting, func(t *transcript, v spec.Value) error {
		at, message, isPair := nyuPair(v)
		if !isPair {
			return s.failf("a message is no pair of a time and an object")
		}
		if isCopy(message, before[t]) {
			t.note("a second copy of a message was left out")
			return nil
		}
		before[t] = message
		t.at.when = timed(at)
		if text(message, "role") == "tool" {
			content := text(message, "content")
			t.result(text(message, "tool_call_id"), content, nyuOutcome(content))
			return nil
		}
		return chatMessage(t, message)
	})
}

// isCopy reports whether the log says once more what it said before: the message before, or its calls or results, which
// it then writes out as XML, or a reply that it has as a message, too.
func isCopy(message, before spec.Value) bool {
	role, content := text(message, "role"), text(message, "content")
	switch {
	case role == "":
		return text(message, "type") == "text"
	case !message.Get("tool_calls").IsAbsent() || role == "tool":
		return false
	default:
		isXML := strings.HasPrefix(strings.TrimSpace(content), "```xml\n<function_")
		return isXML || role == text(before, "role") && content == text(before, "content")
	}
}

// nyuOutcome returns whether a tool says of its result that it failed: the tools of NYU CTF return a JSON object.
func nyuOutcome(content string) outcome {
	v, err := parse([]byte(content))
	switch {
	case err != nil || v.Kind() != spec.Object:
		return unknown
	case !v.Get("error").IsAbsent() || v.Get("timed_out").IsTrue():
		return failed
	case v.Get("success").Kind() == spec.Bool:
		return succeededIf(v.Get("success").IsTrue())
	default:
		return byStatus(v.Get("returncode"))
	}
}
