package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestTheReferenceByTheSuite is how a port in Go is tested: one line. A swarm in this process is shared with no other.
// With -short one detector stands for all, which the tests of the reference and make ports ask.
func TestTheReferenceByTheSuite(t *testing.T) {
	t.Parallel()
	options := []conformance.TestOption{conformance.Strict(spec.Shared)}
	if testing.Short() {
		options = append(options, conformance.Only(cases.Selection{Detectors: []string{"swarm"}}))
	}
	conformance.Test(t, reference.Port(), options...)
}

// brokenEnv tells this binary to carry out tests that must fail.
const brokenEnv = "LOOPSTONE_BROKEN_TESTS"

// TestBroken is run by the tests below only, in a process of its own.
func TestBroken(t *testing.T) {
	if os.Getenv(brokenEnv) == "" {
		t.Skip("it fails by design")
	}
	detector := func(name string) conformance.TestOption {
		return conformance.Only(cases.Selection{Detectors: []string{name}})
	}
	t.Run("nothing", func(t *testing.T) {
		conformance.Test(t, host(reference.Implementation(spec.History)), detector("crow"))
	})
	t.Run("typo", func(t *testing.T) { conformance.Test(t, reference.Port(), detector("histroy")) })
	t.Run("strict", func(t *testing.T) {
		conformance.Test(t, host(reference.Implementation(spec.History), spec.Evidence), detector("history"), conformance.Strict(spec.Hashes))
	})
	boasting := exactOnly(identical, isResult)
	boasting.Settings = append(boasting.Settings, "fuzzy_threshold")
	t.Run("declared", func(t *testing.T) { conformance.Test(t, host(boasting)) })
	t.Run("panic", func(t *testing.T) {
		conformance.TestDetector(t, spec.History, func() spec.Detector { return unlucky{} })
	})
	wrong := func() spec.Detector { return &runCounter{} }
	few := conformance.Only(cases.Selection{Cases: []string{
		"history-copies-need-not-be-consecutive", "history-differs-any-argument", "history-law-*",
	}})
	t.Run("page", func(t *testing.T) { conformance.TestDetector(t, spec.History, wrong) })
	t.Run("few", func(t *testing.T) { conformance.TestDetector(t, spec.History, wrong, few) })
}

// historyPort is what every adapter of these tests serves where it does not misbehave.
func historyPort() spec.Port {
	return spec.NewHost(spec.Description{Name: "small", Version: "1", Language: "go"}, reference.Implementation(spec.History))
}

// unlucky is a detector that panics.
type unlucky struct{}

// Reset implements [spec.Detector].
func (unlucky) Reset() {}

// Observe implements [spec.Detector].
func (unlucky) Observe(spec.Event) spec.Verdict { panic("no such luck") }

// runCounter is a detector of history that is deliberately wrong: it counts calls of one tool in a row, whatever their
// arguments, and its reset forgets nothing.
type runCounter struct {
	tool string
	run  []int
}

// Reset implements [spec.Detector].
func (r *runCounter) Reset() {}

// Observe implements [spec.Detector].
func (r *runCounter) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	if e.Tool != r.tool {
		r.tool, r.run = e.Tool, nil
	}
	r.run = append(r.run, e.Index)
	v := spec.Verdict{Count: len(r.run)}
	if v.Count >= 3 {
		v.Loop, v.Kind, v.Evidence = true, spec.KindRepeat, r.run
	}
	return v
}

// TestAWrongDetectorFillsAPage: whatever the cases are, go test prints a page that names a clause, a law and the score.
// What it looks like, a few cases show.
func TestAWrongDetectorFillsAPage(t *testing.T) {
	if raced {
		t.Skip("processes of this very binary: without the race detector only")
	}
	t.Parallel()
	page := failing(t, "^TestBroken$/^page$")
	if n := strings.Count(page, "\n"); n > 60 {
		t.Errorf("%d lines are more than a page", n)
	}
	for _, want := range []string{"clause   HI-", "history-law-", "score of"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	few := failing(t, "^TestBroken$/^few$")
	few = regexp.MustCompile(`\([0-9.]+s\)|[a-z]+\.go:[0-9]+: ?`).ReplaceAllString(few, "")
	few = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(few, "")
	golden.Check(t, filepath.Join("testdata", "page.txt"), few)
}

// failing runs a test that must fail, and returns what it prints.
func failing(t *testing.T, expression string, flags ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self, append([]string{"-test.run", expression}, flags...)...)
	command.Env = append(os.Environ(), brokenEnv+"=1", "GORACE=atexit_sleep_ms=0")
	out, err := command.CombinedOutput()
	if err == nil {
		t.Errorf("%s passes", expression)
	}
	return string(out)
}

