package main

import (
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestASampleIsOfAllRuns: one of those that can be read alone is printed, and is no success.
func TestASampleIsOfAllRuns(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	call := `{"type":"tool_call","tool":"bash","args":{"command":"make"}}` + "\n"
	write(t, folder, "whole.jsonl", call+call)
	sample := []string{"label", "--sample", "1", "--by", "history", folder}
	try(t, folder, []invocation{{"whole", nil, sample, conformance.Conformant, "whole.jsonl"}})
	write(t, folder, "broken.jsonl", call+`{"type":"tool_ca`+"\n")
	try(t, folder, []invocation{{"beside a broken one", nil, sample, conformance.NotDecided, "left out: "}})
}

// TestLabelsThatCannotBeComparedAreAFault of the files, and not of the call.
func TestLabelsThatCannotBeComparedAreAFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const label = `{"corpus":"c","run":"a.jsonl","labeller":"ann","steps":%d,"spans":[],"finished":%v}`
	write(t, folder, "a", fmt.Sprintf(label, 6, true))
	write(t, folder, "b", fmt.Sprintf(label, 7, true))
	write(t, folder, "c", fmt.Sprintf(label, 6, false))
	for other, want := range map[string]string{"@/b": "has 6 steps for ann and 7 for ann", "@/c": "no run is finished in both"} {
		out, outcome := run(t, folder, nil, "label", "--agreement", "@/a", other)
		if outcome != conformance.NotDecided || !says(out, want) {
			t.Errorf("%s: got %s:\n%s", other, outcome, out)
		}
	}
}
