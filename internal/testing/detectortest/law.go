// Package detectortest holds what the Go tests of several reference detectors share: what must hold of their snapshots,
// and how a test opens a detector and plays a trace. What must hold of every port is in conformance/laws.
package detectortest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// Subject is a detector with what the laws are checked on: configurations with low thresholds and short windows, and
// traces of few tools and few arguments, so that repeats, ties and forgetting are frequent.
type Subject struct {
	Detector spec.DetectorID
	New      spec.Constructor
	Configs  func(*rapid.T, spec.Reading) spec.Value
	Traces   func(*rapid.T) []spec.Event // whatever their indices
}

// Session is a detector with snapshots.
type Session interface {
	spec.Detector
	spec.Snapshotter
}

// Check checks all laws in each reading of the detector.
func (s Subject) Check(t *testing.T) {
	t.Parallel()
	row, _ := spec.DefinitionOf(s.Detector)
	for _, reading := range row.Readings {
		for name, law := range map[string]func(*rapid.T, spec.Reading){
			"restored goes on": s.RestoredGoesOn,
			"refuses states":   s.RefusesStates,
		} {
			t.Run(string(reading)+" "+name, func(t *testing.T) {
				t.Parallel()
				rapid.Check(t, func(t *rapid.T) { law(t, reading) })
			})
		}
	}
}

// RestoredGoesOn states that a detector that was restored from a snapshot, whatever it had seen, says what the original
// says, but for evidence from before.
func (s Subject) RestoredGoesOn(t *rapid.T, reading spec.Reading) {
	config := s.Configs(t, reading)
	before, after := numbered(s.Traces(t), 0), s.Traces(t)
	before = before[:rapid.IntRange(0, len(before)).Draw(t, "cut")]
	original, restored := s.session(t, reading, config), s.session(t, reading, config)
	Observe(original, before)
	Observe(restored, numbered(after, 0))
	snapshot := original.Snapshot()
	if err := restored.Restore(spec.MustParse(snapshot.String())); err != nil {
		t.Fatalf("%s: restore %s: %v", config, snapshot, err)
	}
	after = numbered(after, len(before))
	want := Observe(original, after)
	for i := range want {
		want[i].Evidence = since(want[i].Evidence, len(before))
	}
	if diff := cmp.Diff(want, Observe(restored, after)); diff != "" {
		t.Fatalf("%s, restored from %s: -original +restored\n%s", config, snapshot, diff)
	}
	if a, b := original.Snapshot().String(), restored.Snapshot().String(); a != b {
		t.Fatalf("%s: snapshot: original %s, restored %s", config, a, b)
	}
}

// RefusesStates states that a detector takes no state but what its snapshots then say, that a refused state changes
// nothing, and that the detector goes on after either.
func (s Subject) RefusesStates(t *rapid.T, reading spec.Reading) {
	config := s.Configs(t, reading)
	d := s.session(t, reading, config)
	Observe(d, numbered(s.Traces(t), 0))
	before := d.Snapshot()
	spoiled := spoil(t, before)
	err := d.Restore(spoiled)
	if fault, is := err.(*spec.Fault); err != nil && (!is || fault.Kind != spec.InvalidState) {
		t.Fatalf("%s: restore %s: %v", config, spoiled, err)
	}
	want := before
	if err == nil {
		want = spoiled
	}
	if now := d.Snapshot(); !now.Equal(want) {
		t.Fatalf("%s: restore %s: %v\nthe state was %s\nand is        %s", config, spoiled, err, before, now)
	}
	Observe(d, numbered(s.Traces(t), 0))
}

// CheckRefuses checks that a detector refuses each state, by the reason, and that this changes nothing.
func CheckRefuses(t *testing.T, open func() Session, states map[string]string) {
	t.Helper()
	for reason, state := range states {
		d := open()
		before := d.Snapshot().String()
		err := d.Restore(spec.MustParse(state))
		if fault, is := err.(*spec.Fault); !is || fault.Kind != spec.InvalidState {
			t.Errorf("%s: restore %s: got %v, want %s", reason, state, err, spec.InvalidState)
		}
		if after := d.Snapshot().String(); after != before {
			t.Errorf("%s: the refused %s changed the state from %s to %s", reason, state, before, after)
		}
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

// Open returns a detector with an empty trace.
func Open(t rapid.TB, id spec.DetectorID, detector spec.Constructor, r spec.Reading, config spec.Value) spec.Detector {
	t.Helper()
	d, err := spec.Define(id, detector, nil).New(r, config)
	if err != nil {
		t.Fatalf("open %s with %s: %v", id, config, err)
	}
	return d
}

func (s Subject) session(t *rapid.T, reading spec.Reading, config spec.Value) Session {
	return Open(t, s.Detector, s.New, reading, config).(Session)
}

// numbered returns the events with indices from the first one on.
func numbered(trace []spec.Event, first int) []spec.Event {
	trace = slices.Clone(trace)
	for i := range trace {
		trace[i].Index = first + i
	}
	return trace
}

// since returns the indices from the first one on, nil for none.
func since(indices []int, first int) []int {
	kept := slices.DeleteFunc(slices.Clone(indices), func(i int) bool { return i < first })
	if len(kept) == 0 {
		return nil
	}
	return kept
}
