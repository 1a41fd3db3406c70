package main

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestDifferDecidesByWhatItSaw: a record that cannot be read, and traces that one side refuses, are no agreement.
func TestDifferDecidesByWhatItSaw(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	call := `{"type":"tool_call","tool":"bash","args":{"command":"make"}}` + "\n"
	write(t, folder, "whole.jsonl", call+call)
	write(t, folder, "broken.jsonl", call+call+`{"type":"tool_ca`+"\n")
	refuses := []string{"--", "sh", "-c", `"$0" serve | stdbuf -oL sed 's/"result":{"verdicts".*/"error":{"code":-32602,"message":"no",` +
		`"data":{"kind":"invalid_event","field":"type"}}}/'`, builtTool}
	same := []string{"differ", "history", "history", "--traces"}
	try(t, folder, []invocation{
		{"the same", nil, with(same, "20"), conformance.Conformant, "No difference"},
		{"the same, on a recording", nil, with(same, "0", "--corpus", "@/whole.jsonl"), conformance.Conformant, "1 trace shown"},
		{"a broken recording", nil, with(same, "0", "--corpus", "@/broken.jsonl"), conformance.NotDecided, "broken.jsonl"},
		{"a broken one beside traces", nil, with(same, "20", "--corpus", "@/broken.jsonl"), conformance.NotDecided, "broken.jsonl"},
		{"a port that refuses all", refuses, with(same, "20"), conformance.NotDecided, "refuses every trace"},
	})
}

// TestAPageOfAnyWidth: COLUMNS may be anything, and so may --width.
func TestAPageOfAnyWidth(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"differ", "--traces", "50", "history", "crow:text"},
		{"score", "--detector", "history", study},
		{"tune", "--price-lost", "1", study},
	} {
		for _, width := range []string{"1", "2", "3", "1000000000"} {
			if out, outcome := run(t, "", nil, with(args, "--width", width)...); outcome == conformance.SuiteFault {
				t.Errorf("%s --width %s: %s:\n%.500s", args[0], width, outcome, out)
			}
		}
	}
}
