package guards_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{
		Detector: spec.Guards, New: guards.New, Configs: anyConfig, Traces: anyTrace,
	}.Check(t)
}

// anyTrace draws iterations with few outputs and many failures, so that runs of both are frequent, and some events of
// other types that say the same.
func anyTrace(t *rapid.T) []spec.Event {
	types := append([]spec.EventType{spec.ToolCall, spec.Output, spec.TestRun},
		spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Event {
		return spec.Event{
			Type:     rapid.SampledFrom(types).Draw(t, "type"),
			ElapsedS: rapid.SampledFrom([]float64{0, 1, 4.5, 4.999, 5, 5.001, 9}).Draw(t, "elapsed_s"),
			Text:     rapid.SampledFrom([]string{"a", "a", "a", "b", ""}).Draw(t, "output"),
			Failed:   rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, "failed"),
		}
	}), 0, 25).Draw(t, "trace")
}

// anyConfig draws low limits; 0 is no limit.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	number := func(name string, of ...int) int { return rapid.SampledFrom(of).Draw(t, name) }
	config := spec.ObjectValue(
		spec.Member{Name: "max_consecutive_errors", Value: spec.IntValue(number("max_consecutive_errors", 1, 2, 3, 5, 9))},
		spec.Member{Name: "signature", Value: spec.ObjectValue(
			spec.Member{Name: "window", Value: spec.IntValue(number("window", 1, 2, 3, 4, 6))},
			spec.Member{Name: "reading", Value: spec.MustParse(rapid.SampledFrom([]string{`"text"`, `"code"`}).Draw(t, "reading"))},
			spec.Member{Name: "threshold", Value: spec.IntValue(number("threshold", 1, 2, 3, 4, 6))},
		)},
	)
	if n := number("max_iterations", 0, 0, 1, 7, 20); n > 0 {
		config = config.With("max_iterations", spec.IntValue(n))
	}
	if n := number("max_runtime_s", 0, 0, 0, 5, 9, 10); n > 0 {
		config = config.With("max_runtime_s", spec.IntValue(n))
	}
	return config
}

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	detectortest.CheckRefuses(t, func() detectortest.Session {
		config := spec.MustParse(`{"signature":{"threshold":9}}`)
		d := detectortest.Open(t, spec.Guards, guards.New, spec.Text, config).(detectortest.Session)
		detectortest.Observe(d, slices.Repeat([]spec.Event{{Type: spec.Iteration, Failed: true}}, 2))
		return d
	}, map[string]string{
		"a state of nothing":               `{}`,
		"no signature":                     `{"iterations":2,"consecutive_errors":2}`,
		"a signature that no detector had": `{"iterations":2,"consecutive_errors":2,"signature":1}`,
		"too many iterations":              `{"iterations":9007199254740992,"consecutive_errors":2,"signature":{"signatures":[]}}`,
		"fewer failures than none":         `{"iterations":2,"consecutive_errors":-1,"signature":{"signatures":[]}}`,
		"a part of an iteration":           `{"iterations":1.5,"consecutive_errors":0,"signature":{"signatures":[]}}`,
	})
}
