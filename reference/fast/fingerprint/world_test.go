package fingerprint_test

import (
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

// setting is a configuration: its six members in the order of the names below.
type setting [6]int

const (
	threshold = iota
	fuzzyThreshold
	window
	testFailures
	bashFailures
	textTurns
)

var memberNames = []string{"threshold", "fuzzy_threshold", "window", "test_failures", "bash_failures", "text_turns"}

func (s setting) value() spec.Value {
	v := spec.ObjectValue()
	for i, name := range memberNames {
		v = v.With(name, spec.IntValue(s[i]))
	}
	return v
}

func configs() *rapid.Generator[setting] {
	return rapid.Custom(func(t *rapid.T) setting {
		var s setting
		for i := range s {
			s[i] = rapid.IntRange(1, 5).Draw(t, memberNames[i])
		}
		s[window] = rapid.IntRange(1, 8).Draw(t, "window")
		return s
	})
}

// traces yields up to 40 events in runs of one sort; their indices are their places.
func traces() *rapid.Generator[[]spec.Event] {
	return rapid.Custom(func(t *rapid.T) []spec.Event {
		n := rapid.IntRange(0, 40).Draw(t, "events")
		var trace []spec.Event
		for len(trace) < n {
			e := event(t, len(trace))
			for range rapid.SampledFrom([]int{1, 1, 1, 2, 3, 5}).Draw(t, "times") {
				e.Index = len(trace)
				trace = append(trace, e)
			}
		}
		return trace
	})
}

func event(t *rapid.T, index int) spec.Event {
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
		return call(t, index)
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

func call(t *rapid.T, index int) spec.Event {
	e := spec.Event{
		Type: spec.ToolCall, Index: index,
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

// names are those of members, some of which sort otherwise in UTF-16 than in UTF-8.
var names = rapid.SampledFrom([]string{"path", "limit", "a", "ä", "\U0001F600", "\uFF5E", ""})

// subject is the detector in this world.
func subject() detectortest.Subject {
	return detectortest.Subject{
		Implementation: byTwin, Reading: spec.Text,
		Configs: rapid.Map(configs(), setting.value), Traces: traces(),
	}
}
