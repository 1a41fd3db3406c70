package swarm_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// TestLaws leaves out that a detector refuses states: of a swarm, the order of entries and workers does not matter.
func TestLaws(t *testing.T) {
	t.Parallel()
	s := detectortest.Subject{
		Detector: spec.Swarm, New: swarm.New,
		Configs: func(t *rapid.T, _ spec.Reading) spec.Value { return configOf(limits(t)) }, Traces: anyTrace,
	}
	rapid.Check(t, func(t *rapid.T) { s.RestoredGoesOn(t, spec.Text) })
}

// anyTrace draws calls, and some events of another type.
func anyTrace(t *rapid.T) []spec.Event {
	var events []spec.Event
	for _, c := range calls(t) {
		e := c.event(0)
		if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
			e.Type = spec.ToolResult
		}
		events = append(events, e)
	}
	return events
}

func TestEvidenceNamesTheLatestCallsOnly(t *testing.T) {
	t.Parallel()
	const n = 2*spec.MaxEvidence + 9
	d := open(swarm.Limits{Threshold: 1, MinWorkers: 1})
	got := verdicts(d, slices.Repeat([]call{{worker: "w"}}, n), 0)[n-1]
	if got.Count != n || len(got.Evidence) != spec.MaxEvidence || got.Evidence[0] != n-spec.MaxEvidence {
		t.Errorf("evidence of %d calls: %v", got.Count, got.Evidence)
	}
}

func TestABatchWithoutAWorkerIsRefusedWhole(t *testing.T) {
	t.Parallel()
	host := spec.NewHost(spec.Description{}, spec.Define(spec.Swarm, swarm.New, nil))
	session, err := host.Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(`{"threshold":2,"min_workers":1}`))
	if err != nil {
		t.Fatal(err)
	}
	sound := call{worker: "w1"}.value()
	_, err = session.Observe(t.Context(), []spec.Value{sound, sound.Without("worker")})
	fault, ok := err.(*spec.Fault)
	if !ok || fault.Kind != spec.InvalidEvent || fault.Field != "worker" {
		t.Errorf("got %v", err)
	}
	got, err := session.Observe(t.Context(), []spec.Value{sound})
	if err != nil || got[0].Get("loop").IsTrue() {
		t.Errorf("a call of the refused batch was counted: %v, %v", got, err)
	}
}
