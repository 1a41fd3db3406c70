package history_test

import (
	"testing"

	rules "github.com/loopstone/loopstone/reference/history"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

// The laws of this file hold for every configuration and every trace of a small world: few tools, few commands, short
// windows, so that copies, ties and forgetting are frequent.

func TestOrderOfMembersDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		args := detectortest.Objects(names, 2).Draw(t, "args")
		shuffled := detectortest.Shuffle(t, args)
		if a, b := hash(t, args), hash(t, shuffled); a != b {
			t.Fatalf("%s has the hash %s, %s has %s", args, a, shuffled, b)
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

func TestOnlyTheWindowMatters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs().Draw(t, "config")
		trace := calls(traces().Draw(t, "trace"))
		d, late := open(t, config), open(t, config)
		detectortest.Observe(d, trace)
		detectortest.Observe(late, trace[max(0, len(trace)-config.size):])
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

func TestRefusedStateChangesNothing(t *testing.T) {
	t.Parallel()
	const a, b = `"900150983cd24fb0d6963f7d28e17f72"`, `"d41d8cd98f00b204e9800998ecf8427e"`
	tests := []struct{ reason, state string }{
		{"no object", `[]`},
		{"no calls", `{}`},
		{"calls that are no array", `{"calls":{}}`},
		{"a member too many", `{"calls":[],"size":3}`},
		{"a call that is no object", `{"calls":[` + a + `]}`},
		{"a call without a hash", `{"calls":[{"first_word":` + a + `}]}`},
		{"a hash that is too short", `{"calls":[{"hash":"9001"}]}`},
		{"a hash in capitals", `{"calls":[{"hash":"900150983CD24FB0D6963F7D28E17F72"}]}`},
		{"a hash that is no hexadecimal number", `{"calls":[{"hash":"x00150983cd24fb0d6963f7d28e17f72"}]}`},
		{"a hash that is no string", `{"calls":[{"hash":900150983}]}`},
		{"a tool without a limit", `{"calls":[{"hash":` + a + `,"limited_tool":"cat"}]}`},
		{"a tool that is no string", `{"calls":[{"hash":` + a + `,"limited_tool":null}]}`},
		{"a word that is no digest", `{"calls":[{"hash":` + a + `,"first_word":"ls"}]}`},
		{"an unknown member of a call", `{"calls":[{"hash":` + a + `,"index":0}]}`},
		{
			"more calls than the window holds",
			`{"calls":[{"hash":` + a + `},{"hash":` + a + `},{"hash":` + b + `},{"hash":` + b + `}]}`,
		},
		{"one hash of two tools", `{"calls":[{"hash":` + a + `},{"hash":` + a + `,"limited_tool":"sh"}]}`},
	}
	config := setting{threshold: 2, size: 3, limits: map[string]int{"sh": 2}, words: 2}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, config)
			d.Observe(spec.Event{Type: spec.ToolCall, Tool: "sh", Args: spec.MustParse(`{"command":"ls"}`)})
			before := d.Snapshot().String()
			err := d.Restore(spec.MustParse(tt.state))
			if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
				t.Errorf("Restore(%s) = %v, want %s", tt.state, err, spec.InvalidState)
			}
			if after := d.Snapshot().String(); after != before {
				t.Errorf("the state was %s and is %s", before, after)
			}
		})
	}
}

func TestWordOfAnUnwatchedRuleIsRefused(t *testing.T) {
	t.Parallel()
	watching := open(t, setting{threshold: 2, size: 3, words: 2})
	watching.Observe(spec.Event{Type: spec.ToolCall, Tool: "sh", Args: spec.MustParse(`{"command":"ls"}`)})
	if err := open(t, setting{threshold: 2, size: 3}).Restore(watching.Snapshot()); err == nil {
		t.Error("a detector without first_word_threshold took a state with first words")
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	d := open(t, setting{threshold: 3, size: 20})
	events := make([]spec.Event, 64)
	for i := range events {
		events[i] = spec.Event{Type: spec.ToolCall, Tool: "t", Args: spec.ObjectValue(
			spec.Member{Name: "nr", Value: spec.IntValue(i)})}
	}
	detectortest.Observe(d, events)
	next := 0
	if n := testing.AllocsPerRun(200, func() { d.Observe(events[next%len(events)]); next++ }); n > 0 {
		t.Errorf("%v allocations per event", n)
	}
}

// session is the detector as its users have it.
type session interface {
	spec.Detector
	spec.Snapshotter
}

func open(t interface{ Fatal(...any) }, config setting) session {
	d, err := byTwin.New(spec.Code, config.value())
	if err != nil {
		t.Fatal(err)
	}
	return d.(session)
}

func hash(t interface{ Fatal(...any) }, args spec.Value) string {
	call := spec.MustParse(`{"tool":"t"}`).With("args", args)
	sum, err := rules.Functions["history.hash"](spec.Code, call)
	if err != nil {
		t.Fatal(err)
	}
	return sum.String()
}
