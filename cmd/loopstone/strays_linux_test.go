package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// TestStraysAreNamed: a process that left the adapter's process group cannot be ended with it; whoever runs the tool is
// told which one it is, by every command that starts an adapter.
func TestStraysAreNamed(t *testing.T) {
	long(t, "it starts ports of each kind")
	t.Parallel()
	logs := filepath.Join("..", "..", "internal", "lab", "agentlogs", "testdata")
	statement := filepath.Join(t.TempDir(), "statement.jsonl")
	run(t, "", portOf(t, "similar.py"), "test", "--no-properties", "--detector", "ralph", "--statement", statement)
	for _, command := range [][]string{
		{"test", "--detector", "ralph", "--no-properties"},
		{"fuzz", "--for", "1ms", "--jobs", "1"},
		{"bench", "--run", "tight-loop", "--count", "1", "--time", "1ms"},
		{"check-adapter", "--timeout", "20s"},
		{"verify", statement},
		{"replay", "--detector", "ralph", filepath.Join(logs, "codex.jsonl")},
		{"score", "--detector", "ralph", filepath.Join("..", "..", "internal", "lab", "score", "testdata", "study")},
		{"differ", "ralph", "ralph", "--traces", "1"},
		{"test", "--against", "env", "PYTHONPATH=" + kit(t), "python3", filepath.Join("testdata", "ports", "similar.py")},
	} {
		t.Run(strings.Join(command[:2], " "), func(t *testing.T) {
			t.Parallel()
			mark := faultyadapter.Mark(t.Name())
			defer faultyadapter.Kill(mark + "\x00")
			const script = `setsid sh -c ': > "$0"; exec sleep 300' "$0" </dev/null >/dev/null 2>&1 &
				until [ -e "$0" ]; do sleep 0.01; done; exec "$@"` // not before the group is left
			port := []string{"--", "env", mark, "sh", "-c", script, filepath.Join(t.TempDir(), "left")}
			port = append(port, portOf(t, "similar.py")[1:]...)
			out, outcome := run(t, t.TempDir(), port, command...)
			if outcome > conformance.NotDecided || !says(out, "left its process group and was not ended") || !says(out, "sleep 300") {
				t.Errorf("%s, want the name of what is left:\n%s", outcome, out)
			}
		})
	}
}
