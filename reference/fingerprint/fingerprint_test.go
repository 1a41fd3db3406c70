package fingerprint_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/detectortest"
	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// The laws of this file hold for every configuration and every trace of a small world: few tools, few arguments that
// are near each other, low thresholds, short windows.

func TestVerdictIsARecountOfTheTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs().Draw(t, "config")
		trace := traces().Draw(t, "trace")
		d := open(t, config)
		for i, e := range trace {
			got, want := d.Observe(e), recount(config, trace[:i+1])
			got.Message = "" // the texts have tests of their own
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("event %d: -want +got\n%s", i, diff)
			}
		}
	})
}

func TestOneFingerprintMeansAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := call(t, 0), call(t, 1)
		same := fingerprint.Compute(a.Tool, a.Args) == fingerprint.Compute(b.Tool, b.Args)
		if want := alike(a, b); same != want {
			t.Fatalf("%s %s and %s %s: one fingerprint %t, want %t", a.Tool, a.Args, b.Tool, b.Args, same, want)
		}
	})
}

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		args := detectortest.Objects(names, 2).Draw(t, "args")
		shuffled := detectortest.Shuffle(t, args)
		if a, b := fingerprint.Compute("t", args), fingerprint.Compute("t", shuffled); a != b {
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

func open(t interface{ Fatal(...any) }, config setting) *fingerprint.Detector {
	d, err := fingerprint.New(config.value())
	if err != nil {
		t.Fatal(err)
	}
	return d
}
