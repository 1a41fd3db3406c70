package agentlogs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

var openHandsNesting = nesting{keys: []string{"history", "events"}}

func isOpenHands(h head) bool {
	return slices.ContainsFunc(openHandsNesting.recordsOf(h), func(v spec.Value) bool {
		first := (text(v, "action") != "" || text(v, "observation") != "") && text(v, "source") != "" &&
			(v.Get("args").Kind() == spec.Object || !v.Get("content").IsAbsent())
		second := strings.HasSuffix(text(v, "kind"), "Event") && text(v, "source") != ""
		return first || second
	})
}

// readOpenHands reads events of OpenHands: of its first generation, actions and the observations that they cause, or of
// its SDK, whose events say of which kind they are. A run is of one generation.
func readOpenHands(s *source) error {
	begun := map[*transcript]string{} // the generation of each run
	return s.eachRun(openHandsNesting, func(t *transcript, v spec.Value) error {
		now, before := generationOf(v), begun[t]
		if now != "" && before != "" && now != before {
			return s.failf("it is of the %s of OpenHands in a log of the %s: keep the two logs in files of their own", now,
				before)
		}
		begun[t] = cmp.Or(before, now)
		t.at.when = timed(v.Get("timestamp"))
		switch {
		case text(v, "kind") != "":
			return t.sdkEvent(v)
		case text(v, "action") != "":
			t.action(v)
		case text(v, "observation") != "":
			t.observation(v)
		default:
			return t.leaveOut(v, "an event that is neither action nor observation was left out")
		}
		return nil
	})
}

// generationOf returns which generation of OpenHands an event is of; the empty text where it does not say.
func generationOf(v spec.Value) string {
	switch {
	case text(v, "kind") != "":
		return "SDK"
	case text(v, "action") != "" || text(v, "observation") != "":
		return "first generation"
	default:
		return ""
	}
}

// sdkEvent takes an event of the SDK.
func (t *transcript) sdkEvent(v spec.Value) error {
	switch kind := text(v, "kind"); kind {
	case "ActionEvent":
		if text(v, "tool_name") == "" {
			return t.source.failf("an action has no tool_name")
		}
		t.beginReply(text(v, "llm_response_id"))
		for _, thought := range []spec.Value{v.Get("reasoning_content"), v.Get("thought")} {
			t.think(t.plainText(thought))
		}
		args := v.Get("tool_call").Get("arguments")
		if args.IsAbsent() {
			args = v.Get("tool_call").Get("function").Get("arguments")
		}
		if args.IsAbsent() {
			args = v.Get("action").Without("kind")
		}
		t.call(text(v, "tool_call_id"), text(v, "tool_name"), args)
	case "ObservationEvent":
		content, how := t.sdkObservation(v.Get("observation"))
		t.result(text(v, "tool_call_id"), content, how)
	case "AgentErrorEvent", "UserRejectObservation":
		t.result(text(v, "tool_call_id"), text(v, "error")+text(v, "rejection_reason"), failed)
	case "MessageEvent":
		t.sdkMessage(v.Get("llm_message"))
	case "ConversationErrorEvent":
		t.fail(text(v, "detail"))
	default:
		return t.leaveOut(v, "an event of kind %s was left out", nameForNote(kind))
	}
	return nil
}

func (t *transcript) sdkMessage(message spec.Value) {
	content := t.plainText(message.Get("content"))
	if role := text(message, "role"); role != "assistant" {
		t.say(itemRole(role), content)
		return
	}
	t.newReply()
	t.think(text(message, "reasoning_content"))
	t.speak(content)
	t.endReply()
}

// sdkObservation returns what an observation says, and whether it is of a failure. Without text of its own it is kept
// as the JSON that it is.
func (t *transcript) sdkObservation(v spec.Value) (string, outcome) {
	how := cmp.Or(failedIf(v.Get("is_error")), failedIf(v.Get("error")))
	for _, code := range []spec.Value{v.Get("exit_code"), v.Get("metadata").Get("exit_code")} {
		if how != failed && byStatus(code) != unknown {
			how = byStatus(code)
		}
	}
	for _, name := range []string{"content", "output", "error", "message"} {
		if content := v.Get(name); content.Kind() == spec.Array || content.Kind() == spec.String {
			return t.plainText(content), how
		}
	}
	return v.Without("kind").Without("metadata").String(), how
}

// addedArgs are those that OpenHands adds to the model's.
var addedArgs = []string{"hidden", "blocking", "is_static", "is_input", "confirmation_state", "security_risk", "cwd"}

// action takes an action of the first generation. The tool is the one that the model called, where that is told.
func (t *transcript) action(v spec.Value) {
	action, args, meta := text(v, "action"), v.Get("args"), v.Get("tool_call_metadata")
	switch {
	case action == "message" || action == "system":
		t.actionMessage(v)
		return
	case text(v, "source") != "agent" || slices.Contains([]string{"change_agent_state", "recall", "null"}, action):
		t.note("an action that is not the agent's was left out")
		return
	}
	t.beginReply(text(meta.Get("model_response"), "id"))
	t.think(text(args, "thought"))
	args = args.Without("thought")
	for _, name := range addedArgs {
		args = args.Without(name)
	}
	t.call(eventID(v.Get("id")), cmp.Or(text(meta, "function_name"), action), args)
}

func (t *transcript) actionMessage(v spec.Value) {
	content := text(v.Get("args"), "content")
	switch {
	case text(v, "action") == "system":
		t.say(spec.System, content)
	case text(v, "source") == "user":
		t.say(spec.User, content)
	default:
		t.newReply()
		t.speak(content)
		t.endReply()
	}
}

// observation takes an observation of the first generation, which names the action that caused it.
func (t *transcript) observation(v spec.Value) {
	extras := v.Get("extras")
	how := cmp.Or(byStatus(extras.Get("metadata").Get("exit_code")), byStatus(extras.Get("exit_code")))
	kind := text(v, "observation")
	cause := eventID(v.Get("cause"))
	if kind == "error" {
		how = failed
	}
	t.flush()
	switch _, known := t.open[cause]; {
	case known:
		t.result(cause, text(v, "content"), how)
	case kind == "error":
		t.fail(text(v, "content"))
	default:
		t.note("an observation that answers no action of the agent was left out")
	}
}

// eventID returns the number of an event as a text.
func eventID(v spec.Value) string {
	if v.Kind() == spec.Number || v.Kind() == spec.String {
		return "event " + v.String()
	}
	return ""
}
