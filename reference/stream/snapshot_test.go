package stream_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// TestStates spoils a snapshot at one place.
func TestStates(t *testing.T) {
	t.Parallel()
	config := spec.MustParse(`{"tail_from":1,"tail_to":2,"tail_copies":2,"lines_window":5}`)
	open := func() detectortest.Session {
		return detectortest.Open(t, spec.Stream, stream.New, spec.Code, config).(detectortest.Session)
	}
	written := open()
	written.Observe(spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: "ab\nc"})
	snapshot := written.Snapshot().String()
	for _, tt := range []struct{ reason, from, to, refused string }{
		{"as it was written", "", "", ""},
		{"an unknown channel", `"answer":`, `"aside":`, "state/aside: "},
		{"a rule is missing", `"lines":`, `"others":`, "state/answer/others: "},
		{"more text than the longest period has", `"text":"\nc"`, `"text":"ab\nc"`, "state/answer/tail/text: "},
		{"more periods than there are", `"repeats":[0,0]`, `"repeats":[0,0,0]`, "state/answer/tail/repeats: 3 items"},
		{"a count below 0", `"repeats":[0,0]`, `"repeats":[0,-1]`, "state/answer/tail/repeats/1: "},
		{"a text is a number", `"text":"\nc"`, `"text":7`, "state/answer/tail/text: "},
		{"a line without a length", `"length":3`, `"size":3`, "state/answer/lines/window/0/size: "},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(snapshot, tt.from) {
				t.Fatalf("no %s in %s", tt.from, snapshot)
			}
			d := open()
			state := strings.Replace(snapshot, tt.from, tt.to, 1)
			err := d.Restore(spec.MustParse(state))
			if tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) || tt.refused == "" && err != nil {
				t.Errorf("restore %s: %v, want %q", state, err, tt.refused)
			}
		})
	}
}
