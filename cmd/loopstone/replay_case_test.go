package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestARecordedCaseIsACase: what replay --case prints, whatever word the user gives it for a name, is a case that test --cases
// runs.
func TestARecordedCaseIsACase(t *testing.T) {
	t.Parallel()
	recorded := filepath.Join("..", "..", "recordings", "failing-build.jsonl")
	printed, outcome := run(t, "", nil, "replay", "--detector", "@cline,history", "--case", "stuck-in-a-build", recorded)
	if outcome != conformance.Conformant {
		t.Fatalf("replay is %s:\n%s", outcome, printed)
	}
	suite := t.TempDir()
	write(t, suite, "recorded.yaml", printed)
	out, outcome := run(t, "", referencePort(t), "test", "--cases", suite, "--no-properties")
	if outcome != conformance.Conformant || !strings.Contains(out, "1 case") {
		t.Errorf("test is %s:\n%s\n%s", outcome, out, printed)
	}
}
