package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// results writes a file of results of one benchmark around so many nanoseconds.
func results(t *testing.T, cpu string, ns, allocs int) string {
	t.Helper()
	text := "goos: linux\ncpu: " + cpu + "\n"
	for i := range 10 {
		text += fmt.Sprintf("BenchmarkObserve-2 1000 %d ns/op %d allocs/op\n", ns+i, allocs)
	}
	file := filepath.Join(t.TempDir(), "results.txt")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBenchCompareExitsAsItJudges(t *testing.T) {
	t.Parallel()
	old := results(t, "a", 800, 3)
	empty := filepath.Join(t.TempDir(), "empty.txt")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		words  []string
		want   conformance.Outcome
	}{
		{"the same", []string{old, results(t, "a", 801, 3), "--gate", "25%"}, conformance.Conformant},
		{"40 % slower", []string{old, results(t, "a", 1120, 3), "--gate", "25%"}, conformance.NotConformant},
		{"the flag stands before the files", []string{"--gate", "25%", old, results(t, "a", 1120, 3)}, conformance.NotConformant},
		{"40 % slower, and no gate", []string{old, results(t, "a", 1120, 3)}, conformance.Conformant},
		{"an allocation more", []string{old, results(t, "a", 800, 4), "--gate", "25%"}, conformance.NotConformant},
		{"another machine", []string{old, results(t, "b", 801, 3), "--gate", "25%"}, conformance.NotDecided},
		{"another machine, as asked for", []string{old, results(t, "b", 801, 3), "--gate", "25%", "--any-machine"}, conformance.Conformant},
		{"a gate that is no number", []string{old, old, "--gate", "much"}, conformance.Usage},
		{"one file", []string{old}, conformance.Usage},
		{"a file that is not there", []string{old, "no-such-file"}, conformance.Usage},
		{"a file without results", []string{old, empty}, conformance.Usage},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			out, got := run(t, "", nil, append([]string{"bench", "compare"}, tt.words...)...)
			if got != tt.want {
				t.Errorf("exit code %d, want %d:\n%s", got, tt.want, out)
			}
		})
	}
}

func TestBenchPrintsResultsThatBenchCompareReads(t *testing.T) {
	t.Parallel()
	measure := func() string {
		out, outcome := run(t, "", nil, "bench", "--run", "history.*tight-loop", "--count", "4", "--time", "1ms")
		if outcome != conformance.Conformant || strings.Count(out, "\nBenchmarkPipe/detector=history/reading=code/workload=tight-loop ") != 4 {
			t.Fatalf("exit code %d:\n%s", outcome, out)
		}
		file := filepath.Join(t.TempDir(), "results.txt")
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	out, outcome := run(t, "", nil, "bench", "compare", measure(), measure())
	if outcome != conformance.Conformant || !strings.Contains(out, "sec/event") || !strings.Contains(out, "events/s") {
		t.Errorf("exit code %d:\n%s", outcome, out)
	}
}

func TestBenchVersusComparesTwoPorts(t *testing.T) {
	t.Parallel()
	self := builtTool
	out, outcome := run(t, "", nil, "bench", "--run", "history.*tight-loop", "--count", "4", "--time", "1ms", "--", self, "serve", "--vs", self, "serve")
	if outcome != conformance.Conformant || !strings.Contains(out, "vs behind --vs") {
		t.Errorf("exit code %d:\n%s", outcome, out)
	}
}

// TestTheGateJudgesThePortBeforeVersus runs the example of the help with two ports, one of which works 40 times as much
// for each event.
func TestTheGateJudgesThePortBeforeVersus(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kit, err := filepath.Abs(filepath.Join("..", "..", "conformance", "adapters", "python"))
	if err != nil {
		t.Fatal(err)
	}
	const port = `import sys
sys.path.insert(0, %q)
import loopstone

class Port:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        pass

    def reset(self):
        pass

    def observe(self, event):
        for _ in range(%d):
            pass
        return {"loop": False, "count": 0}

loopstone.serve("port", "1.0", Port)
`
	for name, work := range map[string]int{"slow.py": 200_000, "fast.py": 5_000} {
		if err := os.WriteFile(filepath.Join(folder, name), fmt.Appendf(nil, port, kit, work), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gate := func(new, old string) (string, conformance.Outcome) {
		return run(t, "", nil, "bench", "--gate", "25%", "--run", "workload=tight-loop", "--time", "10ms", "--",
			"python3", filepath.Join(folder, new), "--vs", "python3", filepath.Join(folder, old))
	}
	if out, got := gate("slow.py", "fast.py"); got != conformance.NotConformant {
		t.Errorf("a new port that is slower: exit code %d:\n%s", got, out)
	}
	if out, got := gate("fast.py", "slow.py"); got != conformance.Conformant {
		t.Errorf("a new port that is faster: exit code %d:\n%s", got, out)
	}
}

func TestGrowthMeasuresWhatIsNamed(t *testing.T) {
	t.Parallel()
	out, outcome := run(t, "", nil, "bench", "--growth", "--run", "(history|swarm)/", "--events", "64")
	if outcome != conformance.Conformant && outcome != conformance.NotConformant { // so few events may look like growth
		t.Fatalf("exit code %d:\n%s", outcome, out)
	}
	for want, n := range map[string]int{"history (code)": 1, "swarm (text)": 1, "crow": 0} {
		if got := strings.Count(strings.ReplaceAll(out, "PR-36 (SHOULD): ", ""), " "+want+"  "); got != n {
			t.Errorf("%d rows of %q, want %d, in\n%s", got, want, n, out)
		}
	}
}

func TestBenchRefusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		words  []string
		want   conformance.Outcome
	}{
		{"a pattern that matches nothing", []string{"--run", "no-such-workload"}, conformance.Usage},
		{"a pattern that is none", []string{"--run", "("}, conformance.Usage},
		{"no samples", []string{"--count", "0"}, conformance.Usage},
		{"a gate without a second port", []string{"--gate", "25%"}, conformance.Usage},
		{"growth of what is not there", []string{"--growth", "--run", "no-such-workload"}, conformance.Usage},
		{"growth of two ports", []string{"--growth", "--", "a", "--vs", "b"}, conformance.Usage},
		{"a port that does not start", []string{"--", "/no/such/port"}, conformance.AdapterFault},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			if out, got := run(t, "", nil, append([]string{"bench"}, tt.words...)...); got != tt.want {
				t.Errorf("exit code %d, want %d:\n%s", got, tt.want, out)
			}
		})
	}
}
