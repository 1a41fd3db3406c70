package signature

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{Detector: spec.Signature, Rules: rules.New, Twin: New, Configs: anyConfig, Traces: anyTrace}.Check(t)
}

// anyConfig draws small numbers, at and around the edges of the window.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "threshold", Value: spec.IntValue(rapid.IntRange(1, 7).Draw(t, "threshold"))},
		spec.Member{Name: "window", Value: spec.IntValue(rapid.IntRange(1, 7).Draw(t, "window"))},
	)
}

// anyTrace draws events of few different outputs, so that they repeat at all distances, with events between them that
// do not count.
func anyTrace(t *rapid.T) []spec.Event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) spec.Event {
		if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
			return spec.Event{Type: spec.ToolCall, Tool: "ls"}
		}
		texts := []string{"a", "A", "b", "", "Fixed x.go - added y", "Updated x.go, added y"}
		return spec.Event{Type: spec.Output, Text: rapid.SampledFrom(texts).Draw(t, "text")}
	}), 0, 24).Draw(t, "trace")
}

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	for reading, states := range map[spec.Reading]map[string]string{
		spec.Code: {
			"more than the rule looks at":    `{"signatures":["a","b","c"]}`,
			"the state of the other reading": `{"signature":"a","run":1}`,
		},
		spec.Text: {
			"a negative run":               `{"signature":"a","run":-1}`,
			"a run longer than the window": `{"signature":"a","run":4}`,
			"a signature without a run":    `{"signature":"a","run":0}`,
			"an unknown member":            `{"signature":"a","run":1,"more":1}`,
		},
	} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			d := newDetector(rules.Config{Reading: reading, Threshold: 2, Window: 3})
			d.Observe(spec.Event{Type: spec.Output, Text: "kept"})
			return d
		}, states)
	}
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
