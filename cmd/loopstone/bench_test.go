package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// results writes a file of results of one benchmark around so many nanoseconds.
func results(t *testing.T, folder, name, cpu string, ns int) {
	t.Helper()
	text := "goos: linux\ncpu: " + cpu + "\n"
	for i := range 10 {
		text += fmt.Sprintf("BenchmarkObserve-2 1000 %d ns/op 3 allocs/op\n", ns+i)
	}
	write(t, folder, name, text)
}

func TestBenchCompareExitsAsItJudges(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	results(t, folder, "old", "a", 800)
	results(t, folder, "same", "a", 801)
	results(t, folder, "slower", "a", 1120)
	results(t, folder, "elsewhere", "b", 801)
	write(t, folder, "empty", "")
	compare := func(new string, flags ...string) []string {
		return append([]string{"bench", "compare", "@/old", inFolder + new}, flags...)
	}
	try(t, folder, []invocation{
		{"the same", nil, compare("same", "--gate", "25%"), conformance.Conformant, ""},
		{"40 % slower", nil, compare("slower", "--gate", "25%"), conformance.NotConformant, "worse by more than 25%"},
		{"40 % slower, and no gate", nil, compare("slower"), conformance.Conformant, ""},
		{"another machine", nil, compare("elsewhere", "--gate", "25%"), conformance.NotDecided, ""},
		{"another machine, as asked for", nil, compare("elsewhere", "--gate", "25%", "--any-machine"), conformance.Conformant, ""},
		{"a gate that is no number", nil, compare("same", "--gate", "much"), conformance.Usage, ""},
		{"a file that is not there", nil, compare("nothing"), conformance.NotDecided, ""},
		{"a picture of no curve", nil, []string{"bench", "--reference", "--svg", "@/x.svg"}, conformance.Usage, "add --growth"},
		{"a file without results", nil, compare("empty"), conformance.NotDecided, ""},
	})
}

func TestBenchPrintsResultsThatBenchCompareReads(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"old", "new"} {
		out, outcome := run(t, "", nil, "bench", "--reference", "--run", "history.*tight-loop", "--count", "4", "--time", "1ms")
		if outcome != conformance.Conformant || strings.Count(out, "\nBenchmarkPipe/detector=history/reading=code/workload=tight-loop ") != 4 {
			t.Fatalf("exit code %d:\n%s", outcome, out)
		}
		write(t, folder, name, out)
	}
	out, outcome := run(t, folder, nil, "bench", "compare", "@/old", "@/new")
	if outcome != conformance.Conformant || !strings.Contains(out, "sec/event") || !strings.Contains(out, "events/s") {
		t.Errorf("exit code %d:\n%s", outcome, out)
	}
}

// TestTheGateJudgesThePortBeforeVersus runs the example of the help with two ports, one of which works 500 times as much
// for each event, so that a busy machine cannot hide it.
func TestTheGateJudgesThePortBeforeVersus(t *testing.T) {
	long(t, "it measures four ports")
	t.Parallel()
	folder := t.TempDir()
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
	write(t, folder, "slow.py", fmt.Sprintf(port, kit(t), 50_000))
	write(t, folder, "fast.py", fmt.Sprintf(port, kit(t), 100))
	gate := func(new, old string) []string {
		return []string{
			"bench", "--gate", "25%", "--run", "workload=tight-loop", "--time", "10ms",
			"--against", "python3", inFolder + old, "--", "python3", inFolder + new,
		}
	}
	try(t, folder, []invocation{
		{"a new port that is slower", nil, gate("slow.py", "fast.py"), conformance.NotConformant, "vs the old port"},
		{"one that is faster", nil, gate("fast.py", "slow.py"), conformance.Conformant, "vs the old port"},
	})
}

func TestGrowthMeasuresWhatIsNamed(t *testing.T) {
	t.Parallel()
	out, outcome := run(t, "", nil, "bench", "--reference", "--growth", "--run", "(history|swarm)/", "--events", "64")
	if outcome != conformance.Conformant && outcome != conformance.NotConformant { // so few events may look like growth
		t.Fatalf("exit code %d:\n%s", outcome, out)
	}
	for want, n := range map[string]int{"history (code)": 1, "swarm (text)": 1, "crow": 0} {
		if got := strings.Count(strings.ReplaceAll(out, "PR-36 (SHOULD): ", ""), " "+want+"  "); got != n {
			t.Errorf("%d rows of %q, want %d, in\n%s", got, want, n, out)
		}
	}
}

// TestAMeasurementEndsInTime: neither a port that never answers nor one that is only slow decides how long it takes.
func TestAMeasurementEndsInTime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	port := func(script string) []string {
		return []string{"--", "sh", "-c", script, builtTool, filepath.Join(folder, "started")}
	}
	idle := `"$0" serve | while IFS= read -r l; do case $l in *verdicts*) sleep 1;; esac; printf '%s\n' "$l"; done`
	measure := []string{"bench", "--run", "guards", "--for", "3s"}
	against := with(measure, "--gate", "25%", "--against", builtTool, "serve")
	try(t, folder, []invocation{
		{"no time at all", referencePort(t), []string{"bench", "--for", "1ms"}, conformance.NotDecided, "--for 1ms is over"},
		{"a port that never answers", port(deaf), measure, conformance.NotDecided, "--for 3s is over"},
		{"one that is slow", port(idle), measure, conformance.NotDecided, "--for 3s is over"},
		{"one that is slow, by the length of the trace", port(idle), with(measure, "--growth"), conformance.NotDecided, "--for 3s is over"},
		{"one that is slow, beside another", port(idle), against, conformance.NotDecided, "--for 3s is over"},
		{"a time that is none", referencePort(t), []string{"bench", "--for", "0s"}, conformance.Usage, "want more than 0"},
		{
			"time enough", referencePort(t),
			[]string{"bench", "--for", "1h", "--run", "guards.*short", "--count", "1", "--time", "1ms"},
			conformance.Conformant, "BenchmarkPipe/detector=guards",
		},
	})
}

// TestAPortCannotWriteItsResults: its name stands among them, and a line that it begins would be one.
func TestAPortCannotWriteItsResults(t *testing.T) {
	t.Parallel()
	const forged = `BenchmarkPipe/detector=guards/reading=text/workload=short 1 1 ns/event`
	script := `"$0" serve | stdbuf -oL sed '1s|"name":"[^"]*"|"name":"x\\n` + forged + `\\n\\u001b[31m"|'`
	out, outcome := run(t, "", []string{"--", "sh", "-c", script, builtTool},
		"bench", "--run", "guards.*short", "--count", "1", "--time", "1ms")
	if outcome != conformance.Conformant || strings.Contains(out, "\n"+forged) || !strings.Contains(out, `# x\n`+forged+`\n\x1b[31m`) {
		t.Errorf("%s, and a result that nobody measured, or no name of the port:\n%s", outcome, out)
	}
}

// TestBenchMeasuresWhatThereIs: a port that declares what the specification does not have is at fault, not the call.
func TestBenchMeasuresWhatThereIs(t *testing.T) {
	t.Parallel()
	script := `"$0" serve | stdbuf -oL sed '1s|"id":"guards"|"id":"guard"|'`
	try(t, t.TempDir(), []invocation{{
		"a detector that there is not",
		[]string{"--", "sh", "-c", script, builtTool},
		[]string{"bench", "--run", "guard", "--count", "1"},
		conformance.AdapterFault, `the detector "guard"`,
	}})
}
