package ralph

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// trace draws events around the threshold: outputs of one base text with a few characters changed, empty ones, and
// events of a type that does not count.
func trace(t *rapid.T) []spec.Value {
	n := rapid.IntRange(0, 24).Draw(t, "events")
	text := rapid.Custom(func(t *rapid.T) string {
		base := []rune(rapid.SampledFrom([]string{"0123456789", "abcdefghij0123456789", "éa中b😀c"}).Draw(t, "base"))
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			base[rapid.IntRange(0, len(base)-1).Draw(t, "at")] = rapid.SampledFrom([]rune("xy")).Draw(t, "to")
		}
		return string(base)
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Value {
		switch rapid.IntRange(0, 11).Draw(t, "sort") {
		case 0:
			return spec.MustParse(`{"type":"test_run","passed":false}`)
		case 1:
			return outputEvent("")
		default:
			return outputEvent(text.Draw(t, "text"))
		}
	}), n, n).Draw(t, "trace")
}

func outputEvent(text string) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue("output")}, spec.Member{Name: "text", Value: spec.StringValue(text)})
}

func drawConfig(t *rapid.T) (config spec.Value, window, similarity int) {
	window = rapid.IntRange(1, 6).Draw(t, "window")
	similarity = rapid.SampledFrom([]int{1, 50, 80, 90, 95, 100, 101}).Draw(t, "similarity")
	return spec.ObjectValue(
		spec.Member{Name: "window", Value: spec.IntValue(window)},
		spec.Member{Name: "similarity", Value: spec.IntValue(similarity)},
	), window, similarity
}

func open(t *rapid.T, config spec.Value) spec.Session {
	host := spec.NewHost(spec.Description{}, Implementation())
	session, err := host.Open(context.Background(), spec.Ralph, spec.Text, config)
	if err != nil {
		t.Fatalf("open with %s: %v", config, err)
	}
	return session
}

func observe(t *rapid.T, s spec.Session, events []spec.Value) []spec.Value {
	verdicts, err := s.Observe(context.Background(), events)
	if err != nil {
		t.Fatalf("observe: %v", err)
	}
	return verdicts
}

// naive restates the rule: every verdict from the whole trace.
func naive(events []spec.Value, window, similarity int) []spec.Value {
	verdicts := make([]spec.Value, len(events))
	var kept []int
	for i, e := range events {
		verdicts[i] = spec.Verdict{}.Value()
		text, _ := e.Get("text").Str()
		if text == "" {
			continue
		}
		best, bestAt := 0.0, -1
		for _, j := range kept[max(len(kept)-window, 0):] {
			other, _ := events[j].Get("text").Str()
			a, b := []rune(other), []rune(text)
			common := naiveCommon(a, b)
			ratio := float64(200*common) / float64(len(a)+len(b))
			if 200*common >= similarity*(len(a)+len(b)) && ratio >= best {
				best, bestAt = ratio, j
			}
		}
		if bestAt >= 0 {
			verdicts[i] = spec.Verdict{Loop: true, Kind: spec.KindSimilar, Similarity: best, Evidence: []int{bestAt, i}}.Value()
		}
		kept = append(kept, i)
	}
	return verdicts
}

func TestVerdictsAreThoseOfTheWholeTrace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config, window, similarity := drawConfig(t)
		events := trace(t)
		if diff := cmp.Diff(naive(events, window, similarity), observe(t, open(t, config), events), values); diff != "" {
			t.Fatalf("%s with %v (-want +got):\n%s", config, events, diff)
		}
	})
}

var values = cmp.Comparer(spec.Value.Equal)

func TestBatchesDoNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config, _, _ := drawConfig(t)
		events := trace(t)
		cut := rapid.IntRange(0, len(events)).Draw(t, "cut")
		session := open(t, config)
		got := append(observe(t, session, events[:cut]), observe(t, session, events[cut:])...)
		if diff := cmp.Diff(observe(t, open(t, config), events), got, values); diff != "" {
			t.Fatalf("cut at %d of %v (-whole +cut):\n%s", cut, events, diff)
		}
	})
}

func TestResetIsAFreshSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config, _, _ := drawConfig(t)
		session := open(t, config)
		observe(t, session, trace(t))
		if err := session.Reset(context.Background()); err != nil {
			t.Fatal(err)
		}
		events := trace(t)
		want := withoutEvidence(observe(t, open(t, config), events))
		if diff := cmp.Diff(want, withoutEvidence(observe(t, session, events)), values); diff != "" {
			t.Fatalf("after reset %v (-fresh +reset):\n%s", events, diff)
		}
	})
}

func TestRestoredSessionGoesOnAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config, _, _ := drawConfig(t)
		original, restored := open(t, config), open(t, config)
		observe(t, original, trace(t))
		observe(t, restored, trace(t))
		state, err := original.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := restored.Restore(context.Background(), state); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		events := trace(t)
		want := withoutEvidence(observe(t, original, events))
		if diff := cmp.Diff(want, withoutEvidence(observe(t, restored, events)), values); diff != "" {
			t.Fatalf("after restore of %s, %v (-original +restored):\n%s", state, events, diff)
		}
	})
}

func TestSessionsAreIsolated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config, _, _ := drawConfig(t)
		events, others := trace(t), trace(t)
		host := spec.NewHost(spec.Description{}, Implementation())
		one, _ := host.Open(context.Background(), spec.Ralph, spec.Text, config)
		two, _ := host.Open(context.Background(), spec.Ralph, spec.Text, config)
		got := []spec.Value{}
		for i := range events {
			got = append(got, observe(t, one, events[i:i+1])...)
			observe(t, two, others[min(i, len(others)):min(i+1, len(others))])
		}
		if diff := cmp.Diff(observe(t, open(t, config), events), got, values); diff != "" {
			t.Fatalf("beside another session (-alone +beside):\n%s", diff)
		}
	})
}

func withoutEvidence(verdicts []spec.Value) []spec.Value {
	bare := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		bare[i] = v.Without("evidence")
	}
	return bare
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
			d, err := New(spec.MustParse(`{"window":2}`))
			if err != nil {
				t.Fatal(err)
			}
			d.Observe(spec.Event{Type: spec.Output, Text: "kept"})
			if err := d.Restore(spec.MustParse(state)); err == nil {
				t.Fatalf("restore %s: no error", state)
			}
			if v := d.Observe(spec.Event{Type: spec.Output, Text: "kept", Index: 1}); !v.Loop {
				t.Errorf("after the refused %s: %+v, want a loop", state, v)
			}
		})
	}
}
