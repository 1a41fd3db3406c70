package laws

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

var forgetting = Law{
	ID:       "forgetting",
	Sentence: "After as many other events as the window holds, what was before them changes no verdict.",
	Why:      "A window that does not forget punishes an agent that has long moved on.",
	Exceptions: []Exception{
		{
			Detector: spec.Swarm, Reading: spec.Text,
			Why: "the swarm's totals have no window and do not decay",
			Counterexample: trace(spec.Swarm, spec.Text, `{"threshold":2,"min_workers":1}`,
				`{"type":"tool_call","tool":"t","worker":"a"}`, `{"type":"tool_call","tool":"t","worker":"a"}`),
		},
		{
			Detector: spec.Guards, Reading: spec.Text,
			Why: "the number of iterations is counted from the start",
			Counterexample: trace(spec.Guards, spec.Text, `{"max_iterations":7}`,
				`{"type":"iteration","elapsed_s":1,"output":"a","failed":false}`,
				`{"type":"iteration","elapsed_s":2,"output":"b","failed":false}`),
		},
	},
	Check: func(ctx context.Context, port spec.Port, t Trace) error {
		t = withoutResets(t.Single())
		half := len(t.Steps) / 2
		fill := filler(&t)
		if fill == nil {
			return nil
		}
		short := slices.Concat(fill, t.Steps[half:])
		long := slices.Concat(t.Steps[:half], short)
		want, err := Play(ctx, port, t.with(short))
		if err != nil {
			return err
		}
		got, err := Play(ctx, port, t.with(long))
		if err != nil {
			return err
		}
		return sameVerdicts("forgetting", fmt.Sprintf("with %d events before %d others", half, len(fill)),
			windowed(t, short, want[len(fill):], len(fill)), windowed(t, long, got[half+len(fill):], half+len(fill)))
	},
}

func withoutResets(t Trace) Trace {
	return t.with(slices.DeleteFunc(slices.Clone(t.Steps), Step.IsReset))
}

// windowed keeps the verdicts that the window rules: of fingerprint, whose other rules count what is consecutive,
// those of tool calls. The verdicts are those of the steps from start on.
func windowed(t Trace, steps []Step, verdicts []spec.Value, start int) []spec.Value {
	bare := withoutEvidence(verdicts)
	if t.Detector != spec.Fingerprint {
		return bare
	}
	for i := range bare {
		if typ, _ := steps[start+i].Event.Get("type").Str(); typ != string(spec.ToolCall) {
			bare[i] = spec.Value{}
		}
	}
	return bare
}

// maxFiller bounds what a window may hold for the law to be worth its time.
const maxFiller = 200

// filler returns as many different events as the detector's window holds; none where the configuration sets no bound,
// or none that is worth to be tried.
// It makes the trace's configuration one whose window alone decides: crow then checks after every event.
func filler(t *Trace) []Step {
	name, size, form := "", 0, `{"type":"tool_call","tool":"filler-%d","worker":"filler"}`
	switch t.Detector {
	case spec.Fingerprint:
		name, size = "window", 10
	case spec.History:
		name, size = "history_size", 20
	case spec.Signature:
		name, size, form = "window", 5, `{"type":"output","text":"filler number %d"}`
	case spec.Ralph:
		name, size, form = "window", 5, `{"type":"output","text":"filler number %d"}`
	case spec.Crow:
		name, size = "recent", 20
		if t.Reading == spec.Text {
			size = 50
		}
		t.Config = orEmpty(t.Config).With("check_every", spec.IntValue(1))
	default:
		name, size, form = "window", 5, `{"type":"iteration","elapsed_s":1,"output":"filler number %d","failed":false}`
		if t.Detector == spec.Swarm {
			form = `{"type":"tool_call","tool":"filler-%d","worker":"filler"}`
		}
	}
	if n, ok := t.Config.Get(name).Int(); ok {
		size = n
	}
	if size < 1 || size > maxFiller {
		return nil
	}
	steps := make([]Step, size)
	for i := range steps {
		steps[i].Event = spec.MustParse(fmt.Sprintf(form, i))
	}
	return steps
}

func orEmpty(config spec.Value) spec.Value {
	if config.IsAbsent() {
		return spec.ObjectValue()
	}
	return config
}

// trace builds a trace of JSON texts.
func trace(detector spec.DetectorID, reading spec.Reading, config string, events ...string) Trace {
	t := Trace{Detector: detector, Reading: reading, Config: spec.MustParse(config)}
	for _, e := range events {
		t.Steps = append(t.Steps, Step{Event: spec.MustParse(e)})
	}
	return t
}

var thresholdMonotonicity = Law{
	ID:       "threshold-monotonicity",
	Sentence: "A higher threshold never makes a loop of what was none.",
	Why:      "Who raises a threshold wants fewer alarms, and must not get more.",
	Check: func(ctx context.Context, port spec.Port, t Trace) error {
		low, err := Play(ctx, port, t)
		if err != nil {
			return err
		}
		for _, s := range thresholds(t) {
			value := s.value
			if n, ok := t.Config.Get(s.name).Int(); ok {
				value = n
			}
			raised := t
			raised.Config = orEmpty(t.Config).With(s.name, spec.IntValue(value+1))
			high, err := Play(ctx, port, raised)
			if err != nil {
				return err
			}
			if err := noNewLoop(fmt.Sprintf("with %s one higher", s.name), low, high); err != nil {
				return err
			}
		}
		return nil
	},
}

// setting is a threshold and its default.
type setting struct {
	name  string
	value int
}

func thresholds(t Trace) []setting {
	switch t.Detector {
	case spec.Fingerprint:
		return []setting{{"threshold", 3}, {"fuzzy_threshold", 4}, {"test_failures", 3}, {"bash_failures", 3}, {"text_turns", 2}}
	case spec.Signature:
		return []setting{{"threshold", 3}}
	case spec.History:
		return []setting{{"repeat_threshold", 3}}
	case spec.Swarm:
		return []setting{{"threshold", 10}, {"min_workers", 2}}
	case spec.Ralph:
		return []setting{{"similarity", 90}}
	case spec.Guards:
		return []setting{{"max_consecutive_errors", 3}}
	}
	if t.Reading == spec.Code {
		return []setting{{"threshold_cycles", 3}}
	}
	return nil
}

func noNewLoop(problem string, low, high []spec.Value) error {
	for i := range low {
		if high[i].Get("loop").IsTrue() && !low[i].Get("loop").IsTrue() {
			return &Breach{Law: "threshold-monotonicity", Step: i, Want: low[i], Got: high[i], Problem: problem}
		}
	}
	return nil
}
