package guards_test

import (
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// iteration is one iteration of a generated trace.
type iteration struct {
	elapsedS float64
	output   string
	failed   bool
}

// iterations draws a trace with few outputs and many failures, so that runs of both are frequent. The signature of each
// output is the output itself in every reading, as none has a form that a rule of D2 knows.
func iterations(t *rapid.T) []iteration {
	one := rapid.Custom(func(t *rapid.T) iteration {
		return iteration{
			elapsedS: rapid.SampledFrom([]float64{0, 1, 4.5, 4.999, 5, 5.001, 9}).Draw(t, "elapsed_s"),
			output:   rapid.SampledFrom([]string{"a", "a", "a", "b", ""}).Draw(t, "output"),
			failed:   rapid.SampledFrom([]bool{true, true, false}).Draw(t, "failed"),
		}
	})
	n := rapid.IntRange(0, 25).Draw(t, "iterations")
	return rapid.SliceOfN(one, n, n).Draw(t, "trace")
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

// detector returns a detector with these settings and an empty trace.
func (s settings) detector(t *rapid.T) *guards.Detector {
	d, err := guards.New(s.config())
	if err != nil {
		t.Fatalf("%s: %v", s.config(), err)
	}
	return d
}

// verdicts lets the detector observe the trace, whose first event has the given index.
func verdicts(d *guards.Detector, trace []iteration, first int) []spec.Verdict {
	list := make([]spec.Verdict, len(trace))
	for i, it := range trace {
		list[i] = d.Observe(spec.Event{
			Type: spec.Iteration, Index: first + i, ElapsedS: it.elapsedS, Text: it.output, Failed: it.failed,
		})
	}
	return list
}

// value returns the iteration as the protocol writes it.
func (it iteration) value() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue(string(spec.Iteration))},
		spec.Member{Name: "elapsed_s", Value: spec.FloatValue(it.elapsedS)},
		spec.Member{Name: "output", Value: spec.StringValue(it.output)},
		spec.Member{Name: "failed", Value: spec.BoolValue(it.failed)},
	)
}
