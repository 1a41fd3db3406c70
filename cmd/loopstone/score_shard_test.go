package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestMergedShardsAreTheWholeScore: exit code, text and JSON are those of one run.
func TestMergedShardsAreTheWholeScore(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join("..", "..", "recordings")
	folder := t.TempDir()
	merge := []string{"score", "--merge"}
	for i := range 3 {
		out, outcome := dispatched(t.Context(), []string{"score", "--shard", fmt.Sprintf("%d/3", i+1), corpus})
		if outcome != conformance.Conformant {
			t.Fatalf("shard %d is %v:\n%s", i+1, outcome, out)
		}
		merge = append(merge, write(t, folder, fmt.Sprintf("part-%d.jsonl", i+1), out))
	}
	for _, flags := range [][]string{{}, {"--json"}, {"--min-recall", "1"}} {
		want, wantOutcome := dispatched(t.Context(), append([]string{"score", corpus}, flags...))
		got, outcome := dispatched(t.Context(), append(merge, flags...))
		if got != want || outcome != wantOutcome {
			t.Errorf("%v: the shards are %v:\n%s\nwant %v:\n%s", flags, outcome, got, wantOutcome, want)
		}
	}
}

// TestALabelThatDoesNotCountIsTold: a run that a sample names without a weight keeps its outcome alone.
func TestALabelThatDoesNotCountIsTold(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const event = `{"type":"tool_call","tool":"t","args":{}}` + "\n"
	write(t, folder, "a.jsonl", event)
	write(t, folder, "b.jsonl", event)
	write(t, folder, "corpus.yaml", "source: x\nlicence: z\nruns:\n  - {file: a.jsonl, loop: true}\n  - {file: b.jsonl, loop: false}\n")
	corpus, out := filepath.Base(folder), t.TempDir()
	without := fmt.Sprintf(`{"corpus":%q,"run":"a.jsonl"}`+"\n", corpus)
	write(t, out, "none", without)
	write(t, out, "one", without+fmt.Sprintf(`{"corpus":%q,"run":"b.jsonl","weight":2}`+"\n", corpus))
	try(t, out, []invocation{
		{"one of two", nil, []string{"score", "--runs", "@/one", folder}, conformance.Conformant, "1 run: its label does not count"},
		{"all", nil, []string{"score", "--runs", "@/none", folder}, conformance.NotDecided, "no label counts: the sample"},
	})
}

// TestNoRunIsBlamedForTheEndOfAPort: runs are scored side by side, and their sessions end together with the port.
func TestNoRunIsBlamedForTheEndOfAPort(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var runs string
	for _, name := range []string{"a", "b"} {
		write(t, folder, name+".jsonl", fmt.Sprintf(`{"type":"tool_call","tool":"t","args":{"c":%q}}`+"\n", name))
		runs += "  - {file: " + name + ".jsonl, loop: true}\n"
	}
	write(t, folder, "corpus.yaml", "source: x\nlicence: z\nruns:\n"+runs)
	port := []string{"--", "sh", "-c", `stdbuf -oL sed '/"c":"b"/Q' | "$0" serve; echo had enough >&2`, builtTool}
	out, outcome := run(t, "", port, "score", "--detector", "history", folder)
	if outcome != conformance.AdapterFault || !says(out, "standard error: had enough") || strings.Contains(out, "the run ") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
	out, outcome = run(t, "", port, "replay", "--detector", "history", filepath.Join(folder, "b.jsonl"))
	if outcome != conformance.AdapterFault || !says(out, "standard error: had enough") || says(out, "close the session") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
}
