package main

import (
	"os"
	"path/filepath"
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
	args := []string{"test", "--no-properties", "--case", "history-thr*", "--report", "tap"}
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
	if byFlag != byVariable {
		t.Errorf("by --shard 2/3:\n%s\nby Bazel's variables:\n%s", byFlag, byVariable)
	}
	t.Setenv("TEST_TOTAL_SHARDS", "")
	t.Setenv("LOOPSTONE_SHARD", "2/3")
	if ours, _ := run(t, folder, referencePort(t), args...); ours != byFlag {
		t.Errorf("by --shard 2/3:\n%s\nby LOOPSTONE_SHARD:\n%s", byFlag, ours)
	}
	t.Setenv("LOOPSTONE_SHARD", "4/3")
	if again, _ := run(t, folder, referencePort(t), append(args, "--shard", "2/3")...); again != byFlag {
		t.Errorf("a flag does not go first:\n%s", again)
	}
	if out, outcome := run(t, folder, referencePort(t), args...); outcome != conformance.Usage || !strings.Contains(out, `"4/3"`) {
		t.Errorf("a part that there is not: %s:\n%s", outcome, out)
	}
}
