package ralph_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{Detector: spec.Ralph, New: ralph.New, Configs: anyConfig, Traces: anyTrace}.Check(t)
}

// anyTrace draws events around the threshold: outputs of one base text with a few characters changed, empty ones, and
// events of a type that does not count.
func anyTrace(t *rapid.T) []spec.Event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Event {
		text := []rune(rapid.SampledFrom([]string{"0123456789", "abcdefghij0123456789", "éa中b😀c"}).Draw(t, "base"))
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]rune("xy")).Draw(t, "to")
		}
		e := spec.Event{Type: spec.Output, Text: string(text)}
		switch rapid.IntRange(0, 11).Draw(t, "sort") {
		case 0:
			e.Type = spec.Iteration
		case 1:
			e.Text = ""
		}
		return e
	}), 0, 24).Draw(t, "trace")
}

func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "window", Value: spec.IntValue(rapid.IntRange(1, 6).Draw(t, "window"))},
		spec.Member{Name: "similarity", Value: spec.IntValue(
			rapid.SampledFrom([]int{1, 50, 80, 90, 95, 100, 101}).Draw(t, "similarity"))},
	)
}

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	detectortest.CheckRefuses(t, func() detectortest.Session {
		return detectortest.Open(t, spec.Ralph, ralph.New, spec.Text, spec.MustParse(`{"window":2}`)).(detectortest.Session)
	}, map[string]string{
		"an output is a text":  `{"outputs":["a"]}`,
		"no outputs":           `{"texts":[]}`,
		"more than the window": `{"outputs":[{"text":"a"},{"text":"b"},{"text":"c"}]}`,
	})
}
