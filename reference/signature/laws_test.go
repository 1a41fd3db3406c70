package signature

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{Detector: spec.Signature, New: New, Configs: anyConfig, Traces: anyTrace}.Check(t)
}

// anyConfig draws small numbers, at and around the edges of the window.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "threshold", Value: spec.IntValue(rapid.IntRange(1, 7).Draw(t, "threshold"))},
		spec.Member{Name: "window", Value: spec.IntValue(rapid.IntRange(1, 7).Draw(t, "window"))},
	)
}

// anyTrace draws events of few different outputs, so that they repeat at all distances, with events between them that
// do not count.
func anyTrace(t *rapid.T) []spec.Event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Event {
		if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
			return spec.Event{Type: spec.ToolCall, Tool: "ls"}
		}
		texts := []string{"a", "A", "b", "", "Fixed x.go - added y", "Updated x.go, added y"}
		return spec.Event{Type: spec.Output, Text: rapid.SampledFrom(texts).Draw(t, "text")}
	}), 0, 24).Draw(t, "trace")
}

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const a = `{"signature":"a"}`
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			config := spec.MustParse(`{"threshold":2,"window":3}`)
			d := detectortest.Open(t, spec.Signature, New, reading, config).(detectortest.Session)
			d.Observe(spec.Event{Type: spec.Output, Text: "kept"})
			return d
		}, map[string]string{
			"more than the rule looks at": `{"signatures":[` + a + `,` + a + `,` + a + `]}`,
			"a signature without a name":  `{"signatures":["a"]}`,
			"an unknown member":           `{"signatures":[` + a + `],"more":1}`,
			"nothing":                     `{}`,
		})
	}
}
