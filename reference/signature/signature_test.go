package signature

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// session is a session of the reference in one reading, with its configuration.
type session struct {
	spec.Session
	reading           spec.Reading
	threshold, window int
}

// settings draws a reading and a configuration with small numbers, at and around the edges of the window.
func settings(t *rapid.T) (reading spec.Reading, threshold, window int) {
	return rapid.SampledFrom([]spec.Reading{spec.Code, spec.Text}).Draw(t, "reading"),
		rapid.IntRange(1, 7).Draw(t, "threshold"), rapid.IntRange(1, 7).Draw(t, "window")
}

func open(t *rapid.T, reading spec.Reading, threshold, window int) session {
	config := spec.MustParse(fmt.Sprintf(`{"threshold":%d,"window":%d}`, threshold, window))
	host := spec.NewHost(spec.Description{}, Implementation())
	s, err := host.Open(context.Background(), spec.Signature, reading, config)
	if err != nil {
		t.Fatalf("open %s with %s: %v", reading, config, err)
	}
	return session{s, reading, threshold, window}
}

func (s session) again(t *rapid.T) session { return open(t, s.reading, s.threshold, s.window) }

func (s session) observe(t *rapid.T, events []spec.Value) []spec.Value {
	verdicts, err := s.Observe(context.Background(), events)
	if err != nil {
		t.Fatalf("observe: %v", err)
	}
	return verdicts
}

// trace draws events of few different outputs, so that they repeat at all distances, with events between them that do
// not count.
func trace(t *rapid.T) []spec.Value {
	n := rapid.IntRange(0, 24).Draw(t, "events")
	event := rapid.Custom(func(t *rapid.T) spec.Value {
		if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
			return spec.MustParse(`{"type":"tool_call","tool":"ls"}`)
		}
		text := rapid.SampledFrom([]string{"a", "A", "b", "", "Fixed x.go - added y", "Updated x.go, added y"}).Draw(t, "text")
		return spec.ObjectValue(
			spec.Member{Name: "type", Value: spec.StringValue("output")}, spec.Member{Name: "text", Value: spec.StringValue(text)})
	})
	return rapid.SliceOfN(event, n, n).Draw(t, "trace")
}

// naive restates both rules: every verdict is counted out of the whole trace.
func naive(s session, events []spec.Value) []spec.Value {
	verdicts := make([]spec.Value, len(events))
	var signatures []string
	var indices []int
	for i, e := range events {
		verdicts[i] = spec.Verdict{}.Value()
		text, isOutput := e.Get("text").Str()
		if !isOutput {
			continue
		}
		signature := extractorOf(s.reading)(text, nil)
		v := spec.Verdict{HasSignature: true, Signature: signature}
		for j := len(signatures) - 1; j >= 0; j-- {
			if back := len(signatures) - j; s.tooFar(back) || s.reading == spec.Text && signatures[j] != signature {
				break
			}
			if signatures[j] == signature {
				v.Evidence = append(v.Evidence, indices[j])
			}
		}
		slices.Reverse(v.Evidence)
		v.Evidence = append(v.Evidence, i)
		if v.Count = len(v.Evidence); v.Count >= s.threshold {
			v.Loop, v.Kind = true, spec.KindSignature
		} else {
			v.Evidence = nil
		}
		verdicts[i] = v.Value()
		signatures, indices = append(signatures, signature), append(indices, i)
	}
	return verdicts
}

// tooFar reports whether an output that many before the current one is out of sight.
func (s session) tooFar(back int) bool {
	if s.reading == spec.Code {
		return back > s.threshold || back > s.window
	}
	return back >= s.window
}

var values = cmp.Comparer(spec.Value.Equal)

func TestVerdictsAreThoseOfTheWholeTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := openAny(t)
		events := trace(t)
		if diff := cmp.Diff(naive(s, events), s.observe(t, events), values); diff != "" {
			t.Fatalf("%+v with %v (-want +got):\n%s", s, events, diff)
		}
	})
}

func TestBatchesDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := openAny(t)
		events := trace(t)
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		got := append(s.observe(t, events[:cut]), s.observe(t, events[cut:])...)
		if diff := cmp.Diff(s.again(t).observe(t, events), got, values); diff != "" {
			t.Fatalf("cut at %d of %v (-whole +cut):\n%s", cut, events, diff)
		}
	})
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := openAny(t)
		s.observe(t, trace(t))
		if err := s.Reset(context.Background()); err != nil {
			t.Fatal(err)
		}
		events := trace(t)
		want := withoutEvidence(s.again(t).observe(t, events))
		if diff := cmp.Diff(want, withoutEvidence(s.observe(t, events)), values); diff != "" {
			t.Fatalf("after reset %v (-fresh +reset):\n%s", events, diff)
		}
	})
}

func TestWindowForgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := openAny(t)
		s.observe(t, trace(t))
		last := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", ""}), s.window, s.window).Draw(t, "a window of outputs")
		var events []spec.Value
		for _, text := range append(last, "a") {
			events = append(events, spec.MustParse(fmt.Sprintf(`{"type":"output","text":%q}`, text)))
		}
		want := withoutEvidence(s.again(t).observe(t, events))[s.window]
		if got := withoutEvidence(s.observe(t, events))[s.window]; !got.Equal(want) {
			t.Fatalf("after a window of %v: %s, in a fresh session %s", last, got, want)
		}
	})
}

func TestRestoredSessionGoesOnAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		original := openAny(t)
		restored := original.again(t)
		original.observe(t, trace(t))
		restored.observe(t, trace(t))
		state, err := original.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := restored.Restore(context.Background(), state); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		events := trace(t)
		want := withoutEvidence(original.observe(t, events))
		if diff := cmp.Diff(want, withoutEvidence(restored.observe(t, events)), values); diff != "" {
			t.Fatalf("after restore of %s, %v (-original +restored):\n%s", state, events, diff)
		}
	})
}

func TestSessionsAreIsolated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := openAny(t)
		two := one.again(t)
		events, others := trace(t), trace(t)
		got := []spec.Value{}
		for i := range events {
			got = append(got, one.observe(t, events[i:i+1])...)
			two.observe(t, others[min(i, len(others)):min(i+1, len(others))])
		}
		if diff := cmp.Diff(one.again(t).observe(t, events), got, values); diff != "" {
			t.Fatalf("beside another session (-alone +beside):\n%s", diff)
		}
	})
}

func openAny(t *rapid.T) session {
	reading, threshold, window := settings(t)
	return open(t, reading, threshold, window)
}

func withoutEvidence(verdicts []spec.Value) []spec.Value {
	bare := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		bare[i] = v.Without("evidence")
	}
	return bare
}
