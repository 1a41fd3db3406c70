package fingerprint_test

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// TestRefusedStateChangesNothing spoils one member of a good state at a time.
func TestRefusedStateChangesNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, member, value string }{
		{"a last call that is no object", "last_call", `"t"`},
		{"a last call without args", "last_call", `{"tool":"t"}`},
		{"a last call with a member too many", "last_call", `{"tool":"t","args":{},"id":"c"}`},
		{"a tool that is no string", "last_call", `{"tool":null,"args":{}}`},
		{"args that are no object", "last_call", `{"tool":"t","args":[]}`},
		{"counted calls, but no last one", "last_call", `null`},
		{"a last call that is not counted", "exact", `0`},
		{"more identical calls than similar ones", "exact", `3`},
		{"a negative count", "exact", `-1`},
		{"a count that is no integer", "fuzzy", `2.0`},
		{"more similar calls than the window holds", "fuzzy", `6`},
		{"a count that is a text", "test_failures", `"1"`},
		{"a count that is null", "bash_failures", `null`},
		{"a count that not every language can hold", "text_turns", `9007199254740992`},
		{"a flag that is a number", "failed_on_file", `0`},
		{"another command than that of the last call", "last_bash_on_file", `false`},
		{"a flag that is a text", "last_bash_on_file", `"true"`},
		{"named calls that are no array", "named_calls", `{}`},
		{"a named call that is no object", "named_calls", `["c"]`},
		{"a named call without a tool", "named_calls", `[{"id":"c","on_file":false}]`},
		{"an id that is no string", "named_calls", `[{"id":1,"tool":"t","on_file":false}]`},
		{"a time that is a text", "last_warning_time", `"0"`},
		{"a member that no snapshot has", "weather", `"sunny"`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, setting{9, 9, 5, 9, 9, 9})
			cat := spec.MustParse(`{"command":"cat f"}`)
			d.Observe(spec.Event{Type: spec.ToolCall, Tool: "bash", Args: cat})
			d.Observe(spec.Event{Type: spec.ToolCall, Tool: "bash", Args: cat, ID: "c", HasID: true})
			before := d.Snapshot()
			spoiled := before.With(tt.member, spec.MustParse(tt.value))
			err := d.Restore(spoiled)
			if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
				t.Errorf("Restore(%s) = %v, want %s", spoiled, err, spec.InvalidState)
			}
			if after := d.Snapshot(); after.String() != before.String() {
				t.Errorf("the state was %s and is %s", before, after)
			}
		})
	}
}

func TestStateThatLacksAMemberIsRefused(t *testing.T) {
	t.Parallel()
	d := open(t, setting{9, 9, 5, 9, 9, 9})
	for _, m := range d.Snapshot().Members() {
		if err := d.Restore(d.Snapshot().Without(m.Name)); err == nil {
			t.Errorf("a state without %s is taken", m.Name)
		}
	}
	if err := d.Restore(spec.ArrayValue()); err == nil {
		t.Error("a state that is no object is taken")
	}
	if err := d.Restore(d.Snapshot()); err != nil {
		t.Errorf("the snapshot of a fresh session is refused: %v", err)
	}
}
