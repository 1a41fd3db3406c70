package fingerprint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{
		Detector: spec.Fingerprint, New: fingerprint.New, Configs: anyConfig, Traces: anyTrace,
	}.Check(t)
}

// anyConfig draws low thresholds and a short window.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	v := spec.ObjectValue()
	for _, name := range []string{"threshold", "fuzzy_threshold", "test_failures", "bash_failures", "text_turns"} {
		v = v.With(name, spec.IntValue(rapid.IntRange(1, 5).Draw(t, name)))
	}
	return v.With("window", spec.IntValue(rapid.IntRange(1, 8).Draw(t, "window")))
}

// anyTrace draws events in runs of one sort.
func anyTrace(t *rapid.T) []spec.Event {
	var trace []spec.Event
	for range rapid.IntRange(0, 20).Draw(t, "runs") {
		times := rapid.SampledFrom([]int{1, 1, 1, 2, 3, 5}).Draw(t, "times")
		trace = append(trace, slices.Repeat([]spec.Event{event(t)}, times)...)
	}
	return trace
}

func event(t *rapid.T) spec.Event {
	switch rapid.IntRange(0, 7).Draw(t, "sort") {
	case 0:
		return spec.Event{Type: spec.TestRun, Passed: rapid.IntRange(0, 3).Draw(t, "passed") == 0}
	case 1, 2:
		return result(t)
	case 3:
		return message(t)
	case 4:
		return spec.Event{Type: spec.ErrorEvent, Message: "x", Tool: "bash", HasTool: true}
	default:
		return call(t)
	}
}

// arguments are near each other: they differ in a primary member, in another one, in order, or in spelling.
var arguments = []string{
	`{}`, `{"a":1}`, `{"a":1.0}`, `{"a":2}`, `{"path":"f","a":1}`, `{"a":1,"path":"f"}`, `{"path":"f","a":2}`,
	`{"path":"f","limit":null}`, `{"path":{"x":1,"y":2}}`, `{"path":{"y":2,"x":1}}`,
	`{"command":"cat f"}`, `{"command":"tail -5 f","path":"g"}`, `{"command":"head  f -q"}`, `{"command":"cat f g"}`,
	`{"command":"cat f;"}`, `{"command":"cat f;","a":1}`, `{"command":"cat"}`, `{"command":["cat","f"]}`,
	`{"command":"make","a":1}`, `{"command":"make","a":2}`,
}

func call(t *rapid.T) spec.Event {
	e := spec.Event{
		Type: spec.ToolCall,
		Tool: rapid.SampledFrom([]string{"bash", "bash", "bash:file_read", "t"}).Draw(t, "tool"),
		Args: spec.MustParse(rapid.SampledFrom(arguments).Draw(t, "args")),
	}
	e.ID, e.HasID = id(t)
	return e
}

func result(t *rapid.T) spec.Event {
	e := spec.Event{Type: spec.ToolResult, Content: "x", OK: rapid.IntRange(0, 3).Draw(t, "ok") == 0}
	e.Call, e.HasCall = id(t)
	if rapid.Bool().Draw(t, "tells its tool") {
		e.Tool, e.HasTool = rapid.SampledFrom([]string{"bash", "t"}).Draw(t, "tool"), true
	}
	return e
}

func message(t *rapid.T) spec.Event {
	e := spec.Event{Type: spec.Message, Content: "x"}
	e.Role = rapid.SampledFrom([]spec.Role{spec.Assistant, spec.Assistant, spec.User, spec.System}).Draw(t, "role")
	e.ToolCalls = rapid.SampledFrom([]spec.Value{
		{}, {}, spec.ArrayValue(), spec.ArrayValue(spec.NullValue()),
	}).Draw(t, "tool calls")
	return e
}

// id is the id of a call, and whether it has one.
func id(t *rapid.T) (string, bool) {
	name := rapid.SampledFrom([]string{"", "c1", "c2", "none"}).Draw(t, "id")
	if name == "none" {
		return "", false
	}
	return name, true
}
