package swarm_test

import (
	"fmt"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// call is one tool call of a generated trace, as the laws see it: calls of one class must count together, however
// they are dressed.
type call struct {
	class  int // 0 to classes-1
	dress  int // an argument that is no primary key, and the order of the members
	worker string
}

const classes = 4

// calls draws a trace over few classes and workers, so that thresholds are reached and exceeded.
func calls(t *rapid.T) []call {
	one := rapid.Custom(func(t *rapid.T) call {
		return call{
			class:  rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3}).Draw(t, "class"),
			dress:  rapid.IntRange(0, 3).Draw(t, "dress"),
			worker: rapid.SampledFrom([]string{"", "w1", "w1", "w2", "ｗ", "😀"}).Draw(t, "worker"),
		}
	})
	n := rapid.IntRange(0, 40).Draw(t, "calls")
	return rapid.SliceOfN(one, n, n).Draw(t, "trace")
}

// limits draws thresholds around the lengths of the traces.
func limits(t *rapid.T) swarm.Limits {
	return swarm.Limits{
		Threshold:  rapid.IntRange(1, 12).Draw(t, "threshold"),
		MinWorkers: rapid.IntRange(1, 4).Draw(t, "min_workers"),
	}
}

// tool returns the tool of the call: classes 0 and 1 differ in their arguments alone.
func (c call) tool() string { return []string{"grep", "grep", "list", "bash"}[c.class] }

func (c call) args() spec.Value {
	if c.class == 3 { // three ways to read one file
		return spec.MustParse([]string{
			`{"command":"cat a.go"}`, `{"command":"head a.go"}`, `{"command":"tail -5 a.go"}`, `{"command":"cat a.go","timeout":1}`,
		}[c.dress])
	}
	pattern := spec.Member{Name: "pattern", Value: spec.StringValue(fmt.Sprint("p", c.class))}
	path := spec.Member{Name: "path", Value: spec.MustParse(`{"in":["src",1]}`)}
	optional := spec.Member{Name: "context", Value: spec.IntValue(c.dress)}
	members := [][]spec.Member{{pattern, path}, {path, pattern}, {optional, pattern, path}, {path, optional, pattern}}[c.dress]
	return spec.ObjectValue(members...)
}

// event returns the call as a Detector sees it.
func (c call) event(index int) spec.Event {
	return spec.Event{
		Type: spec.ToolCall, Index: index, Tool: c.tool(), Args: c.args(), HasTool: true, Worker: c.worker, HasWorker: true,
	}
}

// value returns the call as the protocol writes it.
func (c call) value() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue(string(spec.ToolCall))},
		spec.Member{Name: "tool", Value: spec.StringValue(c.tool())},
		spec.Member{Name: "args", Value: c.args()},
		spec.Member{Name: "worker", Value: spec.StringValue(c.worker)},
	)
}

// open returns a detector with these limits and an empty trace.
func open(l swarm.Limits) spec.Detector {
	d, err := spec.Define(spec.Swarm, swarm.New, nil).New(spec.Text, configOf(l))
	if err != nil {
		panic(err) // a fault of the test
	}
	return d
}

func configOf(l swarm.Limits) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "threshold", Value: spec.IntValue(l.Threshold)},
		spec.Member{Name: "min_workers", Value: spec.IntValue(l.MinWorkers)},
	)
}

// verdicts lets the detector observe the trace, whose first event has the given index.
func verdicts(d spec.Detector, trace []call, first int) []spec.Verdict {
	list := make([]spec.Verdict, len(trace))
	for i, c := range trace {
		list[i] = d.Observe(c.event(first + i))
	}
	return list
}

// after returns a detector that has observed the trace.
func after(l swarm.Limits, trace []call) detectortest.Session {
	d := open(l)
	verdicts(d, trace, 0)
	return d.(detectortest.Session)
}

// merge calls the function swarm.merge.
func merge(states ...spec.Value) (spec.Value, error) {
	args := spec.ObjectValue(spec.Member{Name: "states", Value: spec.ArrayValue(states...)})
	return swarm.Functions["swarm.merge"](spec.Text, args)
}
