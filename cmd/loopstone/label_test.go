package main

import (
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
