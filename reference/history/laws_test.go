package history_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{
		Detector: spec.History, New: history.New, Configs: anyConfig, Traces: anyTrace,
	}.Check(t)
}

// anyConfig draws low thresholds and short windows; a mitigation is often off.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	number := func(name string, most int) spec.Value { return spec.IntValue(rapid.IntRange(1, most).Draw(t, name)) }
	v := spec.ObjectValue(
		spec.Member{Name: "repeat_threshold", Value: number("repeat_threshold", 5)},
		spec.Member{Name: "history_size", Value: number("history_size", 8)},
	)
	if rapid.Bool().Draw(t, "normalizes") {
		v = v.With("normalize", spec.StringsValue([]string{"sh"}))
	}
	if rapid.Bool().Draw(t, "limits") {
		limit := rapid.SampledFrom([]int{1, 2, 3, 4, 5, math.MaxInt})
		v = v.With("tool_limits", spec.ObjectValue(
			spec.Member{Name: "sh", Value: spec.IntValue(limit.Draw(t, "limit of sh"))},
			spec.Member{Name: "t", Value: spec.IntValue(limit.Draw(t, "limit of t"))},
		))
	}
	if rapid.Bool().Draw(t, "looks at words") {
		v = v.With("first_word_threshold", number("first_word_threshold", 5))
	}
	return v
}

// anyTrace draws up to 40 events, mostly calls.
func anyTrace(t *rapid.T) []spec.Event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Event {
		if rapid.IntRange(0, 5).Draw(t, "sort") == 0 {
			return spec.Event{Type: spec.ToolResult, Content: "x", OK: true}
		}
		return spec.Event{
			Type: spec.ToolCall,
			Tool: rapid.SampledFrom([]string{"sh", "t", "ls"}).Draw(t, "tool"),
			Args: spec.MustParse(rapid.SampledFrom(arguments).Draw(t, "args")),
		}
	}), 0, 40).Draw(t, "trace")
}

// arguments are few enough to be drawn again soon, and near each other.
var arguments = []string{
	`{}`, `{"command":"ls a"}`, `{"command":"ls b"}`, `{"command":" ls\ta"}`, `{"command":"cat a"}`, `{"command":" "}`,
	`{"command":["ls"]}`, `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, `{"a":1.0}`, `{"a":1}`,
}
