package verify

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func TestCompareNamesEachDifferenceInOneLine(t *testing.T) {
	t.Parallel()
	failure := sample().Results[2].Failure
	const stated = `failed at step 3: count: want 3, got 2, kind: want nothing, got "exact"`
	for name, test := range map[string]struct {
		change func(*conformance.Report)
		want   []string
	}{
		"nothing": {func(*conformance.Report) {}, nil},
		"what is of one run only": {func(r *conformance.Report) {
			r.Seed, r.Restarts, r.Events, r.Elapsed, r.Port.Command = 7, 9, 1, 1, nil
		}, nil},
		"the suite": {func(r *conformance.Report) {
			r.Suite.Digest, r.Suite.Selected, r.Port.Name, r.Results = "fedcba9876543210", 12, "other", nil
		}, []string{
			`the suites differ, so that nothing else can be compared: now "fedcba9876543210" of version "0.1.0" ` +
				`with 12 of 12 cases, the report is about "0123456789abcdef" of version "0.1.0" with 6 of 12 cases`,
		}},
		"the suite's version": {func(r *conformance.Report) { r.Suite.Version = "0.1.1" }, []string{
			`the run: suite.version: now "0.1.1"; the report says "0.1.0"`,
		}},
		"the port": {func(r *conformance.Report) {
			r.Port.Name, r.Port.Version, r.Port.Language, r.Port.URL = "new\nname", "2", "Rust", ""
		}, []string{
			`the run: port.language: now "Rust"; the report says "Python"`,
			`the run: port.name: now "new\nname"; the report says "my <port>"`,
			`the run: port.url: now nothing; the report says "https://example.com/?a=1&b=2"`,
			`the run: port.version: now "2"; the report says "1.2.3"`,
		}},
		"the order of what is declared": {func(r *conformance.Report) {
			crow := r.Port.Detectors[0]
			crow.Readings, crow.Features = []spec.Reading{spec.Code, spec.Text}, []spec.Feature{spec.AI, spec.IntFloat}
			r.Port.Detectors = []spec.Offer{r.Port.Detectors[1], crow}
		}, nil},
		"what is declared": {func(r *conformance.Report) {
			r.Port.Detectors = []spec.Offer{
				{Detector: spec.Crow, Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.AI}},
				{Detector: spec.Swarm, Readings: []spec.Reading{spec.Text}},
			}
		}, []string{
			`reading text of crow: no longer declared`,
			`feature int-float of crow: no longer declared`,
			`detector history: no longer declared`,
			`detector swarm: newly declared`,
		}},
		"a pass that fails": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Failure = conformance.Failed, failure
		}, []string{`crow-a (code): now failed at step 3: count: want 3, got 2, kind: want nothing, got "exact"; the report says passed`}},
		"a pass that fails as its new known failures say": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Failure = conformance.Known, &conformance.Failure{Problem: "it\npanicked"}
		}, []string{`crow-a (code): now failed: it panicked; the report says passed`}},
		"failures that pass": {func(r *conformance.Report) {
			r.Results[2].Status, r.Results[3].Status = conformance.Passed, conformance.Passed
			r.Results[2].Failure, r.Results[3].Failure = nil, nil
		}, []string{
			`crow-a (text): now passed; the report says ` + stated,
			`crow-b (code): now passed; the report says ` + stated,
		}},
		"an excuse more and one less": {func(r *conformance.Report) {
			r.Results[2].Status, r.Results[3].Status = conformance.Known, conformance.Failed
		}, nil},
		"another end": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Reason = conformance.Undecided, "no answer\nwithin 5 s "+strings.Repeat("x", 200)
			r.Results[4].Status, r.Results[4].Reason = conformance.Passed, ""
			r.Results[5].Status, r.Results[5].Failure = conformance.Failed, failure
		}, []string{
			`crow-a (code): now undecided: no answer within 5 s ` + strings.Repeat("x", 128) + `…; the report says passed`,
			`history-a (code): now passed; the report says undecided: no answer within 5 s`,
			`swarm-a (text): now ` + stated + `; the report says skipped: the port does not offer the detector swarm`,
		}},
		"a failure that has become another one": {func(r *conformance.Report) {
			moved, more := *failure, *failure
			moved.Step, more.Differences = 2, append(more.Differences[:2:2], conformance.Difference{Path: "loop", Want: "true", Got: "false"})
			r.Results[2].Failure, r.Results[3].Failure = &moved, &more
		}, []string{
			`crow-a (text): now ` + strings.Replace(stated, "3", "2", 1) + `; the report says ` + stated,
			`crow-b (code): now ` + stated + `, loop: want true, got false; the report says ` + stated,
		}},
		"numbers": {func(r *conformance.Report) {
			r.Suite.Selected, r.Suite.Total, r.Suite.UnselectedProtocol, r.Suite.UncheckedLaws = 7, 13, 2, 3
		}, []string{
			`the run: suite.selected: now 7; the report says 6`,
			`the run: suite.total: now 13; the report says 12`,
			`the run: suite.unchecked_laws: now 3; the report says nothing`,
			`the run: suite.unselected_protocol: now 2; the report says nothing`,
		}},
		"fields of a result": {func(r *conformance.Report) {
			passed, skipped := &r.Results[1], &r.Results[5]
			passed.Detector, passed.Clauses, passed.SaidLoop = spec.Swarm, []string{"PR-2"}, true
			passed.Config, passed.Elapsed, passed.Excuse = `{"a":1}`, 5, "ours"
			skipped.Reason, skipped.Missing = "another", []spec.Feature{spec.AI}
			r.Results[4].Reason = "late"
		}, []string{
			`crow-a (code): clauses: now ["PR-2"]; the report says ["PR-1"]`,
			`crow-a (code): config: now "{\"a\":1}"; the report says nothing`,
			`crow-a (code): detector: now "swarm"; the report says "crow"`,
			`crow-a (code): said_loop: now true; the report says nothing`,
			`swarm-a (text): missing: now ["ai"]; the report says nothing`,
			`swarm-a (text): reason: now "another"; the report says "the port does not offer the detector swarm"`,
		}},
		"rules of the port's own": {func(r *conformance.Report) {
			r.Port.Detectors[1].Fixed = spec.MustParse(`{"rules":[]}`)
		}, []string{
			`what the port declares of history: now {"detector":"history","readings":["code"],"features":null,` +
				`"config":{"rules":[]}}; the report says {"detector":"history","readings":["code"],"features":null}`,
		}},
		"results that the statement leaves out": {func(r *conformance.Report) {
			r.Results = append(r.Results, conformance.Result{Case: "history-c", Detector: spec.History, Reading: spec.Code, Status: conformance.Failed, Failure: failure})
		}, []string{`history-c (code): now ` + stated + `; the report says nothing`}},
		"cases": {func(r *conformance.Report) {
			r.Results[0].Case, r.Results[2].Reading = "protocol-other", "prose"
		}, []string{
			`protocol-other: now broken: no answer; the report says nothing`,
			`crow-a (prose): now ` + stated + `; the report says nothing`,
			`protocol-end: now nothing; the report says broken: no answer`,
			`crow-a (text): now nothing; the report says ` + stated,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := sample()
			test.change(report)
			if diff := cmp.Diff(test.want, Compare(sample(), report)); diff != "" {
				t.Errorf("differences differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatWasSentIsCompared unless a run may send more than another one.
func TestWhatWasSentIsCompared(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		change func(stated, now *conformance.Report)
		want   []string
	}{
		{"the same", func(stated, now *conformance.Report) {}, nil},
		{"more than was sent", func(stated, now *conformance.Report) {
			stated.Events, stated.Requests, stated.Traces = 9, 9, 9
		}, []string{
			"the summary: events: now 1234; the report says 9", "the summary: requests: now nothing; the report says 9",
			"the summary: traces: now nothing; the report says 9",
		}},
		{"a process was started again", func(stated, now *conformance.Report) { stated.Events, now.Restarts = 9, 1 }, nil},
		{"and its traces are the same", func(stated, now *conformance.Report) { stated.Traces, now.Restarts = 9, 1 }, []string{
			"the summary: traces: now nothing; the report says 9",
		}},
		{"a report that was merged", func(stated, now *conformance.Report) { stated.Events, stated.Traces, stated.Parts = 9, 9, 2 }, nil},
	} {
		stated, now := sample(), sample()
		stated.Restarts, now.Restarts = 0, 0
		for _, r := range []*conformance.Report{stated, now} {
			for i := range r.Results {
				r.Results[i].File = "crow/a.yaml"
			}
		}
		test.change(stated, now)
		if diff := cmp.Diff(test.want, Compare(stated, now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestALawThatFailsOnOtherTracesIsADifference, and one that was known to fail is not.
func TestALawThatFailsOnOtherTracesIsADifference(t *testing.T) {
	t.Parallel()
	failure := sample().Results[2].Failure
	now := &conformance.Report{Settings: conformance.Settings{Seeds: []int64{4711}}, Results: []conformance.Result{
		{Case: "crow-a", Reading: spec.Code, Status: conformance.Failed, Failure: failure},
		{Case: "crow-a", Reading: spec.Text, Status: conformance.Failed, Failure: failure},
		{Case: "history-b", Reading: spec.Code, Status: conformance.Passed},
	}}
	want := []string{`crow-a (code) on traces of seed 4711: now failed at step 3: count: want 3, got 2, ` +
		`kind: want nothing, got "exact"; the report says passed`}
	if diff := cmp.Diff(want, CompareLaws(sample(), now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAReportReadBackAgreesWithItsRun(t *testing.T) {
	t.Parallel()
	stated, err := Read(written(t, sample()))
	if err != nil {
		t.Fatal(err)
	}
	if lines := Compare(stated, sample()); lines != nil {
		t.Errorf("compared with its own run: %q", lines)
	}
}

// TestWhatWasNotRunIsNotStated: a run with --fail-fast that found a failure is as honest as any.
func TestWhatWasNotRunIsNotStated(t *testing.T) {
	t.Parallel()
	stated := sample()
	passed := &stated.Results[1]
	passed.Status, passed.Reason = conformance.Undecided, "not run: the run stops at the first test that does not pass"
	if lines := Compare(stated, sample()); lines != nil {
		t.Errorf("a test that was not run, since another failed: %q", lines)
	}
	passed.Reason = "no answer in time"
	if lines := Compare(stated, sample()); len(lines) != 1 {
		t.Errorf("a test without an answer: %q, want one difference", lines)
	}
}

func TestReadRefusesWhatNobodyCanVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, want string
		change       func(r *conformance.Report)
	}{
		{"nothing is wrong", "", func(*conformance.Report) {}},
		{"a result counts once", "the result of crow-a (code) is there twice", func(r *conformance.Report) { r.Results = append(r.Results, r.Results[1]) }},
		{"a port declares a detector once", "the port's detector crow is there twice", func(r *conformance.Report) {
			r.Port.Detectors = append(r.Port.Detectors, r.Port.Detectors[0])
		}},
		{"the command of a report is never run", "it compares two ports", func(r *conformance.Report) { r.Settings.Against = []string{"rm"} }},
		{"laws alone are no suite", "the laws alone", func(r *conformance.Report) { r.Settings.LawsAlone = true }},
		{"any suite could be meant", "by which suite", func(r *conformance.Report) { r.Suite.Digest = "" }},
		{"nothing was asked", "did not start", func(r *conformance.Report) { r.Results[0].Case = "the-adapter-starts" }},
	}
	for _, tt := range tests {
		run := sample()
		tt.change(run)
		if _, err := Read(written(t, run)); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got the error %v, want %q", tt.reason, err, tt.want)
		}
	}
	if _, err := Read([]byte("{\n  \"format\": 1\n}\n")); err == nil || !strings.Contains(err.Error(), "--report jsonl=FILE") {
		t.Errorf("a statement of an earlier version: %v", err)
	}
}

// TestTheGuideListsTheFieldsThatMayDiffer as the code does.
func TestTheGuideListsTheFieldsThatMayDiffer(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/dev/statements.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| field | why |\n|---|---|\n"
	for _, f := range MayDiffer() {
		want += "| `" + f.Path + "` | " + f.Why + " |\n"
	}
	if !strings.Contains(string(guide), want+"\n") {
		t.Errorf("docs/dev/statements.md lacks this table:\n%s", want)
	}
}
