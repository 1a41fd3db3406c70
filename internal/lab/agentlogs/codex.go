package agentlogs

import (
	"cmp"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

var codexTypes = []string{"session_meta", "response_item", "event_msg", "turn_context", "compacted"}

func isCodex(h head) bool {
	return slices.ContainsFunc(h.values, func(v spec.Value) bool {
		return slices.Contains(codexTypes, text(v, "type")) && v.Get("payload").Kind() == spec.Object
	})
}

// readCodex reads a session of Codex: items of the Responses API, each in a line with a time, among lines that say the
// same for a screen or how many tokens there were.
func readCodex(s *source) error { return s.eachRun(nesting{}, codexLine) }

func codexLine(t *transcript, v spec.Value) error {
	t.at.when = timed(v.Get("timestamp"))
	payload := v.Get("payload")
	switch typ := text(v, "type"); typ {
	case "response_item":
		return responsesItem(t, payload)
	case "turn_context":
		t.run.Agent = cmp.Or(t.run.Agent, text(payload, "model"))
		return nil
	case "session_meta":
		return nil
	case "event_msg":
		codexMessage(t, payload)
		return nil
	case "compacted":
		t.note("the conversation was compacted here; its summary was left out")
		return nil
	default:
		return t.leaveOut(v, "a line of type %s was left out", typeName(v))
	}
}

// codexMessage takes what Codex shows on its screen. Most of it stands in items, too.
func codexMessage(t *transcript, payload spec.Value) {
	switch typ := text(payload, "type"); typ {
	case "token_count":
		last := payload.Get("info").Get("last_token_usage")
		switch {
		case last.Kind() != spec.Object:
		case !t.pending.begins:
			t.note("tokens were reported after the reply, and skipped")
		default:
			t.pending.usage = usage(spec.Value{}, last.Get("input_tokens"), last.Get("output_tokens"))
		}
	case "error", "stream_error":
		t.fail(text(payload, "message"))
	case "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content": // the item says the same
	default:
		t.note("a message of type %s was left out", typeName(payload))
	}
}
