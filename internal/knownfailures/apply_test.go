package knownfailures

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// run is what a ledger is applied to.
type run struct {
	results []conformance.Result
	suite   []cases.Case // the whole one; nil where it is that of the results
	today   string       // 2026-11-20 where it is empty
}

func (r run) apply(t *testing.T, text string) *conformance.Report {
	t.Helper()
	l, err := Read("known.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if r.suite == nil {
		r.suite = suiteOf(r.results)
	}
	if r.today == "" {
		r.today = "2026-11-20"
	}
	report := &conformance.Report{Results: r.results}
	l.Apply(report, r.suite, day(t, r.today))
	return report
}

// gate is one way in which a ledger can fail to tell the truth: a run that shows it, and one in which the same ledger
// holds.
type gate struct {
	reason   string // why the gate is there
	ledger   string
	wrong    run
	problems []string // what the wrong run has to say
	right    run
}

const (
	one     = "known:\n  - case: history-a\n    step: 2\n    member: count\n    reason: why\n"
	several = "known:\n  - case: history-*\n    reason: why\n"
	until   = "known:\n  - case: history-a\n    reason: why\n    expires: \"2026-11-20\"\n"
)

// as is the run in which one entry holds for history-a alone.
func as() run {
	return run{results: []conformance.Result{wrong("history-a", spec.Code, 2, "count"), ended(conformance.Passed, "history-b", spec.Code)}}
}

// both is the run in which the entry for several cases holds.
func both() run {
	return run{results: []conformance.Result{wrong("history-a", spec.Code, 2, "count"), wrong("history-b", spec.Code, 1)}}
}

func with(r conformance.Result) run {
	return run{results: []conformance.Result{r, ended(conformance.Passed, "history-b", spec.Code)}}
}

func withB(b conformance.Result) run {
	return run{results: []conformance.Result{wrong("history-a", spec.Code, 2, "count"), b}}
}

