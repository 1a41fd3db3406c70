package guards_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// recount judges the last iteration of a trace by looking at all of it again.
func recount(s settings, trace []iteration) spec.Verdict {
	last := len(trace) - 1
	equal := equalOutputs(s, trace)
	failed := failures(trace)
	switch {
	case s.maxIterations > 0 && len(trace) >= s.maxIterations:
		return spec.Verdict{Loop: true, Kind: spec.KindMaxIterations, Count: len(trace), Evidence: []int{last}}
	case s.maxRuntimeS > 0 && trace[last].elapsedS >= float64(s.maxRuntimeS):
		return spec.Verdict{Loop: true, Kind: spec.KindMaxRuntime, Evidence: []int{last}}
	case len(equal) >= s.threshold:
		return spec.Verdict{Loop: true, Kind: spec.KindLoopDetection, Count: len(equal), Evidence: equal}
	case len(failed) >= s.maxErrors:
		return spec.Verdict{Loop: true, Kind: spec.KindConsecutiveErrors, Count: len(failed), Evidence: failed}
	}
	return spec.Verdict{}
}

// equalOutputs returns which iterations the rule of signatures counts. In the text reading these are the run at the
// end, as far as the window reaches; in the code reading the equal ones among those before that it looks at.
func equalOutputs(s settings, trace []iteration) []int {
	last := len(trace) - 1
	begin := max(0, len(trace)-s.window)
	if s.reading == "code" {
		begin = max(0, last-min(s.threshold, s.window))
	}
	var indices []int
	for i := last; i >= begin; i-- {
		if trace[i].output == trace[last].output {
			indices = append(indices, i)
		} else if s.reading == "text" {
			break
		}
	}
	slices.Reverse(indices)
	return indices
}

// failures returns the failed iterations at the end of the trace.
func failures(trace []iteration) []int {
	var indices []int
	for i, it := range trace {
		indices = append(indices, i)
		if !it.failed {
			indices = nil
		}
	}
	return indices
}

func TestEveryVerdictIsARecountOfTheWholeTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := anySettings(t), iterations(t)
		for i, got := range verdicts(s.detector(t), trace, 0) {
			if diff := cmp.Diff(recount(s, trace[:i+1]), got); diff != "" {
				t.Fatalf("%s: verdict %d (-want +got):\n%s", s.config(), i, diff)
			}
		}
	})
}

func TestEvidenceNamesTheLatestFailuresOnly(t *testing.T) {
	t.Parallel()
	d, err := guards.New(spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	var last spec.Verdict
	for i := range 3*spec.MaxEvidence + 1 {
		output := string(rune('a' + i%2)) // no loop of signatures
		last = d.Observe(spec.Event{Type: spec.Iteration, Index: i, Text: output, Failed: true})
	}
	n := len(last.Evidence)
	if last.Count != 3*spec.MaxEvidence+1 || n != spec.MaxEvidence || last.Evidence[n-1] != 3*spec.MaxEvidence {
		t.Errorf("count %d, evidence %v", last.Count, last.Evidence)
	}
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, before, trace := anySettings(t), iterations(t), iterations(t)
		d := s.detector(t)
		verdicts(d, before, 0)
		d.Reset()
		first := len(before)
		if diff := cmp.Diff(verdicts(s.detector(t), trace, first), verdicts(d, trace, first)); diff != "" {
			t.Fatalf("after a reset (-fresh +reset):\n%s", diff)
		}
	})
}

func TestEventsOfOtherTypesChangeNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anySettings(t).detector(t)
		verdicts(d, iterations(t), 0)
		before := d.Snapshot()
		others := slices.DeleteFunc(spec.EventTypes(), func(typ spec.EventType) bool { return typ == spec.Iteration })
		typ := rapid.SampledFrom(others).Draw(t, "type")
		got := d.Observe(spec.Event{Type: typ, Text: "a", Failed: true, ElapsedS: 99})
		if diff := cmp.Diff(spec.Verdict{}, got); diff != "" || !d.Snapshot().Equal(before) {
			t.Fatalf("%s: %s\nstate before %s\nstate after  %s", typ, diff, before, d.Snapshot())
		}
	})
}

func TestRestoredSessionContinuesLikeTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, continuation := anySettings(t), iterations(t)
		original, restored := s.detector(t), s.detector(t)
		verdicts(original, iterations(t), 0)
		verdicts(restored, iterations(t), 0)
		if err := restored.Restore(original.Snapshot()); err != nil {
			t.Fatal(err)
		}
		want, got := verdicts(original, continuation, 100), verdicts(restored, continuation, 100)
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
	trace := []iteration{{output: "a", failed: true}, {output: "a", failed: true}}
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
	for name, corrupt := range corruptions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := guards.New(spec.Value{})
			if err != nil {
				t.Fatal(err)
			}
			verdicts(d, trace, 0)
			before := d.Snapshot()
			state := corrupt(before)
			if fault, ok := d.Restore(state).(*spec.Fault); !ok || fault.Kind != spec.InvalidState {
				t.Errorf("restore %s: got %v", state, fault)
			}
			want := recount(settings{maxErrors: 3, reading: "text", threshold: 3, window: 5}, append(trace, trace[0]))
			if diff := cmp.Diff(want, verdicts(d, trace[:1], 2)[0]); diff != "" {
				t.Errorf("after the refusal (-want +got):\n%s", diff)
			}
		})
	}
}

func TestASessionWithoutIterationsHasASnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySettings(t)
		d := s.detector(t)
		verdicts(d, iterations(t), 0)
		if err := d.Restore(s.detector(t).Snapshot()); err != nil {
			t.Fatal(err)
		}
		if want := s.detector(t).Snapshot(); !d.Snapshot().Equal(want) {
			t.Fatalf("restored %s, want %s", d.Snapshot(), want)
		}
	})
}
