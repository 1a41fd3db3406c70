package ralph

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/spec"
)

var byRules, byTwin = detectortest.Twins(spec.Ralph, rules.New, New)

func TestVerdictsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs(t)
		plain, d := open(t, byRules, config), open(t, byTwin, config)
		first := 0
		for range rapid.IntRange(1, 3).Draw(t, "resets") {
			trace := outputs(t, first)
			if diff := cmp.Diff(detectortest.Observe(plain, trace), detectortest.Observe(d, trace)); diff != "" {
				t.Fatalf("%s, %v (-rules +detector):\n%s", config, trace, diff)
			}
			plain.Reset()
			d.Reset()
			first += len(trace)
		}
	})
}

// outputs draws events around the threshold: outputs of one base text with a few characters changed, empty ones, and
// events of a type that does not count. The index of the first one is given.
func outputs(t *rapid.T, first int) []spec.Event {
	one := rapid.Custom(func(t *rapid.T) spec.Event {
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
	})
	n := rapid.IntRange(0, 24).Draw(t, "events")
	trace := rapid.SliceOfN(one, n, n).Draw(t, "trace")
	for i := range trace {
		trace[i].Index = first + i
	}
	return trace
}

func configs(t *rapid.T) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "window", Value: spec.IntValue(rapid.IntRange(1, 6).Draw(t, "window"))},
		spec.Member{Name: "similarity", Value: spec.IntValue(
			rapid.SampledFrom([]int{1, 50, 80, 90, 95, 100, 101}).Draw(t, "similarity"))},
	)
}

func open(t *rapid.T, impl spec.Implementation, config spec.Value) spec.Detector {
	d, err := impl.New(spec.Text, config)
	if err != nil {
		t.Fatalf("open with %s: %v", config, err)
	}
	return d
}
