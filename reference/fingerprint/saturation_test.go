package fingerprint_test

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

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
