// Package detectortest holds what the tests of several detectors share: laws of all detectors, stated once, and values
// to state them on.
package detectortest

import (
	"context"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// Subject is a detector with the small world that the laws are checked in: few tools, few arguments, short windows, so
// that repeats, ties and forgetting are frequent.
type Subject struct {
	Implementation spec.Implementation
	Reading        spec.Reading
	Configs        *rapid.Generator[spec.Value]
	Traces         *rapid.Generator[[]spec.Event] // indices are places
}

// Twins returns a detector of the specification as its rules and as its fast twin.
func Twins(id spec.DetectorID, rules, fast spec.Constructor) (plain, quick spec.Implementation) {
	return spec.Define(id, rules, nil), spec.Define(id, fast, nil)
}

// SaysWhatRulesSay states that the detector, event by event and after resets, says what the plain rules say of the
// whole trace, and shows the same state.
func (s Subject) SaysWhatRulesSay(t *rapid.T, rules spec.Implementation) {
	config := s.Configs.Draw(t, "config")
	plain, fast := s, s.detector(t, config)
	plain.Implementation = rules
	slow := plain.detector(t, config)
	for i, e := range s.Traces.Draw(t, "trace") {
		if rapid.IntRange(0, 30).Draw(t, "reset") == 0 {
			slow.Reset()
			fast.Reset()
		}
		if diff := cmp.Diff(slow.Observe(e), fast.Observe(e)); diff != "" {
			t.Fatalf("event %d: -rules +detector\n%s", i, diff)
		}
		if a, b := state(slow), state(fast); a != b {
			t.Fatalf("state after event %d: rules %s, detector %s", i, a, b)
		}
	}
}

// BatchesMayBeSplit states that neither the borders of batches nor other sessions change a verdict.
func (s Subject) BatchesMayBeSplit(t *rapid.T) {
	host := spec.NewHost(spec.Description{}, s.Implementation)
	config := s.Configs.Draw(t, "config")
	whole, split, other := s.session(t, host, config), s.session(t, host, config), s.session(t, host, config)
	trace := written(s.Traces.Draw(t, "trace"))
	noise := written(s.Traces.Draw(t, "noise"))

	want := send(t, whole, trace)
	var got []spec.Value
	for len(trace) > 0 {
		n := rapid.IntRange(0, len(trace)).Draw(t, "batch")
		got = append(got, send(t, split, trace[:n])...)
		trace = trace[n:]
		send(t, other, noise)
	}
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Fatalf("-in one batch +in several\n%s", diff)
	}
}

// ResetIsAFreshSession states that nothing but the configuration survives a reset.
func (s Subject) ResetIsAFreshSession(t *rapid.T) {
	config := s.Configs.Draw(t, "config")
	before, after := s.Traces.Draw(t, "before"), s.Traces.Draw(t, "after")
	d, fresh := s.detector(t, config), s.detector(t, config)
	Observe(d, before)
	d.Reset()
	if diff := cmp.Diff(Observe(fresh, after), Observe(d, after)); diff != "" {
		t.Fatalf("-fresh +reset\n%s", diff)
	}
	if a, b := state(fresh), state(d); a != b {
		t.Fatalf("state: fresh %s, reset %s", a, b)
	}
}

// RestoredGoesOn states that a detector that was restored from a snapshot, whatever it had seen, says what the original
// says, but for evidence from before.
func (s Subject) RestoredGoesOn(t *rapid.T) {
	config := s.Configs.Draw(t, "config")
	before, after := s.Traces.Draw(t, "before"), s.Traces.Draw(t, "after")
	d, restored := s.detector(t, config), s.detector(t, config)
	Observe(d, before)
	Observe(restored, after)
	snapshot := d.(spec.Snapshotter).Snapshot()
	if err := restored.(spec.Snapshotter).Restore(reparsed(snapshot)); err != nil {
		t.Fatalf("restore %s: %v", snapshot, err)
	}
	for i := range after {
		after[i].Index = len(before) + i
	}
	original := Observe(d, after)
	for i := range original {
		original[i].Evidence = since(original[i].Evidence, len(before))
	}
	if diff := cmp.Diff(original, Observe(restored, after)); diff != "" {
		t.Fatalf("-original +restored\n%s", diff)
	}
	a, b := d.(spec.Snapshotter).Snapshot().String(), restored.(spec.Snapshotter).Snapshot().String()
	if a != b {
		t.Fatalf("snapshot: original %s, restored %s", a, b)
	}
}

// Observe returns the verdicts on a trace.
func Observe(d spec.Detector, trace []spec.Event) []spec.Verdict {
	verdicts := []spec.Verdict{}
	for _, e := range trace {
		verdicts = append(verdicts, d.Observe(e))
	}
	return verdicts
}

func (s Subject) detector(t *rapid.T, config spec.Value) spec.Detector {
	d, err := s.Implementation.New(s.Reading, config)
	if err != nil {
		t.Fatalf("open with %s: %v", config, err)
	}
	return d
}

func (s Subject) session(t *rapid.T, host *spec.Host, config spec.Value) spec.Session {
	session, err := host.Open(context.Background(), s.Implementation.Detector, s.Reading, config)
	if err != nil {
		t.Fatalf("open with %s: %v", config, err)
	}
	return session
}

func send(t *rapid.T, s spec.Session, events []spec.Value) []spec.Value {
	verdicts, err := s.Observe(context.Background(), events)
	if err != nil {
		t.Fatalf("observe: %v", err)
	}
	return verdicts
}

// state is what a detector shows of its state; empty where it shows none.
func state(d spec.Detector) string {
	if stater, ok := d.(spec.Stater); ok {
		return stater.State().String()
	}
	return ""
}
