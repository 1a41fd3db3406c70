package fuzz_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/fast/history"
	"github.com/loopstone/loopstone/spec"
)

// faultyPort is a port with one fault.
type faultyPort struct {
	name     string
	detector spec.DetectorID
	start    func(t *testing.T) *stdio.Adapter
}

// sampled is which part of the mutants is tried.
const sampled = 60

// mutants returns a part of the mutants of the reference's rules, each in a process of its own, as any port would be.
func mutants(t *testing.T) (ports []faultyPort) {
	t.Helper()
	mutation := func(args ...string) string {
		args = append([]string{"run", "github.com/loopstone/loopstone/internal/guard/mutation"}, args...)
		out, err := exec.CommandContext(t.Context(), "go", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	tool := filepath.Join(t.TempDir(), "mutants")
	mutation("build", "-o", tool)
	list := strings.Split(mutation("list"), "\n")
	for i := 0; i < len(list); i += sampled {
		id, name, _ := strings.Cut(list[i], "\t")
		_, name, _ = strings.Cut(name, "\t") // behind the clauses
		file, _, _ := strings.Cut(name, ":")
		if detector := spec.DetectorID(path.Base(path.Dir(file))); isDetector(detector) {
			ports = append(ports, faultyPort{name, detector, func(t *testing.T) *stdio.Adapter {
				t.Helper()
				command := stdio.Command{Path: tool, Args: []string{"serve", id}}
				adapter, err := stdio.StartAdapter(t.Context(), command, stdio.Options{})
				if err != nil {
					t.Skip(err) // it does not start: no law is needed to see that
				}
				return adapter
			}})
		}
	}
	return ports
}

func isDetector(id spec.DetectorID) bool {
	_, known := spec.DefinitionOf(id)
	return known
}

// faults returns ports with faults that no case is likely to hit, or that only a law sees.
func faults() (ports []faultyPort) {
	add := func(name string, impl func() spec.Implementation) {
		ports = append(ports, faultyPort{name, impl().Detector, func(t *testing.T) *stdio.Adapter {
			t.Helper()
			return piped(t, impl())
		}})
	}
	for _, p := range plantedFaults() {
		add(p.name, p.make)
	}
	add("a reset that empties nothing", func() spec.Implementation {
		return changed(history.Implementation(), func(d spec.Detector, _ spec.Value) spec.Detector { return noReset{d} })
	})
	add("a crash at the third event", crashing)
	add("a count of 2 that should be 3", miscounting)
	return ports
}

// lawsOf returns the checks of a detector: laws, and agreement with the reference.
func lawsOf(t *testing.T, detector string) []cases.Case {
	t.Helper()
	laws, err := cases.Selection{Detectors: []string{detector}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	return laws
}

// TestAUsualJudgementFindsWhatAThoroughOneFinds counts the faulty ports that each accuses, by what it costs to acquit the
// reference. Mutants that the cases kill need no law; all others that are caught must be caught by both.
func TestAUsualJudgementFindsWhatAThoroughOneFinds(t *testing.T) {
	if os.Getenv("LOOPSTONE_SLOW") == "" {
		t.Skip("too slow: make slow runs it")
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	usual := fuzz.Budget{Checks: 100, Seeds: []int64{1}, Suite: suite}
	thorough := usual
	thorough.Thorough = true
	budgets := []fuzz.Budget{thorough, usual}
	caught := map[bool]int{}
	ports := append(faults(), mutants(t)...)
	for _, p := range ports {
		t.Run(p.name, func(t *testing.T) {
			accuses := map[bool]bool{}
			for _, b := range budgets {
				adapter := p.start(t)
				n, err := fuzz.Accuses(t.Context(), adapter, reference.Port(), generate.For, lawsOf(t, string(p.detector)), b)
				adapter.Close()
				if err != nil {
					t.Fatal(err)
				}
				if accuses[b.Thorough] = n > 0; n > 0 {
					caught[b.Thorough]++
				}
			}
			if accuses[true] && !accuses[false] && passesAllCases(t, p, suite) {
				t.Error("only a thorough judgement accuses it, and no case fails")
			}
		})
	}
	for _, b := range budgets {
		adapter, err := stdio.PipeAdapter(t.Context(), reference.Port(), stdio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if n, err := fuzz.Accuses(t.Context(), adapter, reference.Port(), generate.For, fuzz.Cases(), b); n > 0 || err != nil {
			t.Fatalf("%d checks accuse the reference: %v", n, err)
		}
		seconds := time.Since(start).Seconds()
		requests, _ := adapter.Sent()
		adapter.Close()
		n := float64(caught[b.Thorough])
		t.Logf("thorough %t: %.0f of %d caught; %d requests in %.2f s; %.2f caught per 1000 requests, %.1f per second",
			b.Thorough, n, len(ports), requests, seconds, 1000*n/float64(requests), n/seconds)
	}
}

// passesAllCases reports whether no case of its detector fails on a port.
func passesAllCases(t *testing.T, p faultyPort, suite []cases.Case) bool {
	t.Helper()
	selected, err := cases.Selection{Detectors: []string{string(p.detector)}}.Select(suite)
	if err != nil {
		t.Fatal(err)
	}
	adapter := p.start(t)
	defer adapter.Close()
	report, err := conformance.Run(t.Context(), adapter, selected, conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report.Count(conformance.Failed)+report.Count(conformance.Broken)+report.Count(conformance.Undecided) == 0
}
