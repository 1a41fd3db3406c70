package swarm_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// recount judges the last call of a trace by counting all of it again.
func recount(l swarm.Limits, trace []call) spec.Verdict {
	last := trace[len(trace)-1]
	workers := map[string]bool{}
	var indices []int
	for i, c := range trace {
		if c.class == last.class {
			workers[c.worker] = true
			indices = append(indices, i)
		}
	}
	if len(indices) < l.Threshold || len(workers) < l.MinWorkers {
		return spec.Verdict{}
	}
	return spec.Verdict{
		Loop: true, Kind: spec.KindGlobal, Count: len(indices), Workers: len(workers), Evidence: indices,
		Message: fmt.Sprint("[System] GLOBAL DOOM LOOP: ", len(indices), " calls to ", last.tool(), " across\n",
			len(workers), " workers. The entire swarm is stuck on this approach.\n",
			"1. Try a fundamentally different strategy\n",
			"2. Do NOT retry the same tool/parameters\n",
			"3. Consider whether the task goal itself needs re-evaluation"),
	}
}

func TestEveryVerdictIsARecountOfTheWholeTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, trace := limits(t), calls(t)
		for i, got := range verdicts(swarm.New(l), trace, 0) {
			if diff := cmp.Diff(recount(l, trace[:i+1]), got); diff != "" {
				t.Fatalf("verdict %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

func TestEvidenceNamesTheLatestCallsOnly(t *testing.T) {
	t.Parallel()
	d := swarm.New(swarm.Limits{Threshold: 1, MinWorkers: 1})
	var last spec.Verdict
	for i := range 3*spec.MaxEvidence + 1 {
		last = d.Observe(call{worker: "w"}.event(i))
	}
	evidence := last.Evidence
	if n := len(evidence); n != spec.MaxEvidence || evidence[0] != 2*spec.MaxEvidence+1 || evidence[n-1] != 3*spec.MaxEvidence {
		t.Errorf("evidence of %d calls: %v", last.Count, evidence)
	}
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, before, trace := limits(t), calls(t), calls(t)
		d := after(l, before)
		d.Reset()
		first := len(before)
		if diff := cmp.Diff(verdicts(swarm.New(l), trace, first), verdicts(d, trace, first)); diff != "" {
			t.Fatalf("after a reset (-fresh +reset):\n%s", diff)
		}
	})
}

func TestEventsOfOtherTypesChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := after(limits(t), calls(t))
		before := d.Snapshot().String()
		typ := rapid.SampledFrom(spec.EventTypes()[1:]).Draw(t, "type")
		got := d.Observe(spec.Event{Type: typ, Tool: "grep", Worker: "w9", HasWorker: true})
		if diff := cmp.Diff(spec.Verdict{}, got); diff != "" || d.Snapshot().String() != before {
			t.Fatalf("%s: %s\nstate before %s\nstate after  %s", typ, diff, before, d.Snapshot())
		}
	})
}

func host() *spec.Host {
	return spec.NewHost(spec.Description{Name: "swarm"}, swarm.Implementation())
}

// open opens a session under the limits.
func open(t *rapid.T, port spec.Port, l swarm.Limits) spec.Session {
	config := spec.ObjectValue(
		spec.Member{Name: "threshold", Value: spec.IntValue(l.Threshold)},
		spec.Member{Name: "min_workers", Value: spec.IntValue(l.MinWorkers)},
	)
	session, err := port.Open(t.Context(), spec.Swarm, spec.Text, config)
	if err != nil {
		t.Fatalf("open under %s: %v", config, err)
	}
	return session
}

// observe sends the trace in one batch.
func observe(t *rapid.T, session spec.Session, trace []call) []spec.Value {
	events := make([]spec.Value, len(trace))
	for i, c := range trace {
		events[i] = c.value()
	}
	list, err := session.Observe(t.Context(), events)
	if err != nil {
		t.Fatalf("observe %v: %v", events, err)
	}
	return list
}

func TestBatchesMayBeCutAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		port, l, trace := host(), limits(t), calls(t)
		cut := rapid.IntRange(0, len(trace)).Draw(t, "cut")
		whole := observe(t, open(t, port, l), trace)
		inTwo := open(t, port, l)
		parts := append(observe(t, inTwo, trace[:cut]), observe(t, inTwo, trace[cut:])...)
		if diff := cmp.Diff(whole, parts, cmp.Comparer(spec.Value.Equal)); diff != "" {
			t.Fatalf("(-whole +parts):\n%s", diff)
		}
	})
}

func TestSessionsDoNotInfluenceEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		port, l, trace, other := host(), limits(t), calls(t), calls(t)
		alone := observe(t, open(t, port, l), trace)
		session, neighbour := open(t, port, l), open(t, port, l)
		var beside []spec.Value
		for i := range trace {
			observe(t, neighbour, other[min(i, len(other)):min(i+1, len(other))])
			beside = append(beside, observe(t, session, trace[i:i+1])...)
		}
		if len(trace) > 0 && !spec.ArrayValue(alone...).Equal(spec.ArrayValue(beside...)) {
			t.Fatalf("alone  %v\nbeside %v", alone, beside)
		}
	})
}

func TestABatchWithoutAWorkerIsRefusedWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		session := open(t, host(), limits(t))
		before, _ := session.Snapshot(t.Context())
		batch := []spec.Value{call{worker: "w1"}.value(), call{}.value().Without("worker")}
		_, err := session.Observe(t.Context(), batch)
		after, _ := session.Snapshot(t.Context())
		fault, ok := err.(*spec.Fault)
		if !ok || fault.Kind != spec.InvalidEvent || fault.Field != "worker" || !before.Equal(after) {
			t.Fatalf("got %v, and the state is %s", err, after)
		}
	})
}