func TestTestFailsWhereItMust(t *testing.T) {
	if raced {
		t.Skip("processes of this very binary: without the race detector only")
	}
	t.Parallel()
	tests := []struct{ name, why, want string }{
		{"nothing", "a port that declares nothing of what is asked passes nothing", "nothing to check: the port declares nothing that any of"},
		{"typo", "a pattern that matches nothing checks nothing", `--detector "histroy" matches nothing`},
		{"strict", "a strict test does not skip", "the port does not declare snapshot for history"},
		{"declared", "what no case tests is no pass", "no case tests what the port declares: setting fuzzy_threshold"},
		{"panic", "a panic is a failure, and no end of the test", "the port panicked: no such luck"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if out := failing(t, "^TestBroken$/^"+test.name+"$", "-test.v"); !strings.Contains(out, test.want) {
				t.Errorf("%s: want %q in\n%s", test.why, test.want, out)
			}
		})
	}
}

func TestTestSkipsWhatMayBeMissing(t *testing.T) {
	t.Parallel()
	out := failing(t, "^TestBroken$/^strict$", "-test.v")
	if !strings.Contains(out, "--- SKIP: TestBroken/strict/history/history-hash-integer/code") || // it needs hashes
		!strings.Contains(out, "--- FAIL: TestBroken/strict/history/history-hash-float/code") { // and this int-float too
		t.Errorf("hashes may be missing, but:\n%s", out)
	}
}

// TestTestTellsAllOfAFailure shows what a port's author reads, and that the command it ends with selects the case.
func TestTestTellsAllOfAFailure(t *testing.T) {
	t.Parallel()
	const name = "history-copies-need-not-be-consecutive"
	out := failing(t, "^TestBroken$/^page$/^history$/^"+name+"$", "-test.v")
	for _, want := range []string{
		"clause   HI-12 NOTE (", "case     history/window.yaml:18, step 3 of 5", "then     tool_call", "problem  the verdict differs (-want +got)",
		"- count: 2", "+ count: 1", "why      ",
		"again    go test -run '^TestBroken$/^page$/^history$/^" + name + "$/^code$'",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "=== RUN"); n != 5 { // the four levels above the case, and the case
		t.Errorf("%d tests were run", n)
	}
}

// limit is a detector in Go: it says that there is a loop where a tool was called too often.
type limit struct {
	threshold int
	calls     map[string]int
}

// newLimit reads the configuration; what the detector does not know is refused.
func newLimit(r spec.Reading, config spec.Value) (spec.Detector, error) {
	s, err := spec.Offer{Detector: spec.History, Settings: []string{"repeat_threshold"}}.Read(r, config)
	l := &limit{threshold: s.Number("repeat_threshold")}
	l.Reset()
	return l, err
}

// Reset implements [spec.Detector].
func (l *limit) Reset() { l.calls = map[string]int{} }

// Observe implements [spec.Detector].
func (l *limit) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	l.calls[e.Tool+e.Args.Canonical()]++
	count := l.calls[e.Tool+e.Args.Canonical()]
	return spec.Verdict{Loop: count >= l.threshold, Kind: spec.KindRepeat, Count: count}
}

// A detector in Go is judged by a test of its own package. Its failures name the clause that is broken and the command
// that repeats them; go test -run TestConformance/history/history-window-forgets selects one case.
func ExampleTest() {
	port := spec.NewHost(
		spec.Description{Name: "limit", Version: "1.0", Language: "go"},
		spec.Implementation{Offer: spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}}, New: newLimit},
	)
	TestConformance := func(t *testing.T) { // in your package: func TestConformance(t *testing.T) {
		conformance.Test(t, port, conformance.Only(cases.Selection{Detectors: []string{"history"}}))
	}
	_ = TestConformance
}
