package knownfailures

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

var today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// drawFailure returns a failure anywhere in a case, with paths as ports can make them up, each once: to drop one of two
// equal differences is no change.
func drawFailure(t *rapid.T) *conformance.Failure {
	f := &conformance.Failure{Problem: "the verdict differs", Steps: rapid.IntRange(0, 3).Draw(t, "steps")}
	f.Step = rapid.IntRange(0, f.Steps).Draw(t, "step")
	path := rapid.OneOf(
		rapid.SampledFrom([]string{"", "count", "kind", "y", "evidence[1]", "fingerprints[0].count", "a: b # c", "\u2028"}),
		rapid.String(),
	)
	for _, p := range rapid.SliceOfNDistinct(path, 0, 2, rapid.ID).Draw(t, "paths") {
		f.Differences = append(f.Differences, conformance.Difference{Path: p, Want: "1", Got: "2"})
	}
	return f
}

// drawReport returns a report of a run in which some cases failed, at least one was run, and none is undecided.
func drawReport(t *rapid.T) *conformance.Report {
	report := &conformance.Report{}
	statuses := rapid.SampledFrom([]conformance.Status{conformance.Failed, conformance.Known, conformance.Passed, conformance.Skipped})
	ids := rapid.SliceOfNDistinct(rapid.StringMatching("(fingerprint|signature|crow)-[abc](-[ab])?"), 1, 8, rapid.ID)
	for i, id := range ids.Draw(t, "ids") {
		detector, _, _ := strings.Cut(id, "-")
		profile, _ := spec.DefinitionOf(spec.DetectorID(detector))
		for _, reading := range rapid.SliceOfNDistinct(rapid.SampledFrom(profile.Readings), 1, -1, rapid.ID).Draw(t, "readings") {
			r := ended(statuses.Draw(t, "status"), id, reading)
			if i == 0 {
				r.Status = conformance.Failed
			}
			if r.Status.IsFailure() {
				r.Failure = drawFailure(t)
			}
			report.Results = append(report.Results, r)
		}
	}
	return report
}

// again returns what the same run reports without a list.
func again(report *conformance.Report) *conformance.Report {
	results := slices.Clone(report.Results)
	for i := range results {
		if results[i].Status == conformance.Known {
			results[i].Status, results[i].Excuse = conformance.Failed, ""
		}
	}
	return &conformance.Report{Results: results}
}

func readBack(t *rapid.T, text string) *List {
	l, err := Read("known.yaml", []byte(text))
	if err != nil {
		t.Fatalf("what Write wrote cannot be read: %v\n%s", err, text)
	}
	return l
}

func TestAWrittenListMakesAnyRunConformant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report := again(drawReport(t))
		l := readBack(t, written(t, report, nil))
		for i := range l.Entries {
			l.Entries[i].Reason = rapid.SampledFrom([]string{"rounds down", "null", "- [x] a: b # c"}).Draw(t, "reason")
			l.Entries[i].URL = rapid.SampledFrom([]string{"", "https://example.com/7"}).Draw(t, "url")
		}
		text := written(t, report, l)
		second := readBack(t, text)
		second.Apply(report, suiteOf(report.Results), today)
		if report.Outcome() != conformance.Conformant || report.Problems != nil {
			t.Fatalf("the run is %s, with the problems %q, under\n%s", report.Outcome(), report.Problems, text)
		}
		for _, r := range report.Results {
			if r.Status == conformance.Known && r.Excuse != ownerOf(l, r).excuse() {
				t.Fatalf("the reason %q became %q", ownerOf(l, r).excuse(), r.Excuse)
			}
		}
		if third := written(t, report, second); third != text {
			t.Fatalf("written again, the list is another:\n%s\nwas\n%s", third, text)
		}
	})
}

func ownerOf(l *List, r conformance.Result) *Entry {
	for i := range l.Entries {
		if l.Entries[i].matches(r.Case, r.Reading) {
			return &l.Entries[i]
		}
	}
	return &Entry{}
}
