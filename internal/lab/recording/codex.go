package recording

import (
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

func codexLine(t *trace, v spec.Value, place Place) error {
	when, payload := timed(v.Get("timestamp")), v.Get("payload")
	switch typ := text(v, "type"); typ {
	case "response_item":
		return t.item(payload, place, when)
	case "turn_context":
		if t.run.Agent == "" {
			t.run.Agent = text(payload, "model")
		}
		return nil
	case "session_meta":
		return nil
	case "event_msg":
		return codexMessage(t, payload, place, when)
	case "compacted":
		t.note(place, "the conversation was compacted here; its summary was left out")
		return nil
	default:
		return t.leaveOut(v, place, "a line of type %s was left out", typeName(v))
	}
}

// codexMessage takes what Codex shows on its screen. Most of it stands in items, too.
func codexMessage(t *trace, payload spec.Value, place Place, when []spec.Member) error {
	switch typ := text(payload, "type"); typ {
	case "token_count":
		last := payload.Get("info").Get("last_token_usage")
		if last.Kind() != spec.Object {
			return nil
		}
		if !t.pending.begins {
			t.note(place, "tokens were told when the reply was over, and left out")
			return nil
		}
		t.pending.usage = usage(spec.Value{}, last.Get("input_tokens"), last.Get("output_tokens"))
		return nil
	case "error", "stream_error":
		return t.fail(text(payload, "message"), place, when)
	case "user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content":
		return nil // the item says the same
	default:
		t.note(place, "a message of type %s was left out", typeName(payload))
		return nil
	}
}
