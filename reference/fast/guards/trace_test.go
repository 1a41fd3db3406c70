package guards_test

import (
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// events draws a trace of iterations with few outputs and many failures, so that runs of both are frequent, and some
// events of other types that say the same. The index of the first event is given.
func events(t *rapid.T, first int) []spec.Event {
	types := append([]spec.EventType{spec.ToolCall, spec.Output, spec.TestRun},
		spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration, spec.Iteration)
	one := rapid.Custom(func(t *rapid.T) spec.Event {
		return spec.Event{
			Type:     rapid.SampledFrom(types).Draw(t, "type"),
			ElapsedS: rapid.SampledFrom([]float64{0, 1, 4.5, 4.999, 5, 5.001, 9}).Draw(t, "elapsed_s"),
			Text:     rapid.SampledFrom([]string{"a", "a", "a", "b", ""}).Draw(t, "output"),
			Failed:   rapid.SampledFrom([]bool{true, true, true, false}).Draw(t, "failed"),
		}
	})
	n := rapid.IntRange(0, 25).Draw(t, "events")
	trace := rapid.SliceOfN(one, n, n).Draw(t, "trace")
	for i := range trace {
		trace[i].Index = first + i
	}
	return trace
}

// settings is a configuration as the laws see it; 0 where a guard is off.
type settings struct {
	maxIterations, maxRuntimeS, maxErrors int
	reading                               string
	threshold, window                     int
}

func anySettings(t *rapid.T) settings {
	return settings{
		maxIterations: rapid.SampledFrom([]int{0, 0, 1, 7, 20}).Draw(t, "max_iterations"),
		maxRuntimeS:   rapid.SampledFrom([]int{0, 0, 0, 5, 9, 10}).Draw(t, "max_runtime_s"),
		maxErrors:     rapid.IntRange(1, 9).Draw(t, "max_consecutive_errors"),
		reading:       rapid.SampledFrom([]string{"text", "code"}).Draw(t, "reading"),
		threshold:     rapid.IntRange(1, 6).Draw(t, "threshold"),
		window:        rapid.IntRange(1, 6).Draw(t, "window"),
	}
}

func (s settings) config() spec.Value {
	config := spec.ObjectValue(
		spec.Member{Name: "max_consecutive_errors", Value: spec.IntValue(s.maxErrors)},
		spec.Member{Name: "signature", Value: spec.ObjectValue(
			spec.Member{Name: "window", Value: spec.IntValue(s.window)},
			spec.Member{Name: "reading", Value: spec.StringValue(s.reading)},
			spec.Member{Name: "threshold", Value: spec.IntValue(s.threshold)},
		)},
	)
	if s.maxIterations > 0 {
		config = config.With("max_iterations", spec.IntValue(s.maxIterations))
	}
	if s.maxRuntimeS > 0 {
		config = config.With("max_runtime_s", spec.IntValue(s.maxRuntimeS))
	}
	return config
}

// open returns a detector with these settings and an empty trace.
func (s settings) open(t *rapid.T, impl spec.Implementation) spec.Detector {
	d, err := impl.New(spec.Text, s.config())
	if err != nil {
		t.Fatalf("%s: %v", s.config(), err)
	}
	return d
}

// snapshotter is a detector with snapshots.
type snapshotter interface {
	spec.Detector
	spec.Snapshotter
}

func (s settings) snapshotter(t *rapid.T) snapshotter {
	return s.open(t, byTwin).(snapshotter)
}
