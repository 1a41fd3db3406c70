package guards_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

func TestRestoredSessionContinuesLikeTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, before, continuation := anySettings(t), events(t, 0), events(t, 100)
		original, restored := s.snapshotter(t), s.snapshotter(t)
		detectortest.Observe(original, before)
		detectortest.Observe(restored, events(t, 0))
		if err := restored.Restore(original.Snapshot()); err != nil {
			t.Fatal(err)
		}
		want, got := detectortest.Observe(original, continuation), detectortest.Observe(restored, continuation)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(spec.Verdict{}, "Evidence")); diff != "" {
			t.Fatalf("after restore (-original +restored):\n%s", diff)
		}
		for i, v := range got {
			if len(v.Evidence) > 0 && v.Evidence[0] < 100 {
				t.Fatalf("verdict %d rests on events from before the restore: %v", i, v.Evidence)
			}
		}
	})
}

func TestCorruptStateIsRefusedWholeAndChangesNothing(t *testing.T) {
	t.Parallel()
	corruptions := map[string]func(spec.Value) spec.Value{
		"null":            func(spec.Value) spec.Value { return spec.NullValue() },
		"unknown member":  func(s spec.Value) spec.Value { return s.With("elapsed_s", spec.IntValue(1)) },
		"no iterations":   func(s spec.Value) spec.Value { return s.Without("iterations") },
		"no errors":       func(s spec.Value) spec.Value { return s.Without("consecutive_errors") },
		"no signature":    func(s spec.Value) spec.Value { return s.Without("signature") },
		"other signature": func(s spec.Value) spec.Value { return s.Without("signature").With("sig", s.Get("signature")) },
		"fraction":        func(s spec.Value) spec.Value { return s.With("iterations", spec.NumberValue("2.5")) },
		"text":            func(s spec.Value) spec.Value { return s.With("iterations", spec.StringValue("2")) },
		"negative":        func(s spec.Value) spec.Value { return s.With("consecutive_errors", spec.IntValue(-1)) },
		"too many errors": func(s spec.Value) spec.Value { return s.With("consecutive_errors", spec.IntValue(3)) },
		"too many":        func(s spec.Value) spec.Value { return s.With("iterations", spec.NumberValue("9007199254740992")) },
		"bad signature":   func(s spec.Value) spec.Value { return s.With("signature", spec.IntValue(1)) },
		"signatures of none": func(s spec.Value) spec.Value {
			return spec.MustParse(`{"iterations":0,"consecutive_errors":0}`).With("signature", s.Get("signature"))
		},
	}
	failure := spec.Event{Type: spec.Iteration, Text: "a", Failed: true}
	for name, corrupt := range corruptions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, err := byTwin.New(spec.Text, spec.MustParse(`{"signature":{"threshold":9}}`))
			if err != nil {
				t.Fatal(err)
			}
			d := opened.(snapshotter)
			detectortest.Observe(d, []spec.Event{failure, failure})
			before := d.Snapshot()
			state := corrupt(before)
			if fault, ok := d.Restore(state).(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
				t.Errorf("restore %s: got %v", state, fault)
			}
			if !d.Snapshot().Equal(before) {
				t.Errorf("%s became %s", before, d.Snapshot())
			}
			if v := d.Observe(failure); v.Kind != spec.KindConsecutiveErrors || len(v.Evidence) != 3 {
				t.Errorf("after the refusal: %+v", v)
			}
		})
	}
}

func TestASessionWithoutIterationsHasASnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySettings(t)
		d := s.snapshotter(t)
		detectortest.Observe(d, events(t, 0))
		want := s.snapshotter(t).Snapshot()
		if err := d.Restore(want); err != nil {
			t.Fatal(err)
		}
		if !d.Snapshot().Equal(want) {
			t.Fatalf("restored %s, want %s", d.Snapshot(), want)
		}
	})
}
