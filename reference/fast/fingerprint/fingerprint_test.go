package fingerprint_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// The laws of this file hold for every configuration and every trace of a small world: few tools, few arguments that
// are near each other, low thresholds, short windows.

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		args := detectortest.Objects(names, 2).Draw(t, "args")
		shuffled := detectortest.Shuffle(t, args)
		if a, b := compute("t", args), compute("t", shuffled); a != b {
			t.Fatalf("%s has the fingerprint %s, %s has %s", args, a, shuffled, b)
		}
		d := open(t, setting{2, 9, 9, 9, 9, 9})
		d.Observe(spec.Event{Type: spec.ToolCall, Tool: "t", Args: args})
		if v := d.Observe(spec.Event{Type: spec.ToolCall, Tool: "t", Args: shuffled}); v.Kind != spec.KindExact {
			t.Fatalf("%s and %s are not identical: %v", args, shuffled, v)
		}
	})
}

func TestCountsStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs().Draw(t, "config")
		d := open(t, config)
		for _, e := range traces().Draw(t, "trace") {
			v := d.Observe(e)
			if e.Type == spec.ToolCall && (v.Count < 1 || v.Count > config[window]) {
				t.Fatalf("a count of %d in a window of %d", v.Count, config[window])
			}
			if len(v.Evidence) > v.Count {
				t.Fatalf("%d events counted, but evidence %v", v.Count, v.Evidence)
			}
		}
	})
}

func TestBatchesMayBeSplitAnywhereAndSessionsInterleaved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().BatchesMayBeSplit)
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().ResetIsAFreshSession)
}

func TestRunsOfCallsForgetWhatLeftTheWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs().Draw(t, "config")
		trace := slices.DeleteFunc(traces().Draw(t, "trace"), func(e spec.Event) bool { return e.Type != spec.ToolCall })
		d, late := open(t, config), open(t, config)
		detectortest.Observe(d, trace)
		detectortest.Observe(late, trace[max(0, len(trace)-config[window]):])
		e := call(t, len(trace))
		if diff := cmp.Diff(late.Observe(e), d.Observe(e)); diff != "" {
			t.Fatalf("-that saw the window only +that saw all\n%s", diff)
		}
	})
}

func TestRestoredSessionGoesOnLikeTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, subject().RestoredGoesOn)
}

func TestOnlyTheLatestIdsAreRemembered(t *testing.T) {
	t.Parallel()
	const remembered = 1000
	d := open(t, setting{9, 9, 9, 9, 1, 9})
	fail := func(id int) bool {
		name := spec.IntValue(id).String()
		return d.Observe(spec.Event{Type: spec.ToolResult, Call: name, HasCall: true}).Loop
	}
	for id := range 3 * remembered {
		d.Observe(spec.Event{
			Type: spec.ToolCall, Tool: "bash", Args: spec.ObjectValue(), ID: spec.IntValue(id).String(), HasID: true,
		})
		if !fail(id) {
			t.Fatalf("the result of the current call %d is neutral", id)
		}
		d.Observe(spec.Event{Type: spec.ToolResult, Tool: "bash", HasTool: true, OK: true})
	}
	if fail(2*remembered - 1) {
		t.Error("an id is remembered beyond the bound")
	}
	if !fail(2 * remembered) {
		t.Error("an id within the bound is forgotten")
	}
	if n := len(d.Snapshot().Get("named_calls").Items()); n != remembered {
		t.Errorf("the snapshot has %d calls, want %d", n, remembered)
	}
	again := open(t, setting{9, 9, 9, 9, 1, 9})
	if err := again.Restore(d.Snapshot()); err != nil || again.Snapshot().String() != d.Snapshot().String() {
		t.Errorf("a full memory does not survive a snapshot (%v)", err)
	}
}

// TestCountsStopWhereEveryLanguageHasExactIntegers goes on from a state with the largest counts: one that was counted
// further would be a snapshot that nobody takes.
func TestCountsStopWhereEveryLanguageHasExactIntegers(t *testing.T) {
	t.Parallel()
	const most = 1<<53 - 1
	tests := []struct {
		member string
		event  spec.Event
	}{
		{"test_failures", spec.Event{Type: spec.TestRun}},
		{"bash_failures", spec.Event{Type: spec.ToolResult, Tool: "bash", HasTool: true}},
		{"text_turns", spec.Event{Type: spec.Message, Role: spec.Assistant}},
	}
	for _, test := range tests {
		t.Run(test.member, func(t *testing.T) {
			t.Parallel()
			d := open(t, setting{9, 9, 5, 9, 9, 9})
			if err := d.Restore(d.Snapshot().With(test.member, spec.IntValue(most))); err != nil {
				t.Fatal(err)
			}
			if v := d.Observe(test.event); !v.Loop || v.Count != most {
				t.Errorf("one more gives %s, want the count %d", v.Value(), most)
			}
			if err := d.Restore(d.Snapshot()); err != nil {
				t.Errorf("its own snapshot is refused: %v", err)
			}
		})
	}
}

func compute(tool string, args spec.Value) string { return string(rules.Append(nil, tool, args)) }

// session is the detector as its users have it.
type session interface {
	spec.Detector
	spec.Snapshotter
}

func open(t interface{ Fatal(...any) }, config setting) session {
	d, err := byTwin.New(spec.Text, config.value())
	if err != nil {
		t.Fatal(err)
	}
	return d.(session)
}