func gates() map[string]gate {
	return map[string]gate{
		"stale": {
			reason:   "a fixed failure that stays excused hides its return",
			ledger:   one,
			wrong:    with(ended(conformance.Passed, "history-a", spec.Code)),
			problems: []string{`known.yaml:2:5: the case passes now; delete the entry: history-a (code)`},
			right:    as(),
		},
		"stale in part": {
			reason:   "a pattern must not cover cases that pass",
			ledger:   several,
			wrong:    withB(ended(conformance.Passed, "history-b", spec.Code)),
			problems: []string{`known.yaml:2:5: 1 of 2 cases pass now; narrow the entry to the others: history-b (code)`},
			right:    both(),
		},
		"changed step": {
			reason: "another step is another fault",
			ledger: one,
			wrong:  with(wrong("history-a", spec.Code, 3, "count")),
			problems: []string{`known.yaml:2:5: the case fails otherwise than at step 2 in member "count"; ` +
				`look at the failure again, then correct the entry: history-a (code) at step 3 in member "count"`},
			right: as(),
		},
		"changed member": {
			reason: "another member is another fault",
			ledger: one,
			wrong:  with(wrong("history-a", spec.Code, 2, "counts", "kind")),
			problems: []string{`known.yaml:2:5: the case fails otherwise than at step 2 in member "count"; ` +
				`look at the failure again, then correct the entry: history-a (code) at step 2 in member "counts"`},
			right: with(wrong("history-a", spec.Code, 2, "kind", "count[1].x")),
		},
		"changed to a panic": {
			reason: "a fault outside the steps is another one too",
			ledger: one,
			wrong:  with(wrong("history-a", spec.Code, 0)),
			problems: []string{`known.yaml:2:5: the case fails otherwise than at step 2 in member "count"; ` +
				`look at the failure again, then correct the entry: history-a (code) outside the steps`},
			right: as(),
		},
		"expired": {
			reason:   "a promise to look again is kept",
			ledger:   until,
			wrong:    run{results: as().results, today: "2026-11-21"},
			problems: []string{`known.yaml:2:5: expired on 2026-11-20; look at the failure again, then set a later day or delete the entry`},
			right:    as(),
		},
		"unmatched": {
			reason:   "a misspelt pattern excuses nothing",
			ledger:   one,
			wrong:    run{results: []conformance.Result{ended(conformance.Passed, "history-b", spec.Code)}},
			problems: []string{`known.yaml:2:5: "history-a" matches no case; correct the pattern or delete the entry`},
			right:    run{results: []conformance.Result{ended(conformance.Passed, "history-b", spec.Code)}, suite: suiteOf(as().results)},
		},
		"unmatched reading": {
			reason: "a reading that the case does not have excuses nothing",
			ledger: "known:\n  - case: crow-a\n    reading: text\n    reason: why\n",
			wrong:  run{results: []conformance.Result{wrong("crow-a", spec.Code, 1)}},
			problems: []string{
				`known.yaml:2:5: "crow-a" matches cases, but none that has the reading text; correct the reading or delete the entry`,
			},
			right: run{results: []conformance.Result{ended(conformance.Passed, "crow-a", spec.Code), wrong("crow-a", spec.Text, 1)}},
		},
		"unmatched in the protocol": {
			reason: "cases of the protocol have no reading, and not every run asks them",
			ledger: "known:\n  - case: protocol-end\n    reason: why\n",
			wrong:  run{results: with(ended(conformance.Passed, "protocol-start", "")).results},
			problems: []string{
				`known.yaml:2:5: "protocol-end" matches no case; correct the pattern or delete the entry`,
			},
			right: run{results: with(ended(conformance.Passed, "history-a", spec.Code)).results, suite: []cases.Case{{ID: "protocol-end"}}},
		},
		"changed member within": {
			reason: "a member whose name only begins alike is another one",
			ledger: one,
			wrong:  with(wrong("history-a", spec.Code, 2, "counts.x")),
			problems: []string{`known.yaml:2:5: the case fails otherwise than at step 2 in member "count"; ` +
				`look at the failure again, then correct the entry: history-a (code) at step 2 in member "counts.x"`},
			right: with(wrong("history-a", spec.Code, 2, "kind", "count.x")),
		},
		"too broad": {
			reason: "a port that lacks a whole ability must not declare it",
			ledger: several,
			wrong:  run{results: many(MaxCases + 1)},
			problems: []string{
				`known.yaml:2:5: "history-*" matches 21 cases, and one entry excuses at most 20; write several, each with its own reason`,
			},
			right: run{results: many(MaxCases)},
		},
		"too broad for a part of the suite": {
			reason: "a selection must not let a pattern pass that the whole suite refuses",
			ledger: several,
			wrong:  run{results: many(1), suite: suiteOf(many(MaxCases + 1))},
			problems: []string{
				`known.yaml:2:5: "history-*" matches 21 cases, and one entry excuses at most 20; write several, each with its own reason`,
			},
			right: run{results: many(1), suite: suiteOf(many(MaxCases))},
		},
		"undecided": {
			reason: "silence is not the failure that is known",
			ledger: one,
			wrong:  with(unrun(conformance.Undecided, "history-a", spec.Code, "no answer within\n5 s")),
			problems: []string{`known.yaml:2:5: the case could not be run, and a ledger excuses failures only; ` +
				`make the port answer: history-a (code), no answer within 5 s`},
			right: as(),
		},
		"broken in part": {
			reason: "a broken adapter says nothing of the port",
			ledger: several,
			wrong:  withB(broken("history-b", "a line that is\tnot JSON")),
			problems: []string{`known.yaml:2:5: 1 of 2 cases could not be run, and a ledger excuses failures only; ` +
				`make the port answer: history-b (code), a line that is not JSON`},
			right: both(),
		},
		"skipped": {
			reason: "nobody saw that the entry is right",
			ledger: one,
			wrong:  with(unrun(conformance.Skipped, "history-a", spec.Code, "the port does not declare hashes for history")),
			problems: []string{`known.yaml:2:5: the case was skipped, so that nothing shows whether the entry is still right; ` +
				`declare what the port can do or delete the entry: history-a (code), the port does not declare hashes for history`},
			right: as(),
		},
		"skipped in part": {
			reason: "once the port declares the feature, a failure there would be excused that nobody has seen",
			ledger: several,
			wrong:  withB(unrun(conformance.Skipped, "history-b", spec.Code, "")),
			problems: []string{`known.yaml:2:5: 1 of 2 cases were skipped, and a ledger excuses failures only; ` +
				`narrow the entry to what was run: history-b (code), skipped`},
			right: both(),
		},
		"double": {
			reason: "two reasons for one failure: nobody knows which of them is true",
			ledger: one + "  - case: history-[ab]\n    reason: other\n",
			wrong:  both(),
			problems: []string{
				`known.yaml:2:5: the entry at known.yaml:6:5 matches the same case; narrow one of the two: history-a (code)`,
				`known.yaml:6:5: the entry at known.yaml:2:5 matches the same case; narrow one of the two: history-a (code)`,
			},
			right: run{results: []conformance.Result{wrong("history-b", spec.Code, 1)}, suite: suiteOf(both().results)},
		},
	}
}

