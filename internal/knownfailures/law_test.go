package knownfailures

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

var today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// drawFailure returns a failure anywhere in a case, with paths as ports can make them up.
func drawFailure(t *rapid.T) *conformance.Failure {
	f := &conformance.Failure{Steps: rapid.IntRange(0, 3).Draw(t, "steps")}
	f.Step = rapid.IntRange(0, f.Steps).Draw(t, "step")
	path := rapid.OneOf(
		rapid.SampledFrom([]string{"", "count", "kind", "y", "evidence[1]", "fingerprints[0].count", "a: b # c", "\u2028"}),
		rapid.String(),
	)
	for _, p := range rapid.SliceOfN(path, 0, 2).Draw(t, "paths") {
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
			if failed(r) {
				r.Failure = drawFailure(t)
			}
			if r.Status == conformance.Known {
				r.Excuse = rapid.SampledFrom([]string{"rounds down (https://example.com/7)", "null", "- [x] a: b # c"}).Draw(t, "excuse")
			}
			report.Results = append(report.Results, r)
		}
	}
	return report
}

// again returns what the same run reports without a ledger.
func again(report *conformance.Report) *conformance.Report {
	results := slices.Clone(report.Results)
	for i := range results {
		if results[i].Status == conformance.Known {
			results[i].Status, results[i].Excuse = conformance.Failed, ""
		}
	}
	return &conformance.Report{Results: results}
}

func readBack(t *rapid.T, text string) *Ledger {
	l, err := Read("known.yaml", []byte(text))
	if err != nil {
		t.Fatalf("what Write wrote cannot be read: %v\n%s", err, text)
	}
	return l
}

func TestAWrittenLedgerMakesAnyRunConformant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report := drawReport(t)
		text := written(t, report)
		next := again(report)
		readBack(t, text).Apply(next, suiteOf(next.Results), today)
		if next.Outcome() != conformance.Conformant || next.Problems != nil {
			t.Fatalf("the run is %s, with the problems %q, under\n%s", next.Outcome(), next.Problems, text)
		}
		for i, r := range report.Results {
			if r.Status == conformance.Known && next.Results[i].Excuse != r.Excuse {
				t.Fatalf("the reason %q became %q", r.Excuse, next.Results[i].Excuse)
			}
		}
		if written(t, next) != text {
			t.Fatalf("written again, the ledger is another:\n%s\nwas\n%s", written(t, next), text)
		}
	})
}

func TestAnyChangeOfOneFailureIsNoticed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report := again(drawReport(t))
		l := readBack(t, written(t, report))
		i := rapid.SampledFrom(failures(report)).Draw(t, "changed")
		r := &report.Results[i]
		r.Status = rapid.SampledFrom([]conformance.Status{
			conformance.Passed, conformance.Undecided, conformance.Broken, conformance.Faulty, conformance.Skipped, conformance.Failed,
		}).Draw(t, "status")
		if r.Status == conformance.Failed {
			r.Failure = &conformance.Failure{Step: 7, Steps: 9, Differences: []conformance.Difference{{Path: "new"}}}
			if e := ownerOf(l, *r); e.Step == AnyStep && e.Member == "" {
				t.Skip("the entry does not say where the case fails")
			}
		}
		l.Apply(report, suiteOf(report.Results), today)
		if len(report.Problems) != 1 || !strings.Contains(report.Problems[0], nameOf(*r)) {
			t.Fatalf("%s is %s now, and the problems are %q", nameOf(*r), r.Status, report.Problems)
		}
		for k, other := range report.Results {
			if other.Case != r.Case && other.Status == conformance.Failed {
				t.Fatalf("%s, which did not change, is not excused", nameOf(report.Results[k]))
			}
		}
	})
}

func failures(report *conformance.Report) []int {
	var list []int
	for i, r := range report.Results {
		if failed(r) {
			list = append(list, i)
		}
	}
	return list
}

func ownerOf(l *Ledger, r conformance.Result) Entry {
	for _, e := range l.Entries {
		if e.matches(r.Case, r.Reading) {
			return e
		}
	}
	return Entry{}
}

// drawLedger returns entries that match some, several or none of the cases that drawReport makes up.
func drawLedger(t *rapid.T) *Ledger {
	l := &Ledger{}
	patterns := rapid.SampledFrom([]string{"crow-a", "crow-*", "signature-[ab]", "signature-?-a", "fingerprint-*-b", "*-c", "guards-*"})
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		l.Entries = append(l.Entries, Entry{
			Case:    patterns.Draw(t, "pattern"),
			Reading: rapid.SampledFrom([]spec.Reading{"", "", spec.Text, spec.Code}).Draw(t, "reading"),
			Step:    rapid.SampledFrom([]int{AnyStep, AnyStep, 0, 1}).Draw(t, "step"),
			Member:  rapid.SampledFrom([]string{"", "", "count"}).Draw(t, "member"),
			Expires: rapid.SampledFrom([]string{"", "", "2026-11-20", "2026-11-19"}).Draw(t, "expires"),
			Reason:  fmt.Sprint("reason ", len(l.Entries)),
		})
	}
	return l
}

// holds restates the rule of the package's description for one entry: it returns whether the entry holds and whether
// it is about the run at all.
func holds(l *Ledger, i int, results []conformance.Result) (ok, matches bool) {
	e := l.Entries[i]
	ok = e.Expires != "2026-11-19"
	ids := map[string]bool{}
	for _, r := range results {
		if !isFor(e, r) {
			continue
		}
		matches, ids[r.Case] = true, true
		right := r.Status == conformance.Failed && (e.Step == AnyStep || r.Failure.Step == e.Step)
		if e.Member != "" && right {
			right = slices.ContainsFunc(r.Failure.Differences, func(d conformance.Difference) bool {
				return strings.HasPrefix(strings.ReplaceAll(d.Path, "[", ".")+".", e.Member+".")
			})
		}
		ok = ok && right
		for k, other := range l.Entries {
			ok = ok && (k == i || !isFor(other, r))
		}
	}
	return ok && len(ids) <= 20, matches
}

func isFor(e Entry, r conformance.Result) bool {
	ok, err := path.Match(e.Case, r.Case)
	return err == nil && ok && (e.Reading == "" || e.Reading == r.Reading)
}

func TestApplyAgreesWithTheRuleRestated(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		report, l := again(drawReport(t)), drawLedger(t)
		want := again(report)
		wrong := false
		for i := range l.Entries {
			ok, matches := holds(l, i, report.Results)
			wrong = wrong || !ok || !matches
			for k, r := range report.Results {
				if ok && isFor(l.Entries[i], r) {
					want.Results[k].Status, want.Results[k].Excuse = conformance.Known, l.Entries[i].Reason
				}
			}
		}
		l.Apply(report, nil, today)
		if diff := cmp.Diff(want.Results, report.Results); diff != "" {
			t.Fatalf("results differ (-want +got):\n%s", diff)
		}
		if wrong != (report.Problems != nil) {
			t.Fatalf("an entry does not hold: %v; the problems are %q", wrong, report.Problems)
		}
	})
}
