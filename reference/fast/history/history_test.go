package history_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/history"
	"github.com/loopstone/loopstone/spec"
)

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const a, b = `{"hash":"900150983cd24fb0d6963f7d28e17f72"`, `{"hash":"d41d8cd98f00b204e9800998ecf8427e"`
	const word = `,"first_word":"900150983cd24fb0d6963f7d28e17f72"}`
	call := spec.Event{Type: spec.ToolCall, Tool: "sh", Args: spec.MustParse(`{"command":"ls"}`)}
	for config, states := range map[string]map[string]string{
		`{"history_size":3}`: {"a word, without the rule": `{"calls":[` + a + word + `]}`},
		`{"history_size":3,"tool_limits":{"sh":2},"first_word_threshold":2}`: {
			"more calls than the window holds": `{"calls":[` + a + `},` + a + `},` + b + `},` + b + `}]}`,
			"a hash in capitals":               `{"calls":[{"hash":"900150983CD24FB0D6963F7D28E17F72"}]}`,
			"a hash that is too short":         `{"calls":[{"hash":"9001"}]}`,
			"a tool without a limit":           `{"calls":[` + a + `,"limited_tool":"cat"}]}`,
			"one hash of two tools":            `{"calls":[` + a + `},` + a + `,"limited_tool":"sh"}]}`,
		},
	} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			d := open(t, config)
			d.Observe(call)
			return d
		}, states)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	d := open(t, `{"history_size":20}`)
	events := make([]spec.Event, 64)
	for i := range events {
		events[i] = spec.Event{Type: spec.ToolCall, Tool: "t", Args: spec.ObjectValue(
			spec.Member{Name: "nr", Value: spec.IntValue(i)})}
	}
	detectortest.Observe(d, events)
	next := 0
	if n := testing.AllocsPerRun(200, func() { d.Observe(events[next%len(events)]); next++ }); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
}

func open(t *testing.T, config string) detectortest.Session {
	t.Helper()
	return detectortest.Open(t, spec.History, history.New, spec.Code, spec.MustParse(config)).(detectortest.Session)
}
