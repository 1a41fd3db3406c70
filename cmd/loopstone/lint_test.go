package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// TestASilentContrastIsTold: lint names a contrast that the reference does not report.
func TestASilentContrastIsTold(t *testing.T) {
	t.Parallel()
	const text = `
detector: history
cases:
  - id: history-silent
    title: Two calls are no loop
    clauses: [HI-5]
    source: silent
    why: w
    steps:
      - tool_call: {tool: t}
        expect: {loop: false}
    contrast: {again: 1, expect: {loop: true, kind: repeat}}
`
	for twice, want := range map[string]string{
		text: "history/x.yaml:4: the reference fails history-silent (code) and its contrast",
		strings.Replace(text, "    steps", "    config: {repeat_threshold: 2}\n    steps", 1): "",
	} {
		all, err := cases.Parse("history/x.yaml", []byte(twice))
		if err != nil {
			t.Fatal(err)
		}
		err = lintContrasts(t.Context(), all)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestAPartWithoutACaseIsTold: lint names what the suite has no case for.
func TestAPartWithoutACaseIsTold(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := lintParts(t.Context(), all); err != nil {
		t.Errorf("the built-in suite: %v", err)
	}
	isOther := func(c cases.Case) bool { return c.Detector != spec.Ralph || !slices.Contains(c.Needs, spec.Replies) }
	const want = "no case tests the feature replies of ralph"
	if err := lintParts(t.Context(), lists.Filter(all, isOther)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}
