package fuzz_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// seedWithEvents gives a target the events of the suite's cases, as JSON. A suite without any fails it.
func seedWithEvents(f *testing.F) {
	f.Helper()
	all, err := cases.All()
	if err != nil {
		f.Fatal(err)
	}
	seeds := 0
	for _, c := range all {
		for _, step := range c.Steps {
			for _, event := range step.Events {
				f.Add([]byte(event.String()))
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("the target has no seeds")
	}
}

// FuzzEvent feeds JSON to the parser of values and of events: what is accepted is written and read back as the same,
// and a refusal names a member.
func FuzzEvent(f *testing.F) {
	seedWithEvents(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := spec.ParseValue(text)
		if err != nil {
			return
		}
		again, err := spec.ParseValue(v.AppendJSON(nil))
		if err != nil || !again.Equal(v) {
			t.Fatalf("%s was read back as %s, %v", v, again, err)
		}
		_, err = spec.DecodeEvent(v)
		var fault *spec.Fault
		if err != nil && (!errors.As(err, &fault) || fault.Field == "") {
			t.Errorf("%s is refused without a field: %v", v, err)
		}
	})
}

// FuzzState feeds states to every detector: one that is refused is refused with invalid_state and changes nothing, and
// one that is accepted can be taken out again.
func FuzzState(f *testing.F) {
	port := reference.Port()
	seeds := 0
	all, err := cases.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range all {
		for _, step := range c.Steps {
			if step.Action == cases.Restore && step.Name == "" {
				f.Add(string(c.Detector), step.State.String())
				seeds++
			}
		}
	}
	if seeds == 0 {
		f.Fatal("the target has no seeds")
	}
	f.Fuzz(func(t *testing.T, detector, text string) {
		definition, known := spec.DefinitionOf(spec.DetectorID(detector))
		state, err := spec.ParseValue([]byte(text))
		if !known || err != nil {
			return
		}
		session, err := port.Open(t.Context(), definition.ID, definition.Readings[0], spec.Value{})
		if err != nil {
			t.Fatal(err)
		}
		before, err := session.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		refusal := session.Restore(t.Context(), state)
		after, err := session.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var fault *spec.Fault
		if refusal != nil && (!errors.As(refusal, &fault) || fault.Kind != spec.InvalidState || !after.Equal(before)) {
			t.Errorf("%s: refused with %v, and %s became %s", state, refusal, before, after)
		}
	})
}

// FuzzLaws lets the fuzzer drive the generators: every law holds for the reference.
func FuzzLaws(f *testing.F) {
	port := reference.Port()
	description, err := port.Describe(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	all, err := cases.All()
	if err != nil || len(all) == 0 {
		f.Fatalf("the target has no seeds: %v", err)
	}
	for _, c := range all {
		f.Add([]byte(c.Demand().String())) // rapid takes the bytes for what it draws
	}
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		offer := description.Detectors[rapid.IntRange(0, len(description.Detectors)-1).Draw(t, "detector")]
		reading := offer.Readings[rapid.IntRange(0, len(offer.Readings)-1).Draw(t, "reading")]
		checks := fuzz.LawChecks(offer)
		check := checks[rapid.IntRange(0, len(checks)-1).Draw(t, "law")]
		subject := generate.For(offer, reading)(t)
		if !check.About(subject) {
			return
		}
		if err := check.Run(t.Context(), port, subject); err != nil {
			t.Fatalf("%s: %v on %s", check.ID, err, subject.Value())
		}
	}))
}
