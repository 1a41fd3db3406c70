package agentlogs

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// sweNesting: history, the conversation, is read where there is no trajectory.
var sweNesting = nesting{keys: []string{"trajectory", "history"}}

func isSWEAgent(h head) bool {
	key, nested := sweNesting.keyOf(h)
	if !nested {
		return false
	}
	records := sweNesting.recordsOf(h)
	if key == "trajectory" {
		return len(records) > 0 && !records[0].Get("action").IsAbsent()
	}
	return slices.ContainsFunc(records, func(v spec.Value) bool {
		return isChatMessage(v) && (!v.Get("agent").IsAbsent() || !v.Get("message_type").IsAbsent())
	})
}

// readSWEAgent reads trajectories of SWE-agent: a step is a thought, an action, which is a command line, and what it
// printed.
func readSWEAgent(s *source) error {
	if key, _ := sweNesting.keyOf(s.head); key == "history" {
		return s.eachRun(sweNesting, sweMessage)
	}
	return s.eachRun(sweNesting, sweStep)
}

// sweMessage takes a message of the history. A tool's result names its call in a list.
func sweMessage(t *transcript, v spec.Value) error {
	if v.Get("is_demo").IsTrue() {
		t.note("a message of a demonstration was left out")
		return nil
	}
	if ids := v.Get("tool_call_ids").Items(); len(ids) == 1 {
		v = v.With("tool_call_id", ids[0])
	}
	if err := chatMessage(t, v); err != nil {
		return err
	}
	calls := text(v, "role") == "assistant" && len(t.pending.calls) > 0
	if thought := text(v, "thought"); calls && thought != text(v, "content") {
		t.think(thought)
	}
	return nil
}

func sweStep(t *transcript, v spec.Value) error {
	action, isText := v.Get("action").Str()
	if !isText {
		return t.source.failf("a step has no action that is a text")
	}
	t.newReply()
	t.think(text(v, "thought"))
	t.call("step", "bash", spec.ObjectValue(textMember("command", action)))
	if v.Get("observation").Kind() == spec.String {
		t.result("step", text(v, "observation"), unknown)
	}
	return nil
}
