package ralph

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

func TestRestoredSessionGoesOnAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs(t)
		original, restored := open(t, byTwin, config), open(t, byTwin, config)
		detectortest.Observe(original, outputs(t, 0))
		detectortest.Observe(restored, outputs(t, 0))
		state := original.(spec.Snapshotter).Snapshot()
		if err := restored.(spec.Snapshotter).Restore(state); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		events := outputs(t, 100)
		want := detectortest.Observe(original, events)
		for i := range want {
			want[i].Evidence = slices.DeleteFunc(want[i].Evidence, func(index int) bool { return index < 100 })
		}
		if diff := cmp.Diff(want, detectortest.Observe(restored, events)); diff != "" {
			t.Fatalf("after restore of %s, %v (-original +restored):\n%s", state, events, diff)
		}
	})
}

// TestForgedStatesAreRefused has one state for each way in which it cannot have been written; the session must go on
// as if nothing had been sent.
func TestForgedStatesAreRefused(t *testing.T) {
	t.Parallel()
	for reason, state := range map[string]string{
		"not an object":         `[]`,
		"no member":             `{}`,
		"outputs is no array":   `{"outputs":"x"}`,
		"an output is a number": `{"outputs":[1]}`,
		"an empty output":       `{"outputs":[""]}`,
		"more than the window":  `{"outputs":["a","b","c"]}`,
		"an unknown member":     `{"outputs":[],"more":1}`,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			d, err := byTwin.New(spec.Text, spec.MustParse(`{"window":2}`))
			if err != nil {
				t.Fatal(err)
			}
			d.Observe(spec.Event{Type: spec.Output, Text: "kept"})
			if err := d.(spec.Snapshotter).Restore(spec.MustParse(state)); err == nil {
				t.Fatalf("restore %s: no error", state)
			}
			if v := d.Observe(spec.Event{Type: spec.Output, Text: "kept", Index: 1}); !v.Loop {
				t.Errorf("after the refused %s: %+v, want a loop", state, v)
			}
		})
	}
}
