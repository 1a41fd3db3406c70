package knownfailures

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func excused(r conformance.Result, excuse string) conformance.Result {
	r.Status, r.Excuse = conformance.Known, excuse
	return r
}

func TestWrittenLedger(t *testing.T) {
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
		excused(wrong("history-known", spec.Code, 1, "count"), "rounds down (https://example.com/issues/7)"),
		excused(wrong("history-ambiguous", spec.Code, 1, "y"), "Off"),
	}}
	golden(t, "written.golden", written(t, report))
	golden(t, "written-empty.golden", written(t, &conformance.Report{Results: report.Results[2:3]}))
}

func written(t rapid.TB, report *conformance.Report) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, report); err != nil {
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
		err := Write(&b, report)
		want := "write a ledger: 1 of 2 cases could not be run: history-b (code), no answer"
		if err == nil || err.Error() != want || b.Len() > 0 {
			t.Errorf("%s: got the error %v and %d bytes, want %q and none", status, err, b.Len(), want)
		}
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsAnErrorOfItsWriter(t *testing.T) {
	t.Parallel()
	if err := Write(fullDisk{}, &conformance.Report{}); !errors.Is(err, errFull) {
		t.Errorf("got the error %v, want one that wraps %v", err, errFull)
	}
}
