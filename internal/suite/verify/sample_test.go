package verify

import (
	"bytes"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/spec"
)

// sample is a report that holds one result of every status.
func sample() *conformance.Report {
	failure := &conformance.Failure{
		Step: 3, Steps: 4, Problem: "the verdict differs",
		Differences: []conformance.Difference{{Path: "count", Want: "3", Got: "2"}, {Path: "kind", Got: `"exact"`}},
		Trace:       []string{"not part of a statement"},
	}
	r := &conformance.Report{
		Suite: conformance.SuiteInfo{Version: "0.1.0", Digest: "0123456789abcdef", Selected: 6, Total: 12},
		Port: conformance.PortInfo{
			Name: "my <port>", Version: "1.2.3", Language: "Python", URL: "https://example.com/?a=1&b=2",
			Command: []string{"python3", "/home/somebody/port.py"},
			Detectors: []spec.Offer{
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
		Settings: conformance.Settings{Selection: cases.Selection{Cases: []string{"a*"}}, Checks: 100, Seeds: []int64{1, 7}},
		Seed:     42, Restarts: 1, Events: 1234, Elapsed: time.Second,
	}
	for i := range r.Results {
		r.Results[i].Clauses = []string{"PR-1"}
	}
	return r
}

func written(t *testing.T, r *conformance.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write("jsonl", &b, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
