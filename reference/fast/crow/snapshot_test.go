package crow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

func TestRestoreRefusesWhatNoSessionWrote(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","tool":"a","args":{}}`
	tests := []struct{ state, reason string }{
		{`[]`, "no object"},
		{`{}`, "both members are missing"},
		{`{"since_check":0}`, "the events are missing"},
		{`{"events":[]}`, "the number of events since the last check is missing"},
		{`{"since_check":0,"events":[],"more":1}`, "an unknown member"},
		{`{"since_check":0,"other":[]}`, "an unknown member in the place of a known one"},
		{`{"since_check":"0","events":[]}`, "a text for a number"},
		{`{"since_check":0.0,"events":[]}`, "a float for an integer"},
		{`{"since_check":-1,"events":[]}`, "a negative number"},
		{`{"since_check":2,"events":[` + call + `,` + call + `]}`, "a check was due"},
		{`{"since_check":1,"events":[]}`, "an event since the check, but none at all"},
		{`{"since_check":0,"events":[` + call + `]}`, "one event in a window with room, but none since the check"},
		{`{"since_check":0,"events":{}}`, "the events are no list"},
		{`{"since_check":1,"events":[7]}`, "an event that is none"},
		{`{"since_check":1,"events":[{"type":"tool_call","args":{}}]}`, "an event without its tool"},
		{`{"since_check":1,"events":[{"type":"tool_call","tool":"a"}]}`, "arguments are always written"},
		{`{"since_check":1,"events":[{"type":"tool_call","tool":"a","args":{},"worker":"w"}]}`, "workers are never written"},
		{`{"since_check":1,"events":[{"type":"tool_result","content":"x"}]}`, "ok is always written"},
		{`{"since_check":1,"events":[{"type":"error","message":"x","error_type":""}]}`, "an empty error type is never written"},
		{`{"since_check":1,"events":[{"type":"output","text":"x"}]}`, "outputs are not observed"},
		{`{"since_check":0,"events":[` + call + `,` + call + `,` + call + `,` + call + `]}`, "more events than the window holds"},
	}
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		for _, test := range tests {
			t.Run(string(reading)+"/"+test.reason, func(t *testing.T) {
				t.Parallel()
				refuse(t, settings{reading: reading, recent: 3, checkEvery: 2, cycles: 1}, test.state)
			})
		}
	}
}

// refuse checks that a state is refused and that the session is what it was before.
func refuse(t *testing.T, s settings, state string) {
	session := open(t, s)
	observe(t, session, []spec.Value{spec.MustParse(`{"type":"error","message":"boom"}`)})
	before, _ := session.Snapshot(context.Background())
	err := session.Restore(context.Background(), spec.MustParse(state))
	var fault *spec.Fault
	if !errors.As(err, &fault) || fault.Kind != spec.InvalidState {
		t.Fatalf("restore %s: got %v, want %s", state, err, spec.InvalidState)
	}
	after, _ := session.Snapshot(context.Background())
	if !before.Equal(after) {
		t.Fatalf("the refused state %s changed the session from %s to %s", state, before, after)
	}
}

func TestSnapshotFromBeforeAnyEventIsLegal(t *testing.T) {
	t.Parallel()
	for _, s := range []settings{{spec.Code, 20, 3, 3}, {spec.Text, 0, 3, 0}} {
		session := open(t, s)
		state, err := session.Snapshot(context.Background())
		if err != nil {
			t.Fatalf("snapshot: %v", err)
		}
		if err := session.Restore(context.Background(), state); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
	}
}

// withoutEvidence returns the verdicts as a session that does not know the earlier events gives them.
func withoutEvidence(verdicts []spec.Value) []spec.Value {
	list := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		list[i] = v.Without("evidence")
	}
	return list
}

// cut divides a trace at a place of rapid's choice.
func cut(t *rapid.T, trace []spec.Value) (before, after []spec.Value) {
	i := rapid.IntRange(0, len(trace)).Draw(t, "cut")
	return trace[:i], trace[i:]
}

func TestRestoredSessionGoesOnAsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		before, after := cut(t, trace)
		original, restored := open(t, s), open(t, s)
		other := drawTrace(t)
		observe(t, original, before)
		observe(t, restored, other)
		state, err := original.Snapshot(context.Background())
		if err != nil {
			t.Fatalf("snapshot: %v", err)
		}
		if err := restored.Restore(context.Background(), spec.MustParse(state.String())); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		got, want := observe(t, restored, after), observe(t, original, after)
		check(t, "restored", withoutEvidence(got), withoutEvidence(want))
		for i := range want {
			if g, w := got[i].Get("evidence"), sinceRestore(want[i].Get("evidence"), len(before), len(other)); !g.Equal(w) {
				t.Fatalf("restored: evidence of verdict %d is %s, want %s", i, g, w)
			}
		}
	})
}

// sinceRestore returns what a restored session must name of the original's evidence: the events since the snapshot,
// which the one had taken after so many events, and the other had seen so many of its own by then. Without any it is
// absent.
func sinceRestore(evidence spec.Value, taken, seen int) spec.Value {
	var indices []int
	for _, item := range evidence.Items() {
		if i, _ := item.Int(); i >= taken {
			indices = append(indices, i-taken+seen)
		}
	}
	if indices == nil {
		return spec.Value{}
	}
	return spec.IntsValue(indices)
}
