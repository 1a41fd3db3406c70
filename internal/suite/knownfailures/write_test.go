package knownfailures

import (
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

func excused(r conformance.Result, excuse string) conformance.Result {
	r.Status, r.Excuse = conformance.Known, excuse
	return r
}

// oldList has the words for some of the failures that are written again.
const oldList = `known:
  - {case: history-known, step: 1, differs: ["count: want 3, got 2"], reason: rounds down, url: "https://example.com/issues/7", expires: "2027-01-31"}
  - {case: history-changed, step: 1, differs: ["count: want 3, got 2"], reason: rounds down}
  - {case: history-ambig*, step: 1, differs: ["y: want 3, got 2"], reason: "Off"}
`

func TestWrittenList(t *testing.T) {
	t.Parallel()
	noSteps := wrong("history-hash-nan", spec.Code, 0, "")
	noSteps.Failure.Steps = 0
	report := &conformance.Report{Results: []conformance.Result{
		wrong("signature-other-place", spec.Text, 2, "count"), // not in the order of the ids
		wrong("signature-other-place", spec.Code, 2, "kind"),
		ended(conformance.Passed, "fingerprint-passes", spec.Text),
		wrong("fingerprint-only-reading", spec.Text, 3, "fingerprints[0].count", "kind"),
		wrong("crow-alike-in-both", spec.Code, 2, "count"),
		wrong("crow-alike-in-both", spec.Text, 2, "count"),
		wrong("crow-one-passes", spec.Code, 2, "count"),
		ended(conformance.Passed, "crow-one-passes", spec.Text),
		wrong("crow-one-skipped", spec.Text, 2, "count"),
		unrun(conformance.Skipped, "crow-one-skipped", spec.Code, "the port does not offer crow in the reading code"),
		wrong("crow-one-not-selected", spec.Text, 1, "pattern"),
		wrong("crow-panics", spec.Text, 0),
		noSteps,
		wrong("history-known", spec.Code, 1, "count"),
		wrong("history-changed", spec.Code, 1, "count", "kind"),
		wrong("history-long", spec.Code, 1, "count"),
		excused(wrong("history-ambiguous", spec.Code, 1, "y"), "Off"),
	}}
	report.Results[len(report.Results)-2].Failure.Differences[0].Got = strings.Repeat("9", 81)
	old, err := Read("old.yaml", []byte(oldList))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "written.golden"), written(t, report, old))
	golden.Check(t, filepath.Join("testdata", "written-empty.golden"), written(t, &conformance.Report{Results: report.Results[2:3]}, nil))
}

func written(t rapid.TB, report *conformance.Report, old *List) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, report, old); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteRefusesWhatWasNotRun(t *testing.T) {
	t.Parallel()
	for _, status := range []conformance.Status{conformance.Undecided, conformance.Broken, conformance.Faulty} {
		report := &conformance.Report{Results: []conformance.Result{
			wrong("history-a", spec.Code, 1), unrun(status, "history-b", spec.Code, "no answer"),
		}}
		var b strings.Builder
		err := Write(&b, report, nil)
		want := "1 of 2 cases could not be run: history-b (code): " + string(status) + ": no answer"
		if err == nil || err.Error() != want || b.Len() > 0 {
			t.Errorf("%s: got the error %v and %d bytes, want %q and none", status, err, b.Len(), want)
		}
	}
}
