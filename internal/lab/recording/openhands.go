package recording

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
	begun := map[*trace]string{} // the generation of each run
	return s.eachRun(openHandsNesting, func(t *trace, v spec.Value, place Place) error {
		now, before := generationOf(v), begun[t]
		if now != "" && before != "" && now != before {
			return s.failf("it is of the %s of OpenHands in a log of the %s: keep the two logs in files of their own", now,
				before)
		}
		begun[t] = cmp.Or(before, now)
		when := timed(v.Get("timestamp"))
		switch {
		case text(v, "kind") != "":
			return t.sdkEvent(v, place, when)
		case text(v, "action") != "":
			return t.action(v, place, when)
		case text(v, "observation") != "":
			return t.observation(v, place, when)
		default:
			return t.leaveOut(v, place, "an event that is neither action nor observation was left out")
		}
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
func (t *trace) sdkEvent(v spec.Value, place Place, when []spec.Member) error {
	switch kind := text(v, "kind"); kind {
	case "ActionEvent":
		if text(v, "tool_name") == "" {
			return t.source.failf("an action has no tool_name")
		}
		if err := t.beginReply(text(v, "llm_response_id"), place, when); err != nil {
			return err
		}
		for _, thought := range []spec.Value{v.Get("reasoning_content"), v.Get("thought")} {
			t.think(t.plainText(thought, place))
		}
		args := v.Get("tool_call").Get("arguments")
		if args.IsAbsent() {
			args = v.Get("tool_call").Get("function").Get("arguments")
		}
		if args.IsAbsent() {
			args = v.Get("action").Without("kind")
		}
		t.call(call{text(v, "tool_call_id"), text(v, "tool_name"), args, place, when})
		return nil
	case "ObservationEvent":
		content, how := t.sdkObservation(v.Get("observation"), place)
		return t.result(text(v, "tool_call_id"), content, how, place, when)
	case "AgentErrorEvent", "UserRejectObservation":
		content := text(v, "error") + text(v, "rejection_reason")
		return t.result(text(v, "tool_call_id"), content, failed, place, when)
	case "MessageEvent":
		return t.sdkMessage(v.Get("llm_message"), place, when)
	case "ConversationErrorEvent":
		return t.fail(text(v, "detail"), place, when)
	default:
		return t.leaveOut(v, place, "an event of kind %s was left out", typeName(spec.ObjectValue(textMember("type", kind))))
	}
}

func (t *trace) sdkMessage(message spec.Value, place Place, when []spec.Member) error {
	content := t.plainText(message.Get("content"), place)
	if role := text(message, "role"); role != "assistant" {
		return t.say(itemRole(role), content, place, when)
	}
	if err := t.endReply(); err != nil {
		return err
	}
	if err := t.beginReply("", place, when); err != nil {
		return err
	}
	t.think(text(message, "reasoning_content"))
	t.speak(content)
	return t.endReply()
}

// sdkObservation returns what an observation says, and whether it is of a failure. Without text of its own it is kept
// as the JSON that it is.
func (t *trace) sdkObservation(v spec.Value, place Place) (string, outcome) {
	how := unknown
	for _, flag := range []string{"is_error", "error"} {
		if how == unknown {
			how = failedIf(v.Get(flag))
		}
	}
	for _, code := range []spec.Value{v.Get("exit_code"), v.Get("metadata").Get("exit_code")} {
		if how != failed && byStatus(code) != unknown {
			how = byStatus(code)
		}
	}
	for _, name := range []string{"content", "output", "error", "message"} {
		if content := v.Get(name); content.Kind() == spec.Array || content.Kind() == spec.String {
			return t.plainText(content, place), how
		}
	}
	return v.Without("kind").Without("metadata").String(), how
}

// addedArgs are those that OpenHands adds to the model's.
var addedArgs = []string{"hidden", "blocking", "is_static", "is_input", "confirmation_state", "security_risk", "cwd"}

// action takes an action of the first generation. The tool is the one that the model called, where that is told.
func (t *trace) action(v spec.Value, place Place, when []spec.Member) error {
	action, args, meta := text(v, "action"), v.Get("args"), v.Get("tool_call_metadata")
	switch {
	case action == "message" || action == "system":
		return t.actionMessage(v, place, when)
	case text(v, "source") != "agent" || slices.Contains([]string{"change_agent_state", "recall", "null"}, action):
		t.note(place, "an action that is not the agent's was left out")
		return nil
	}
	if err := t.beginReply(text(meta.Get("model_response"), "id"), place, when); err != nil {
		return err
	}
	t.think(text(args, "thought"))
	c := call{eventID(v.Get("id")), action, args.Without("thought"), place, when}
	if name := text(meta, "function_name"); name != "" {
		c.tool = name
	}
	for _, name := range addedArgs {
		c.args = c.args.Without(name)
	}
	t.call(c)
	return nil
}

func (t *trace) actionMessage(v spec.Value, place Place, when []spec.Member) error {
	content := text(v.Get("args"), "content")
	switch {
	case text(v, "action") == "system":
		return t.say(spec.System, content, place, when)
	case text(v, "source") == "user":
		return t.say(spec.User, content, place, when)
	}
	if err := t.endReply(); err != nil {
		return err
	}
	if err := t.beginReply("", place, when); err != nil {
		return err
	}
	t.speak(content)
	return t.endReply()
}

// observation takes an observation of the first generation, which names the action that caused it.
func (t *trace) observation(v spec.Value, place Place, when []spec.Member) error {
	extras := v.Get("extras")
	how := byStatus(extras.Get("metadata").Get("exit_code"))
	if how == unknown {
		how = byStatus(extras.Get("exit_code"))
	}
	kind := text(v, "observation")
	cause := eventID(v.Get("cause"))
	if err := t.flush(); err != nil {
		return err
	}
	if _, known := t.open[cause]; !known {
		if kind == "error" {
			return t.fail(text(v, "content"), place, when)
		}
		t.note(place, "an observation that answers no action of the agent was left out")
		return nil
	}
	if kind == "error" {
		how = failed
	}
	return t.result(cause, text(v, "content"), how, place, when)
}

// eventID returns the number of an event as a text.
func eventID(v spec.Value) string {
	if v.Kind() == spec.Number || v.Kind() == spec.String {
		return "event " + v.String()
	}
	return ""
}