// broken returns the result of a case in which the adapter broke the protocol.
func broken(id, problem string) conformance.Result {
	r := ended(conformance.Broken, id, spec.Code)
	r.Failure = &conformance.Failure{Problem: problem}
	return r
}

// many returns n cases that failed, each in one reading.
func many(n int) []conformance.Result {
	var results []conformance.Result
	for i := range n {
		results = append(results, wrong("history-"+string(rune('a'+i)), spec.Code, 1))
	}
	return results
}

func TestEachGateShutsAndOpens(t *testing.T) {
	t.Parallel()
	for name, g := range gates() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := g.wrong.apply(t, g.ledger)
			if diff := cmp.Diff(g.problems, wrong.Problems); diff != "" {
				t.Errorf("%s: problems differ (-want +got):\n%s", g.reason, diff)
			}
			if n := wrong.Count(conformance.Known); n > 0 {
				t.Errorf("%s: an entry that does not hold excused %d results", g.reason, n)
			}
			if wrong.Outcome() == conformance.Conformant {
				t.Errorf("%s: the run is conformant", g.reason)
			}
			right := g.right.apply(t, g.ledger)
			if right.Problems != nil || right.Outcome() != conformance.Conformant {
				t.Errorf("%s: where the entry holds, the run is %s, with the problems %q", g.reason, right.Outcome(), right.Problems)
			}
		})
	}
}

func TestAnEntryThatHoldsExcusesWithItsReason(t *testing.T) {
	t.Parallel()
	text := "known:\n  - case: crow-a\n    reading: text\n    reason: why\n    url: https://example.com/7\n"
	report := run{results: []conformance.Result{
		wrong("crow-a", spec.Code, 1), wrong("crow-a", spec.Text, 1), wrong("crow-ab", spec.Text, 1),
	}}.apply(t, text)
	var got []string
	for _, r := range report.Results {
		got = append(got, string(r.Status)+" "+r.Excuse)
	}
	want := []string{"failed ", "known why (https://example.com/7)", "failed "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results differ (-want +got):\n%s", diff)
	}
	if report.Results[1].Failure == nil {
		t.Error("the excused result lost its failure")
	}
}

// One entry that does not hold says each of its problems, and leaves the other entries alone.
func TestProblemsOfSeveralEntries(t *testing.T) {
	t.Parallel()
	text := "known:\n" +
		"  - case: history-?\n    step: 2\n    reason: why\n    expires: \"2020-02-29\"\n" +
		"  - case: signature-a\n    reason: why\n"
	report := run{results: append(
		many(maxNamed+2),
		ended(conformance.Passed, "history-y", spec.Code),
		unrun(conformance.Undecided, "history-z", spec.Code, "no answer"),
		wrong("signature-a", spec.Code, 1),
	)}.apply(t, text)
	lines := ""
	for _, p := range report.Problems {
		lines += p + "\n"
	}
	golden(t, "several-problems.golden", lines)
	if report.Count(conformance.Known) != 1 {
		t.Errorf("%d results are excused, want the one of signature-a", report.Count(conformance.Known))
	}
}
