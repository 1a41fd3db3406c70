package history_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

// setting is a configuration as the laws need it.
type setting struct {
	threshold, size int
	normalize       map[string]bool
	limits          map[string]int
	words           int
}

// value writes the configuration as the protocol does, without the mitigations that are off.
func (s setting) value() spec.Value {
	v := spec.ObjectValue(
		spec.Member{Name: "repeat_threshold", Value: spec.IntValue(s.threshold)},
		spec.Member{Name: "history_size", Value: spec.IntValue(s.size)})
	if s.normalize != nil {
		tools := []string{}
		for tool := range s.normalize {
			tools = append(tools, tool)
		}
		v = v.With("normalize", spec.StringsValue(tools))
	}
	if s.limits != nil {
		limits := spec.ObjectValue()
		for tool, n := range s.limits {
			limits = limits.With(tool, spec.IntValue(n))
		}
		v = v.With("tool_limits", limits)
	}
	if s.words > 0 {
		v = v.With("first_word_threshold", spec.IntValue(s.words))
	}
	return v
}

var limits = rapid.SampledFrom([]int{1, 2, 3, 4, 5, math.MaxInt})

func configs() *rapid.Generator[setting] {
	return rapid.Custom(func(t *rapid.T) setting {
		s := setting{threshold: rapid.IntRange(1, 5).Draw(t, "threshold"), size: rapid.IntRange(1, 8).Draw(t, "size")}
		if rapid.Bool().Draw(t, "normalizes") {
			s.normalize = map[string]bool{"sh": true}
		}
		if rapid.Bool().Draw(t, "limits") {
			s.limits = map[string]int{
				"sh": limits.Draw(t, "limit of sh"), "t": limits.Draw(t, "limit of t"),
			}
		}
		s.words = rapid.IntRange(0, 5).Draw(t, "words")
		return s
	})
}

// traces yields up to 40 events, mostly calls; their indices are their places.
func traces() *rapid.Generator[[]spec.Event] {
	return rapid.Custom(func(t *rapid.T) []spec.Event {
		n := rapid.IntRange(0, 40).Draw(t, "events")
		trace := make([]spec.Event, n)
		for i := range trace {
			if rapid.IntRange(0, 5).Draw(t, "sort") == 0 {
				trace[i] = spec.Event{Type: spec.ToolResult, Index: i, Content: "x", OK: true}
			} else {
				trace[i] = call(t, i)
			}
		}
		return trace
	})
}

// arguments are few enough to be drawn again soon, and near each other.
var arguments = []string{
	`{}`, `{"command":"ls a"}`, `{"command":"ls b"}`, `{"command":" ls\ta"}`, `{"command":"cat a"}`, `{"command":" "}`,
	`{"command":["ls"]}`, `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, `{"a":1.0}`, `{"a":1}`,
}

func call(t *rapid.T, index int) spec.Event {
	return spec.Event{
		Type: spec.ToolCall, Index: index,
		Tool: rapid.SampledFrom([]string{"sh", "t", "ls"}).Draw(t, "tool"),
		Args: spec.MustParse(rapid.SampledFrom(arguments).Draw(t, "args")),
	}
}

// calls returns the tool calls of a trace.
func calls(trace []spec.Event) []spec.Event {
	return slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.ToolCall })
}

// names are those of members.
var names = rapid.StringN(0, 3, -1)

// subject is the detector in this world.
func subject() detectortest.Subject {
	return detectortest.Subject{
		Implementation: byTwin, Reading: spec.Code,
		Configs: rapid.Map(configs(), setting.value), Traces: traces(),
	}
}
