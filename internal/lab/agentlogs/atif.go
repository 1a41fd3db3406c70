package agentlogs

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

var atifNesting = nesting{
	keys: []string{"steps"},
	also: map[string]func(*Run, spec.Value){"agent": func(run *Run, v spec.Value) { run.Agent = text(v, "name") }},
}

func isATIF(h head) bool {
	records := h.records()
	return len(records) > 0 && strings.HasPrefix(text(records[0], "schema_version"), "ATIF-v1.")
}

// readATIF reads trajectories of the Agent Trajectory Interchange Format 1: a step of the agent is one reply of its
// model, with the results of its calls.
func readATIF(s *source) error { return s.eachRun(atifNesting, atifStep) }

func atifStep(t *transcript, v spec.Value) error {
	t.at.when = timed(v.Get("timestamp"))
	switch source := text(v, "source"); source {
	case "agent":
		return atifReply(t, v)
	case "user", "system":
		t.say(spec.Role(source), t.plainText(v.Get("message")))
		if !v.Get("observation").IsAbsent() {
			t.note("an observation of the system was left out")
		}
		return nil
	default:
		return t.source.failf("a step's source is none of system, user, agent")
	}
}

func atifReply(t *transcript, v spec.Value) error {
	calls := v.Get("tool_calls").Items()
	if lacks(calls, func(c spec.Value) string { return text(c, "function_name") }) {
		return t.source.failf("a call has no function_name")
	}
	t.newReply()
	metrics := v.Get("metrics")
	t.pending.usage = usage(metrics.Get("cost_usd"), metrics.Get("prompt_tokens"), metrics.Get("completion_tokens"))
	t.think(text(v, "reasoning_content"))
	t.speak(t.plainText(v.Get("message")))
	for _, c := range calls {
		t.call(text(c, "tool_call_id"), text(c, "function_name"), c.Get("arguments"))
	}
	for _, result := range v.Get("observation").Get("results").Items() {
		if !result.Get("subagent_trajectory_ref").IsAbsent() {
			t.note("the run of a subagent is in another file")
		}
		id := text(result, "source_call_id")
		if id == "" && len(calls) == 1 {
			id = text(calls[0], "tool_call_id") // it can be of no other
		}
		t.result(id, t.plainText(result.Get("content")), unknown)
	}
	return nil
}
