package crow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/loopstone/loopstone/spec"
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
