package recording

import (
	"fmt"
	"strings"
)

// The functions of this file write a script down as a log of each format.

// writeLoopstone adds a time and a price to each event.
func writeLoopstone(s script, m *marks) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"run":{"name":%q}}`+"\n", m.id())
	for _, event := range s.events(true) {
		fmt.Fprintf(&b, `%s,"at":%d,"cost_usd":0.%d}`+"\n", strings.TrimSuffix(event, "}"), m.number(), m.number())
	}
	return b.String()
}

func recordsOnLines(records []any) string {
	var b strings.Builder
	for _, r := range records {
		b.WriteString(encoded(r) + "\n")
	}
	return b.String()
}

type obj = map[string]any

func anthropicBlocks(turn turn, m *marks) (blocks, results []any) {
	if turn.thought != "" {
		blocks = append(blocks, obj{"type": "thinking", "thinking": turn.thought, "signature": m.id()})
	}
	if turn.text != "" {
		blocks = append(blocks, obj{"type": "text", "text": turn.text})
	}
	for _, c := range turn.calls {
		id := m.id()
		blocks = append(blocks, obj{"type": "tool_use", "id": id, "name": c.tool, "input": c.args})
		results = append(results, obj{"type": "tool_result", "tool_use_id": id, "content": c.result, "is_error": c.failed})
	}
	return blocks, results
}

func writeClaudeCode(s script, m *marks) string {
	var all []any
	line := func(typ string, message obj) {
		all = append(all, obj{
			"type": typ, "sessionId": "s", "uuid": m.id(), "parentUuid": m.id(),
			"timestamp": m.time(), "message": message,
		})
	}
	for _, turn := range s {
		if turn.user != "" {
			line("user", obj{"role": "user", "content": turn.user})
			continue
		}
		blocks, results := anthropicBlocks(turn, m)
		id := m.id()
		for _, block := range blocks { // each in a line of its own
			line("assistant", obj{
				"id": id, "role": "assistant", "content": []any{block},
				"usage": obj{"output_tokens": m.number()},
			})
		}
		for _, result := range results {
			line("user", obj{"role": "user", "content": []any{result}})
		}
	}
	return recordsOnLines(all)
}

func writeAnthropic(s script, m *marks) string {
	var all []any
	for _, turn := range s {
		if turn.user != "" {
			all = append(all, obj{"role": "user", "content": turn.user})
			continue
		}
		blocks, results := anthropicBlocks(turn, m)
		all = append(all, obj{"role": "assistant", "content": blocks})
		if results != nil {
			all = append(all, obj{"role": "user", "content": results})
		}
	}
	return encoded(obj{"messages": all})
}

func writeChat(s script, m *marks) string {
	var all []any
	for _, turn := range s {
		if turn.user != "" {
			all = append(all, obj{"role": "user", "content": turn.user})
			continue
		}
		var calls, results []any
		for _, c := range turn.calls {
			id := m.id()
			calls = append(calls, obj{
				"id": id, "type": "function",
				"function": obj{"name": c.tool, "arguments": encoded(c.args)},
			})
			results = append(results, obj{"role": "tool", "tool_call_id": id, "content": c.result})
		}
		reply := obj{"role": "assistant", "content": turn.text, "reasoning_content": turn.thought, "tool_calls": calls}
		all = append(append(all, reply), results...)
	}
	return encoded(all)
}

// items returns the items of a script; output writes what a call returned.
func items(s script, m *marks, output func(scripted) any) []any {
	var all []any
	for _, turn := range s {
		if turn.user != "" {
			all = append(all, obj{"type": "message", "role": "user", "content": turn.user})
			continue
		}
		if turn.thought != "" {
			summary := []any{obj{"type": "summary_text", "text": turn.thought}}
			all = append(all, obj{"type": "reasoning", "id": m.id(), "summary": summary})
		}
		if turn.text != "" {
			content := []any{obj{"type": "output_text", "text": turn.text}}
			all = append(all, obj{"type": "message", "id": m.id(), "role": "assistant", "content": content})
		}
		var results []any
		for _, c := range turn.calls {
			id := m.id()
			all = append(all, obj{
				"type": "function_call", "call_id": id, "id": m.id(), "name": c.tool,
				"arguments": encoded(c.args),
			})
			results = append(results, obj{"type": "function_call_output", "call_id": id, "output": output(c)})
		}
		all = append(all, results...)
	}
	return all
}

func writeResponses(s script, m *marks) string {
	return encoded(items(s, m, func(c scripted) any { return c.result }))
}

func writeCodex(s script, m *marks) string {
	all := []any{obj{"timestamp": m.time(), "type": "session_meta", "payload": obj{"id": m.id()}}}
	for _, item := range items(s, m, func(c scripted) any { return execOutput(c, m) }) {
		all = append(all, obj{"timestamp": m.time(), "type": "response_item", "payload": item})
	}
	return recordsOnLines(all)
}

// execOutput writes an output in one of the ways of Codex.
func execOutput(c scripted, m *marks) string {
	code, seconds := 0, float64(m.number()%1000)/10
	if c.failed {
		code = 1 + m.number()%100
	}
	switch m.number() % 3 {
	case 0:
		return encoded(obj{"output": c.result, "metadata": obj{"exit_code": code, "duration_seconds": seconds}})
	case 1:
		return fmt.Sprintf("Exit code: %d\nWall time: %v seconds\nOutput:\n%s", code, seconds, c.result)
	default:
		return fmt.Sprintf("Chunk ID: %s\nWall time: %v seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s",
			m.id(), seconds, code, m.number(), c.result)
	}
}

func writeATIF(s script, m *marks) string {
	var steps []any
	for i, turn := range s {
		step := obj{"step_id": i + 1, "timestamp": m.time(), "source": "user", "message": turn.user}
		if turn.user == "" {
			var calls, results []any
			for _, c := range turn.calls {
				id := m.id()
				calls = append(calls, obj{"tool_call_id": id, "function_name": c.tool, "arguments": c.args})
				results = append(results, obj{"source_call_id": id, "content": c.result})
			}
			step["source"], step["message"], step["reasoning_content"] = "agent", turn.text, turn.thought
			step["tool_calls"], step["observation"] = calls, obj{"results": results}
			step["metrics"] = obj{"prompt_tokens": m.number(), "cost_usd": 0.5}
		}
		steps = append(steps, step)
	}
	return encoded(obj{
		"schema_version": "ATIF-v1.4", "session_id": m.id(), "agent": obj{"name": "a", "version": "1"},
		"steps": steps,
	})
}

func writeOpenHands(s script, m *marks) string {
	var all []any
	event := func(e obj) int {
		e["id"], e["timestamp"], e["message"] = len(all), m.time()[:23], "step "+m.id()
		all = append(all, e)
		return len(all) - 1
	}
	for _, turn := range s {
		if turn.user != "" {
			event(obj{"source": "user", "action": "message", "args": obj{"content": turn.user}})
			continue
		}
		c := turn.calls[0]
		args := obj{"thought": turn.thought, "hidden": false, "command": c.args["command"]}
		id := event(obj{"source": "agent", "action": "run", "args": args, "tool_call_metadata": obj{
			"function_name": c.tool, "tool_call_id": m.id(), "model_response": obj{"id": m.id()},
		}})
		code := 0
		if c.failed {
			code = 1
		}
		event(obj{"source": "agent", "observation": "run", "cause": id, "content": c.result, "extras": obj{
			"metadata": obj{"exit_code": code, "pid": m.number()},
		}})
	}
	return encoded(all)
}

func writeOpenHandsSDK(s script, m *marks) string {
	var all []any
	event := func(kind, source string, e obj) {
		e["id"], e["timestamp"], e["kind"], e["source"] = m.id(), m.time()[:23], kind, source
		all = append(all, e)
	}
	for _, turn := range s {
		if turn.user != "" {
			content := []any{obj{"type": "text", "text": turn.user}}
			event("MessageEvent", "user", obj{"llm_message": obj{"role": "user", "content": content}})
			continue
		}
		c, id := turn.calls[0], m.id()
		event("ActionEvent", "agent", obj{
			"tool_name": c.tool, "tool_call_id": id, "llm_response_id": m.id(),
			"thought": []any{obj{"type": "text", "text": turn.thought}}, "tool_call": obj{
				"id":        id,
				"arguments": encoded(c.args),
			},
		})
		event("ObservationEvent", "environment", obj{
			"tool_name": c.tool, "tool_call_id": id, "action_id": m.id(),
			"observation": obj{
				"kind": "TerminalObservation", "content": []any{obj{"type": "text", "text": c.result}}, "is_error": c.failed,
			},
		})
	}
	return recordsOnLines(all)
}

func writeSWEAgent(s script, m *marks) string {
	var steps []any
	for _, turn := range s {
		for _, c := range turn.calls {
			steps = append(steps, obj{
				"action": c.args["command"], "observation": c.result, "thought": turn.thought,
				"response": m.id(), "state": m.id(), "execution_time": m.number(),
			})
		}
	}
	return encoded(obj{"trajectory": steps, "info": obj{}})
}

func writeInterCode(s script, m *marks) string {
	var actions, seen, valid []any
	for _, turn := range s {
		for _, c := range turn.calls {
			actions, seen, valid = append(actions, c.args["command"]), append(seen, c.result), append(valid, !c.failed)
		}
	}
	turns := obj{"actions": actions, "observations": seen, "valid_action": valid}
	return encoded(obj{"7": obj{"environment": "ic_bash", "task_id": m.number(), "query": "Go.", "turn_history": turns}})
}
