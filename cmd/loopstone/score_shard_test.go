package main

import (
	"fmt"
	"path/filepath"
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
