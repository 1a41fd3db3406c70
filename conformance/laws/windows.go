package laws

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

var forgetting = Law{
	ID: "forgetting",
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-16"}, spec.Signature: {"SG-16", "SG-30"}, spec.History: {"HI-10"},
		spec.Crow: {"CR-5"}, spec.Ralph: {"RA-6"},
	},
	Sentence: "An event that has left the window changes no verdict.",
	Why:      "A window that does not forget punishes an agent that has long moved on.",
	Exceptions: []Exception{
		exception(
			spec.Swarm, spec.Text, "the swarm's totals have no window and do not decay",
			`{"threshold":2,"min_workers":1}`,
			`{"type":"tool_call","tool":"t","worker":"a"}`,
			`{"type":"tool_call","tool":"t","worker":"a"}`,
		),
		exception(
			spec.Guards, spec.Text, "the number of iterations is counted from the start", `{"max_iterations":7}`,
			`{"type":"iteration","elapsed_s":1,"output":"a","failed":false}`,
			`{"type":"iteration","elapsed_s":2,"output":"b","failed":false}`,
		),
		exception(
			spec.Composed, spec.Code, "each rule has a window of its own, and what stays has none",
			`{"rules":[{"rungs":[{"at":2,"speaks":"stays"}]}]}`,
			`{"type":"tool_call","tool":"t"}`,
			`{"type":"tool_call","tool":"t"}`,
			`{"type":"tool_call","tool":"u"}`,
			`{"type":"tool_call","tool":"v"}`,
		),
		exception(
			spec.Stream, spec.Code, "what it remembers is measured in characters, not in events",
			`{"rules":["chunk"],"chunk_size":1,"chunk_copies":2,"chunk_distance":1000}`,
			`{"type":"delta","text":"z"}`,
			`{"type":"delta","text":"z"}`,
		),
	},
	check: func(a *asking, t Trace) {
		t = withoutResets(t.Single())
		half := len(t.Steps) / 2
		fill := filler(&t, a.offer(t))
		if fill == nil {
			return
		}
		short := slices.Concat(fill, t.Steps[half:])
		long := slices.Concat(t.Steps[:half], short)
		want, got := a.play(t.with(short)), a.play(t.with(long))
		a.same(fmt.Sprintf("with %d more before %d others", half, len(fill)),
			windowed(t, short, want[len(fill):], len(fill)), windowed(t, long, got[half+len(fill):], half+len(fill)))
	},
}

func withoutResets(t Trace) Trace {
	return t.with(slices.DeleteFunc(slices.Clone(t.Steps), Step.IsReset))
}

// windowed keeps the verdicts that the window rules: not those of events of which only rules count that it does not
// bound. The verdicts are those of the steps from start on.
func windowed(t Trace, steps []Step, verdicts []spec.Value, start int) []spec.Value {
	bare := withoutEvidence(verdicts)
	bounded := map[spec.EventType]bool{}
	for _, r := range t.definition().Rules {
		for _, typ := range r.Counts {
			bounded[typ] = bounded[typ] || !r.Unwindowed
		}
	}
	for i := range bare {
		if is, counted := bounded[spec.TypeOf(steps[start+i].Event)]; counted && !is {
			bare[i] = spec.Value{}
		}
	}
	return bare
}

// maxFiller bounds what a window may hold for the law to be worth its time.
const maxFiller = 200

// noWindow is how many events stand for a window where the detector has none.
const noWindow = 5

// fillers are different events of each type, by their numbers.
var fillers = map[spec.EventType]string{
	spec.ToolCall:   `{"type":"tool_call","tool":"filler-%d","worker":"filler"}`,
	spec.ToolResult: `{"type":"tool_result","content":"filler number %d"}`,
	spec.ErrorEvent: `{"type":"error","message":"filler number %d"}`,
	spec.Message:    `{"type":"message","role":"user","content":"filler number %d"}`,
	spec.Output:     `{"type":"output","text":"filler number %d"}`,
	spec.TestRun:    `{"type":"test_run","passed":true,"at":%d}`,
	spec.Iteration:  `{"type":"iteration","elapsed_s":1,"output":"filler number %d","failed":false}`,
	spec.Reply:      `{"type":"reply","at":%d}`,
	spec.Delta:      `{"type":"delta","text":"filler number %d"}`,
}

// filler returns as many different events as the detector's window holds; none where the configuration sets no bound,
// or none that is worth to be tried. It makes the trace's configuration one whose window alone decides: the rules are
// asked after every event.
func filler(t *Trace, offer spec.Offer) []Step {
	d, size := t.definition(), noWindow
	for _, p := range d.SettingsIn(t.Reading) {
		switch p.Use {
		case spec.Window:
			size, _ = p.Number(t.Reading, t.Config)
		case spec.Interval:
			if !offer.HasSetting(p.Name) {
				continue
			}
			t.Config = orEmpty(t.Config).With(p.Name, spec.IntValue(p.Least))
		}
	}
	if size < 1 || size > maxFiller {
		return nil
	}
	steps := make([]Step, size)
	for i := range steps {
		steps[i].Event = spec.MustParse(fmt.Sprintf(fillers[d.Observes[0]], i))
	}
	return steps
}

func orEmpty(config spec.Value) spec.Value {
	if config.IsAbsent() {
		return spec.ObjectValue()
	}
	return config
}

var thresholdMonotonicity = Law{
	ID:      "threshold-monotonicity",
	General: true,
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-18", "FP-19"}, spec.Signature: {"SG-2"}, spec.History: {"HI-13"},
		spec.Crow: {"CR-22", "CR-39"}, spec.Swarm: {"SW-6"}, spec.Ralph: {"RA-5"}, spec.Guards: {"GU-8"},
		spec.Stream: {"ST-8", "ST-16"},
	},
	Sentence: "If a lower threshold finds no loop, a higher threshold finds none either.",
	Why:      "A user who raises a threshold wants fewer alarms, and must not get more.",
	Changes:  spec.Parameter.IsMonotone,
	check: func(a *asking, t Trace) {
		offer, low := a.offer(t), a.play(t)
		for _, p := range offer.Definition().SettingsIn(t.Reading) {
			value, isSet := p.Number(t.Reading, t.Config)
			if !p.IsMonotone() || !isSet || !offer.HasSetting(p.Name) {
				continue
			}
			raised := t
			raised.Config = orEmpty(t.Config).With(p.Name, spec.IntValue(value+1))
			for i, high := range a.play(raised) {
				if high.Get("loop").IsTrue() && !low[i].Get("loop").IsTrue() {
					a.breach(i, fmt.Sprintf("with %s one higher", p.Name), low[i], high)
				}
			}
		}
	},
}
