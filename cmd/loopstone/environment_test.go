package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestARunnersVariablesAreHeeded: the parts of a suite are the same as by --shard, counted from 0, and each has its report.
func TestARunnersVariablesAreHeeded(t *testing.T) {
	folder := t.TempDir()
	xml, status := filepath.Join(folder, "test.xml"), filepath.Join(folder, "status")
	t.Setenv("TEST_TOTAL_SHARDS", "3")
	t.Setenv("TEST_SHARD_INDEX", "1")
	t.Setenv("TEST_SHARD_STATUS_FILE", status)
	t.Setenv("XML_OUTPUT_FILE", xml)
	args := []string{"test", "--no-properties", "--case", "history-thr*", "--report", "jsonl"}
	byVariable, outcome := run(t, folder, referencePort(t), args...)
	if outcome != conformance.Conformant || !strings.Contains(read(t, xml), "<testsuite") {
		t.Errorf("%s:\n%s", outcome, byVariable)
	}
	if _, err := os.Stat(status); err != nil {
		t.Error(err)
	}
	t.Setenv("TEST_SHARD_INDEX", "")
	if out, outcome := run(t, folder, referencePort(t), args...); outcome != conformance.Usage || !strings.Contains(out, "TEST_SHARD_INDEX") {
		t.Errorf("without an index: %s:\n%s", outcome, out)
	}
	byFlag, _ := run(t, folder, referencePort(t), append(args, "--shard", "2/3")...)
	cases := regexp.MustCompile(`"case":"[^"]+"`)
	if !slices.Equal(cases.FindAllString(byFlag, -1), cases.FindAllString(byVariable, -1)) {
		t.Errorf("by --shard 2/3:\n%s\nby Bazel's variables:\n%s", byFlag, byVariable)
	}
}

// TestAPartByTheEnvironmentIsTold: nobody sees a variable in the command, so that a strict run over a part has to keep what
// is merged, or decides nothing.
func TestAPartByTheEnvironmentIsTold(t *testing.T) {
	folder := t.TempDir()
	ours := map[string]string{"LOOPSTONE_SHARD": "2/9"}
	bazels := map[string]string{"TEST_TOTAL_SHARDS": "9", "TEST_SHARD_INDEX": "1"}
	for _, tt := range []struct {
		reason string
		env    map[string]string
		flags  []string
		want   conformance.Outcome
		says   string
	}{
		{"a part is named", ours, nil, conformance.Conformant, "part 2/9 alone, as LOOPSTONE_SHARD says"},
		{"a strict part decides nothing", ours, []string{"--strict"}, conformance.NotDecided, "--report jsonl=FILE"},
		{"nor does Bazel's", bazels, []string{"--strict"}, conformance.NotDecided, "part 2/9 alone, as TEST_TOTAL_SHARDS says"},
		{"a part that is kept can be merged", ours, []string{"--strict", "--report", "text", "--report", "jsonl=@/2.jsonl"}, conformance.Conformant, "as LOOPSTONE_SHARD says"},
		{"a flag is seen", nil, []string{"--strict", "--shard", "2/9"}, conformance.Conformant, "conformant"},
		{"a flag goes first", map[string]string{"LOOPSTONE_SHARD": "4/3"}, []string{"--shard", "2/9"}, conformance.Conformant, "conformant"},
		{"a part that there is not", map[string]string{"LOOPSTONE_SHARD": "4/3"}, nil, conformance.Usage, `LOOPSTONE_SHARD: the shard "4/3"`},
		{"nor does Bazel have it", map[string]string{"TEST_TOTAL_SHARDS": "3", "TEST_SHARD_INDEX": "3"}, nil, conformance.Usage, `TEST_TOTAL_SHARDS: the shard "4/3"`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			for name, value := range tt.env {
				t.Setenv(name, value)
			}
			args := append([]string{"test", "--case", "history-*", "--checks", "1", "--allow", "shared"}, tt.flags...)
			out, outcome := run(t, folder, referencePort(t), args...)
			if outcome != tt.want || !says(out, tt.says) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, tt.want, tt.says, out)
			}
		})
	}
}

// TestOwnCasesHaveABadgeOfTheirOwn: they say nothing of the suite's.
func TestOwnCasesHaveABadgeOfTheirOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "history.yaml", "detector: history\ncases:\n  - {id: history-third-identical-call, title: A new case, clauses: [HI-1], "+
		"source: silent, why: It is new.,\n     steps: [{reset: true}]}\n")
	out, outcome := run(t, folder, referencePort(t), "test", "--cases", folder, "--report", "badge")
	if outcome != conformance.Conformant || !says(out, "own cases: 1/1 conformant") || strings.Contains(out, "brightgreen") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
}
