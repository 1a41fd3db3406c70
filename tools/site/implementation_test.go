package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/spec"
)

// reported is a run of a port with four detectors, on the suite of now.
func reported(t *testing.T) *conformance.Report {
	t.Helper()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	r := &conformance.Report{
		Suite: conformance.InfoOf(suite),
		Port: conformance.PortInfo{
			Name: "<b>port</b>", Version: "{{ 1 }}", Language: "lua|c", URL: "javascript:alert(1)", Command: []string{"lua", "my port.lua"},
			Detectors: []spec.Offer{
				{Detector: spec.History, Readings: []spec.Reading{spec.Code}},
				{Detector: spec.Crow, Readings: []spec.Reading{spec.Code}},
				{Detector: spec.Guards, Readings: []spec.Reading{spec.Text}},
			},
		},
		Results: []conformance.Result{
			{Case: "p-a", Detector: cases.Protocol, Status: conformance.Passed},
			{Case: "h-a", Detector: spec.History, Status: conformance.Passed},
			{Case: "h-b", Detector: spec.History, Status: conformance.Skipped, Reason: "r"},
			{Case: "c-a", Detector: spec.Crow, Status: conformance.Passed},
			{Case: "c-b", Detector: spec.Crow, Status: conformance.Failed, Failure: &conformance.Failure{Problem: "p"}},
			{Case: "g-a", Detector: spec.Guards, Status: conformance.Skipped, Reason: "r"},
			{Case: "s-a", Detector: spec.Swarm, Status: conformance.Skipped, Reason: "r"},
		},
	}
	for i := range r.Results {
		r.Results[i].Clauses = []string{"PR-1"}
	}
	return r
}

const speeds = `# preliminary: busy machine, load 2.0
cpu: A Processor
processors: 2
Unit events/s better=higher
BenchmarkPipe/detector=history/reading=code/workload=healthy 10 30 ns/event 42000 events/s
BenchmarkPipe/detector=history/reading=text/workload=healthy 10 30 ns/event 12340 events/s
BenchmarkPipe/detector=history/reading=text/workload=tight-loop 10 30 ns/event 77 events/s
`

// put writes a report, with speeds where there are any, and returns the folder.
func put(t *testing.T, folder, name, speeds string, r *conformance.Report) string {
	t.Helper()
	file, err := os.Create(filepath.Join(folder, name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	options := report.Options{Started: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	if err := report.Write("jsonl", file, r, options); err != nil {
		t.Fatal(err)
	}
	if speeds != "" {
		if err := os.WriteFile(filepath.Join(folder, name+".txt"), []byte(speeds), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestMatrixSaysWhatTheReportsSay: score, speed, suite and statement of a port; those without a report are named.
func TestMatrixSaysWhatTheReportsSay(t *testing.T) {
	t.Parallel()
	old := reported(t)
	old.Suite.Digest = "other|suite"
	folders := []string{put(t, t.TempDir(), "python", speeds, reported(t)), put(t, t.TempDir(), "lua", "", old)}
	all, err := pagesOf(context.Background(), folders)
	if err != nil {
		t.Fatal(err)
	}
	page := all["implementations.md"]
	for reason, want := range map[string]string{
		"ours first, others after them": "| detector | &lt;b>port&lt;/b> | &lt;b>port&lt;/b> |",
		"those without a report":        "Not run when this site was built: typescript, go, rust, java. `make matrix`",
		"the language":                  `| language | lua\|c | lua\|c |`,
		"all pass, and the speed":       "| ✓ 1 of 1<br>1 not checked<br>12.3 k events/s | ✓ 1 of 1<br>1 not checked |",
		"one fails":                     "| [crow](/detector/crow) | ✗ 1 of 2 |",
		"all are skipped":               "| [guards](/detector/guards) | not checked |",
		"another suite":                 `| another: 0.1.0<br>digest other\|suite |`,
		"the outcome":                   "not conformant: ",
		"the run":                       "- Run: 2026-11-20T12:00:00Z",
		"the machine":                   "A Processor, 2 processors, busy machine, load 2.0\n",
		"the statement":                 `href="statement/lua.jsonl"`,
		"how to verify":                 "loopstone verify python.jsonl -- lua 'my port.lua'",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s: the page lacks %s in\n%s", reason, want, page)
		}
	}
	for _, d := range spec.Detectors() {
		if !strings.Contains(page, "| ["+string(d.ID)+"](/detector/") {
			t.Errorf("the page has no row for %s", d.ID)
		}
	}
	for _, hostile := range []string{"<b>port", "{{ 1", "javascript:"} {
		if strings.Contains(page, hostile) {
			t.Errorf("the page has %s", hostile)
		}
	}
	if text, err := os.ReadFile(filepath.Join(folders[1], "lua.jsonl")); err != nil || all["public/statement/lua.jsonl"] != string(text) {
		t.Errorf("the statement is another file, %v", err)
	}
}

func TestReportsThatCannotBeShownAreErrors(t *testing.T) {
	t.Parallel()
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "x.jsonl"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	one := put(t, t.TempDir(), "lua", "", reported(t))
	tests := []struct {
		reason, problem string
		folders         []string
	}{
		{"no report", "x.jsonl: ", []string{broken}},
		{"no folder", "no such file", []string{filepath.Join(broken, "none")}},
		{"the same name twice", "a second lua.jsonl", []string{one, put(t, t.TempDir(), "lua", "", reported(t))}},
		{"speeds of another workload", "none of an everyday workload", []string{put(t, t.TempDir(), "c", "Unit a better=lower\n", reported(t))}},
	}
	for _, test := range tests {
		if _, err := implementations(test.folders); err == nil || !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: the error is %v, want %s", test.reason, err, test.problem)
		}
	}
}
