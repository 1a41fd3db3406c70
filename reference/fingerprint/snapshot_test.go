package fingerprint_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// TestStateThatNoSessionWroteIsRefused spoils one member of a good state at a time.
func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	cat := spec.MustParse(`{"command":"cat f"}`)
	session := func() detectortest.Session {
		d := open(t, `{"window":5}`)
		d.Observe(spec.Event{Type: spec.ToolCall, Tool: "bash", Args: cat})
		d.Observe(spec.Event{Type: spec.ToolCall, Tool: "bash", Args: cat, ID: "c", HasID: true})
		return d
	}
	states := map[string]string{}
	for _, test := range []struct{ reason, member, value string }{
		{"a call that is no digest", "last_call", `"ls"`},
		{"no call", "last_call", `null`},
		{"a tool that is no text", "last_tool", `7`},
		{"more identical calls than the window holds", "exact", `6`},
		{"a count that is no integer", "fuzzy", `2.0`},
		{"more similar calls than the window holds", "fuzzy", `6`},
		{"a count that not every language can hold", "text_turns", `9007199254740992`},
		{"neither true nor false", "last_bash_on_file", `1`},
		{"a named call without a tool", "named_calls", `[{"id":"c","on_file":false}]`},
		{"a member that no snapshot has", "weather", `"sunny"`},
	} {
		states[test.reason] = session().Snapshot().With(test.member, spec.MustParse(test.value)).String()
	}
	detectortest.CheckRefuses(t, session, states)
	if err := open(t, `{}`).Restore(open(t, `{}`).Snapshot()); err != nil {
		t.Errorf("the snapshot of a fresh session is refused: %v", err)
	}
}

func TestOnlyTheLatestIdsAreRemembered(t *testing.T) {
	t.Parallel()
	const remembered = 1000
	d := open(t, `{"bash_failures":1}`)
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
	again := open(t, `{"bash_failures":1}`)
	if err := again.Restore(d.Snapshot()); err != nil || again.Snapshot().String() != d.Snapshot().String() {
		t.Errorf("a full memory does not survive a snapshot (%v)", err)
	}
}

// TestCountsStopWhereEveryLanguageHasExactIntegers goes on from a state with the largest counts: one that was counted
// further would be a snapshot that nobody takes.
func TestCountsStopWhereEveryLanguageHasExactIntegers(t *testing.T) {
	t.Parallel()
	const most = spec.MaxCount
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
			d := open(t, `{}`)
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

func open(t *testing.T, config string) detectortest.Session {
	t.Helper()
	return detectortest.Open(t, spec.Fingerprint, fingerprint.New, spec.Text, spec.MustParse(config)).(detectortest.Session)
}
