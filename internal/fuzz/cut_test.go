package fuzz

import (
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

func TestTheCutThatPartsAPairIsSeen(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		why, text string
		want      bool
	}{
		{"the pair is the units 50 and 51", x(49) + "😀", true},
		{"the pair is before the cut", x(48) + "😀", false},
		{"the pair is behind the cut", x(50) + "😀", false},
		{"an earlier pair counts twice", "😀" + x(47) + "😀", true},
		{"an earlier character of two bytes counts once", "é" + x(48) + "😀", true},
		{"a character of three bytes is no pair", x(49) + "～", false},
		{"a short text is not cut", "😀", false},
	}
	for _, test := range tests {
		if got := cutPartsPair(test.text, 50); got != test.want {
			t.Errorf("%s: %q: got %t", test.why, test.text, got)
		}
	}
}

// TestShrinkingKeepsPairsWhole shrinks an output whose shortest form would be cut within its last character.
func TestShrinkingKeepsPairsWhole(t *testing.T) {
	t.Parallel()
	output := spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue("output")},
		spec.Member{Name: "text", Value: spec.StringValue(strings.Repeat("x", 60) + "😀")},
	)
	subject := Subject{Trace: laws.Trace{
		Detector: spec.Signature, Reading: spec.Code, Steps: []laws.Step{{Event: output}},
	}}
	got := shrink(subject, time.Minute, func(s Subject) bool {
		if len(s.Steps) == 0 {
			return false
		}
		text, _ := s.Steps[0].Event.Get("text").Str()
		return strings.HasSuffix(text, "😀") && len([]rune(text)) >= 50
	})
	text, _ := got.Steps[0].Event.Get("text").Str()
	if want := strings.Repeat("a", 50) + "😀"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if outside(got) {
		t.Errorf("%s lies outside the specification", got.Value())
	}
}
