package statement

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/guard/golden"
	"github.com/loopstone/loopstone/spec"
)

var day = time.Date(2026, 11, 20, 23, 59, 0, 0, time.FixedZone("east", 14*60*60))

// sample is a report that holds one result of every status.
func sample() *conformance.Report {
	failure := &conformance.Failure{
		Step: 3, Steps: 4, Problem: "the verdict is another",
		Differences: []conformance.Difference{{Path: "count", Want: "3", Got: "2"}, {Path: "kind", Got: `"exact"`}},
		Trace:       []string{"not part of a statement"},
	}
	return &conformance.Report{
		Suite: conformance.SuiteInfo{Version: "0.1.0", Digest: "0123456789abcdef", Selected: 6, Total: 12},
		Port: conformance.PortInfo{
			Name: "my <port>", Version: "1.2.3", Language: "Python", URL: "https://example.com/?a=1&b=2",
			Command: []string{"python3", "/home/somebody/port.py"},
			Detectors: []conformance.OfferInfo{
				{Detector: spec.Crow, Readings: []spec.Reading{spec.Text, spec.Code}, Features: []spec.Feature{spec.IntFloat, spec.AI}},
				{Detector: spec.History, Readings: []spec.Reading{spec.Code}},
			},
		},
		Results: []conformance.Result{
			{Case: "protocol-end", Detector: cases.Protocol, Status: conformance.Broken, Failure: &conformance.Failure{Problem: "no\nanswer"}},
			{Case: "crow-a", Detector: spec.Crow, Reading: spec.Code, Status: conformance.Passed},
			{Case: "crow-a", Detector: spec.Crow, Reading: spec.Text, Status: conformance.Failed, Failure: failure},
			{Case: "crow-b", Detector: spec.Crow, Reading: spec.Code, Status: conformance.Known, Failure: failure, Excuse: "rounds down"},
			{Case: "history-a", Detector: spec.History, Reading: spec.Code, Status: conformance.Undecided, Reason: "no answer within 5 s"},
			{Case: "swarm-a", Detector: spec.Swarm, Reading: spec.Text, Status: conformance.Skipped, Reason: "the port does not offer the detector swarm"},
			{Case: "history-b", Detector: spec.History, Reading: spec.Code, Status: conformance.Passed},
		},
		Settings: conformance.Settings{Selection: conformance.Selection{Cases: []string{"a*"}}, Checks: 100, Seeds: []int64{1, 7}},
		Seed:     42, Restarts: 1, Events: 1234, Elapsed: time.Second,
	}
}

// stated returns the sample's statement as of a fixed version of the specification, so that a new one changes no
// golden file.
func stated() Statement {
	s := New(sample(), day)
	s.Specification = "0.1.0"
	return s
}

// empty returns the least that a statement can say.
func empty() Statement {
	return Statement{
		Format: Format, Specification: "0.1.0", Date: "2026-11-20",
		Suite: conformance.SuiteInfo{Version: "0.1.0", Digest: "0123456789abcdef"},
	}
}

func written(t rapid.TB, s Statement) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrittenStatement(t *testing.T) {
	t.Parallel()
	golden.Check(t, filepath.Join("testdata", "sample.json"), written(t, stated()))
	golden.Check(t, filepath.Join("testdata", "empty.json"), written(t, empty()))
	if got := New(sample(), day).Specification; got != spec.Version {
		t.Errorf("the specification is of version %q, want %q", got, spec.Version)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsAnErrorOfItsWriter(t *testing.T) {
	t.Parallel()
	if err := Write(fullDisk{}, stated()); !errors.Is(err, errFull) {
		t.Errorf("got the error %v, want one that wraps %v", err, errFull)
	}
}
