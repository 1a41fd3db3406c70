package swarm_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/swarm"
	rules "github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

var byRules, byTwin = detectortest.Twins(spec.Swarm, rules.New, swarm.New)

func TestVerdictsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := limits(t)
		rules, d := open(byRules, l), open(byTwin, l)
		first := 0
		for range rapid.IntRange(1, 3).Draw(t, "resets") {
			trace := withOtherEvents(t, calls(t), first)
			if diff := cmp.Diff(detectortest.Observe(rules, trace), detectortest.Observe(d, trace)); diff != "" {
				t.Fatalf("%+v (-rules +detector):\n%s", l, diff)
			}
			rules.Reset()
			d.Reset()
			first += len(trace)
		}
	})
}

// withOtherEvents returns the calls as events, the first of which has the given index, and some of another type.
func withOtherEvents(t *rapid.T, trace []call, first int) []spec.Event {
	var events []spec.Event
	for _, c := range trace {
		e := c.event(first + len(events))
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
	for name, impl := range map[string]spec.Implementation{"rules": byRules, "detector": byTwin} {
		d := open(impl, rules.Limits{Threshold: 1, MinWorkers: 1})
		got := verdicts(d, slices.Repeat([]call{{worker: "w"}}, n), 0)[n-1]
		if got.Count != n || len(got.Evidence) != spec.MaxEvidence || got.Evidence[0] != n-spec.MaxEvidence {
			t.Errorf("%s: evidence of %d calls: %v", name, got.Count, got.Evidence)
		}
	}
}

func TestABatchWithoutAWorkerIsRefusedWhole(t *testing.T) {
	t.Parallel()
	for name, impl := range map[string]spec.Implementation{"rules": byRules, "detector": byTwin} {
		host := spec.NewHost(spec.Description{}, impl)
		session, err := host.Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(`{"threshold":2,"min_workers":1}`))
		if err != nil {
			t.Fatal(err)
		}
		sound := call{worker: "w1"}.value()
		_, err = session.Observe(t.Context(), []spec.Value{sound, sound.Without("worker")})
		fault, ok := err.(*spec.Fault)
		if !ok || fault.Kind != spec.InvalidEvent || fault.Field != "worker" {
			t.Errorf("%s: got %v", name, err)
		}
		got, err := session.Observe(t.Context(), []spec.Value{sound})
		if err != nil || got[0].Get("loop").IsTrue() {
			t.Errorf("%s: a call of the refused batch was counted: %v, %v", name, got, err)
		}
	}
}
