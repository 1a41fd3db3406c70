package statement

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func TestCompareNamesEachDifferenceInOneLine(t *testing.T) {
	t.Parallel()
	failure := sample().Results[2].Failure
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
			`the suite is another one, so that nothing else can be compared: now "fedcba9876543210" of version "0.1.0" ` +
				`with 12 of 12 cases, the statement is about "0123456789abcdef" of version "0.1.0" with 6 of 12 cases`,
		}},
		"the suite's version": {func(r *conformance.Report) { r.Suite.Version = "0.1.1" }, []string{
			`the version of the suite is "0.1.1" now, the statement says "0.1.0"`,
		}},
		"the port": {func(r *conformance.Report) {
			r.Port.Name, r.Port.Version, r.Port.Language, r.Port.URL = "new\nname", "2", "Rust", ""
		}, []string{
			`the port's name is "new\nname" now, the statement says "my <port>"`,
			`the port's version is "2" now, the statement says "1.2.3"`,
			`the port's language is "Rust" now, the statement says "Python"`,
			`the port's address is "" now, the statement says "https://example.com/?a=1&b=2"`,
		}},
		"the order of what is declared": {func(r *conformance.Report) {
			crow := r.Port.Detectors[0]
			crow.Readings, crow.Features = []spec.Reading{spec.Code, spec.Text}, []spec.Feature{spec.AI, spec.IntFloat}
			r.Port.Detectors = []conformance.OfferInfo{r.Port.Detectors[1], crow}
		}, nil},
		"what is declared": {func(r *conformance.Report) {
			r.Port.Detectors = []conformance.OfferInfo{
				{Detector: spec.Crow, Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.AI}},
				{Detector: spec.Swarm, Readings: []spec.Reading{spec.Text}},
			}
		}, []string{
			`the list of the port's readings of crow is "code" now, the statement says "code text"`,
			`the list of the port's features of crow is "ai" now, the statement says "ai int-float"`,
			`the port does not declare the detector "history" now, the statement does`,
			`the port declares the detector "swarm" now, the statement does not`,
		}},
		"a pass that fails": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Failure = conformance.Failed, failure
		}, []string{`crow-a (code) fails now, the statement says passed: step 3, count: want 3, got 2, kind: want nothing, got "exact"`}},
		"a pass that fails as its new known failures say": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Failure = conformance.Known, &conformance.Failure{Problem: "it\npanicked"}
		}, []string{`crow-a (code) fails now, the statement says passed: it panicked`}},
		"failures that pass": {func(r *conformance.Report) {
			r.Results[2].Status, r.Results[3].Status = conformance.Passed, conformance.Passed
		}, []string{
			`crow-a (text) passes now, the statement says failed`,
			`crow-b (code) passes now, the statement says known`,
		}},
		"an excuse more and one less": {func(r *conformance.Report) {
			r.Results[2].Status, r.Results[3].Status = conformance.Known, conformance.Failed
		}, nil},
		"another end": {func(r *conformance.Report) {
			r.Results[1].Status, r.Results[1].Reason = conformance.Undecided, "no answer\nwithin 5 s "+strings.Repeat("x", 200)
			r.Results[4].Status = conformance.Passed
			r.Results[5].Status, r.Results[5].Failure = conformance.Failed, failure
		}, []string{
			`crow-a (code) is undecided now, the statement says passed: no answer within 5 s ` + strings.Repeat("x", 139) + "…",
			`history-a (code) passes now, the statement says undecided`,
			`swarm-a (text) fails now, the statement says skipped: step 3, count: want 3, got 2, kind: want nothing, got "exact"`,
		}},
		"a failure that has become another one": {func(r *conformance.Report) {
			moved, more := *failure, *failure
			moved.Step, more.Differences = 2, append(more.Differences[:2:2], conformance.Difference{Path: "loop", Want: "true", Got: "false"})
			r.Results[2].Failure, r.Results[3].Failure = &moved, &more
		}, []string{
			`crow-a (text) fails at step 2 now, the statement says 3`,
			`crow-b (code) fails otherwise now: count: want 3, got 2, kind: want nothing, got "exact", loop: want true, got false; ` +
				`the statement says: count: want 3, got 2, kind: want nothing, got "exact"`,
		}},
		"numbers": {func(r *conformance.Report) {
			r.Suite.Selected, r.Suite.Total, r.Suite.UnselectedProtocol, r.Suite.UncheckedLaws = 7, 13, 2, 3
		}, []string{
			`the number of selected cases is 7 now, the statement says 6`,
			`the number of cases is 13 now, the statement says 12`,
			`the number of cases of the protocol that are not selected is 2 now, the statement says 0`,
			`the number of laws that are left out is 3 now, the statement says 0`,
		}},
		"results that the statement leaves out": {func(r *conformance.Report) {
			r.Results = append(r.Results, conformance.Result{Case: "history-c", Detector: spec.History, Reading: spec.Code, Status: conformance.Failed, Failure: failure})
		}, []string{`history-c (code) has the status failed now, the statement does not have it`}},
		"cases": {func(r *conformance.Report) {
			r.Results[0].Case, r.Results[2].Reading = "protocol-other", "prose"
		}, []string{
			`protocol-end was not run now, the statement says broken`,
			`crow-a (text) was not run now, the statement says failed`,
			`protocol-other has the status broken now, the statement does not have it`,
			`crow-a (prose) has the status failed now, the statement does not have it`,
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

// drawReport returns a report of any results, with texts as ports can make them up.
func drawReport(t *rapid.T) *conformance.Report {
	report := sample()
	report.Port.Name, report.Port.URL = rapid.String().Draw(t, "name"), rapid.String().Draw(t, "url")
	report.Seed = rapid.Int64().Draw(t, "seed")
	report.Results = nil
	statuses := rapid.SampledFrom([]conformance.Status{
		conformance.Passed, conformance.Failed, conformance.Known, conformance.Broken, conformance.Faulty, conformance.Undecided, conformance.Skipped,
	})
	ids := rapid.SliceOfDistinct(rapid.StringMatching("(crow|history)-[a-f]"), rapid.ID)
	for _, id := range ids.Draw(t, "ids") {
		detector, _, _ := strings.Cut(id, "-")
		for _, reading := range rapid.SliceOfNDistinct(rapid.SampledFrom([]spec.Reading{spec.Text, spec.Code}), 1, 2, rapid.ID).Draw(t, "readings") {
			r := conformance.Result{
				Case: id, Detector: spec.DetectorID(detector), Reading: reading, Clauses: []string{"CR-1"},
				Status: statuses.Draw(t, "status"), Reason: rapid.String().Draw(t, "reason"),
			}
			if unexcused(r.Status) == conformance.Failed {
				r.Failure = &conformance.Failure{
					Step: rapid.IntRange(0, 2).Draw(t, "step"), Problem: "the verdict differs",
					Differences: rapid.SliceOfN(rapid.Map(rapid.SampledFrom([]string{"1", "2"}), func(got string) conformance.Difference {
						return conformance.Difference{Path: "count", Want: "3", Got: got}
					}), 0, 2).Draw(t, "differences"),
				}
			}
			report.Results = append(report.Results, r)
		}
	}
	return report
}

func TestAReportReadBackAgreesWithItsRun(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		run := drawReport(t)
		stated, err := Read(written(t, run))
		if err != nil {
			t.Fatal(err)
		}
		if lines := Compare(stated, run); lines != nil {
			t.Fatalf("compared with its own run: %q", lines)
		}
	})
}

func TestReadRefusesWhatNobodyCanVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, want string
		change       func(r *conformance.Report)
	}{
		{"nothing is wrong", "", func(*conformance.Report) {}},
		{"a result counts once", "the result of crow-a (code) stands there twice", func(r *conformance.Report) { r.Results = append(r.Results, r.Results[1]) }},
		{"a port declares a detector once", "the port's detector crow stands there twice", func(r *conformance.Report) {
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

func TestCompareNoticesExactlyWhatChanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawReport(t), drawReport(t)
		after.Port = before.Port
		found := Compare(before, after)
		want := changes(before.Results, after.Results)
		if len(found) != len(want) {
			t.Fatalf("got %q, want one line for each of %v", found, want)
		}
		for _, line := range found {
			name, _, _ := strings.Cut(line, ") ")
			if !want[name+")"] || strings.Contains(line, "\n") {
				t.Fatalf("the line %q is about none of %v, or is several", line, want)
			}
		}
	})
}

// changes restates what Compare looks for: the names of the results that did not end the same, excuses aside.
func changes(before, after []conformance.Result) map[string]bool {
	ends := map[string][2]string{}
	for i, results := range [][]conformance.Result{before, after} {
		for _, r := range results {
			end := ends[r.Case+" ("+string(r.Reading)+")"]
			end[i] = strings.Replace(string(r.Status), "known", "failed", 1)
			if r.Failure != nil {
				end[i] += fmt.Sprint(r.Failure.Step, slices.Compact(r.Failure.Differences))
			}
			ends[r.Case+" ("+string(r.Reading)+")"] = end
		}
	}
	changed := map[string]bool{}
	for name, end := range ends {
		if end[0] != end[1] {
			changed[name] = true
		}
	}
	return changed
}
