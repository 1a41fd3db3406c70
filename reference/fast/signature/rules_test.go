package signature

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

var byRules, byTwin = detectortest.Twins(spec.Signature, rules.New, New)

func TestDetectorGivesTheVerdictsOfTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		detector := openAny(t)
		plain := detector.again(t, byRules)
		for range rapid.IntRange(1, 3).Draw(t, "traces") {
			events := trace(t)
			if diff := cmp.Diff(plain.observe(t, events), detector.observe(t, events), values); diff != "" {
				t.Fatalf("%+v with %v (-rules +detector):\n%s", detector, events, diff)
			}
			detector.reset(t)
			plain.reset(t)
		}
	})
}

func TestSignaturesAreThoseOfThePatterns(t *testing.T) {
	t.Parallel()
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		t.Run(string(reading), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				output := drawOutput(t)
				if got, want := signatureOf(reading, output), rules.Of(reading, output); got != want {
					t.Fatalf("%q: got %q, want %q", output, got, want)
				}
			})
		})
	}
}

func TestRestoredSessionGoesOnAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		original := openAny(t)
		restored := original.again(t, byTwin)
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

func open(t *rapid.T, port spec.Implementation, reading spec.Reading, threshold, window int) session {
	config := spec.MustParse(fmt.Sprintf(`{"threshold":%d,"window":%d}`, threshold, window))
	host := spec.NewHost(spec.Description{}, port)
	s, err := host.Open(context.Background(), spec.Signature, reading, config)
	if err != nil {
		t.Fatalf("open %s with %s: %v", reading, config, err)
	}
	return session{s, reading, threshold, window}
}

// again opens a session of that port with the same configuration.
func (s session) again(t *rapid.T, port spec.Implementation) session {
	return open(t, port, s.reading, s.threshold, s.window)
}

func (s session) reset(t *rapid.T) {
	if err := s.Reset(context.Background()); err != nil {
		t.Fatalf("reset: %v", err)
	}
}

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
		texts := []string{"a", "A", "b", "", "Fixed x.go - added y", "Updated x.go, added y"}
		text := rapid.SampledFrom(texts).Draw(t, "text")
		return spec.ObjectValue(
			spec.Member{Name: "type", Value: spec.StringValue("output")},
			spec.Member{Name: "text", Value: spec.StringValue(text)})
	})
	return rapid.SliceOfN(event, n, n).Draw(t, "trace")
}

var values = cmp.Comparer(spec.Value.Equal)

func openAny(t *rapid.T) session {
	reading, threshold, window := settings(t)
	return open(t, byTwin, reading, threshold, window)
}

func withoutEvidence(verdicts []spec.Value) []spec.Value {
	bare := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		bare[i] = v.Without("evidence")
	}
	return bare
}

// fragments are what outputs are made of: the words of all patterns, whole and in parts, names, and characters at
// which languages differ.
var fragments = []string{
	"Error", "ERROR:", "Error:", "TypeError", "errorerror", ":", "-", "-", "at", "AT", "format", "attat",
	"ate", "a", "t", "É", "failed", "failing", "Fail", "fail:", "1", "2", "20", "0", "test", "tests", "Tests",
	"3 tests failed", "1 failed: x.ts - a, b", "Modified", "changed", "UPDATED", "fixed", "prefixed", "added",
	"Removed", "refactored", "auth.ts", "a.tsx", "x.json", ".ts", "b.JS", "a.ts.go", "é.py", "src/a.ts:45",
	"a.ts:4:5", ":4", "null", "check", "in-place", "for", "To", "with", "user.profile", "Searched",
	"Researched", "'", "''", "'oauth2 Token'", "ſ", "teſt", "K", "Σ", "İ", "😀", "_", ",", ", ", ".", "(", ")",
	"--", "a-b",
}

var separators = []string{
	" ", " ", " ", " ", "", "", "\t", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "\u3000", "  ", "\u0085",
	" - ", ", ",
}

func drawOutput(t *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 16).Draw(t, "fragments") {
		b.WriteString(rapid.SampledFrom(fragments).Draw(t, "fragment"))
		b.WriteString(rapid.SampledFrom(separators).Draw(t, "separator"))
	}
	return b.String()
}
