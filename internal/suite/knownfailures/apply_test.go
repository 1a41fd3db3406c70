package knownfailures

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// run is what a list is applied to.
type run struct {
	results []conformance.Result
	strict  bool
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
	report := &conformance.Report{Results: r.results, Strict: r.strict}
	l.Apply(report, r.suite, day(t, r.today))
	return report
}

// gate is one way in which a list can fail to tell the truth: a run that shows it, and one in which the same list
// holds.
type gate struct {
	reason   string // why the gate is there
	list     string
	wrong    run
	problems []string // what the wrong run has to say
	right    run
}

// The lists that the gates are tried with: of one case, of several alike, of one for a while.
const (
	count   = "    differs: [\"count: want 3, got 2\"]\n"
	one     = "known:\n  - case: history-a\n    step: 2\n" + count + "    reason: why\n"
	several = "known:\n  - case: history-*\n    step: 2\n" + count + "    reason: why\n"
	until   = one + "    expires: \"2026-11-20\"\n"
)

func asKnown(id string) conformance.Result { return wrong(id, spec.Code, 2, "count") }

// as is the run in which one entry holds for history-a alone.
func as() run { return with(asKnown("history-a")) }

// both is the run in which the entry for several cases holds.
func both() run { return withB(asKnown("history-b")) }

func with(r conformance.Result) run {
	return run{results: []conformance.Result{r, ended(conformance.Passed, "history-b", spec.Code)}}
}

func withB(b conformance.Result) run {
	return run{results: []conformance.Result{asKnown("history-a"), b}}
}

// changed is what is said of history-a where it fails otherwise.
func changed(how string) []string {
	return []string{"known.yaml:2:5: it fails otherwise than the entry says; look at the failure again, then correct the entry: history-a (code)" + how}
}

func gates() map[string]gate {
	law, spread := asKnown("history-law-agreement"), asKnown("history-law-agreement")
	law.Failure.Spread, spread.Failure.Spread = "on 3 of 100 traces, seed 1: 01234567", "on 4 of 100 traces, seed 1: 89abcdef"
	ofLaw := strings.Replace(strings.Replace(one, "history-a", "history-law-agreement", 1), `2"]`, `2", "`+law.Failure.Spread+`"]`, 1)
	crash, other := wrong("history-a", spec.Code, 2), wrong("history-a", spec.Code, 2)
	crash.Failure.Problem, other.Failure.Problem = "the port's process died: exit status 3", "the port's process died: exit status 4"
	return map[string]gate{
		"stale": {
			reason:   "a pattern must not cover cases that pass",
			list:     several,
			wrong:    withB(ended(conformance.Passed, "history-b", spec.Code)),
			problems: []string{`known.yaml:2:5: it passes now; delete the entry, or narrow it: history-b (code)`},
			right:    both(),
		},
		"changed step": {
			reason: "another step is another fault",
			list:   one, wrong: with(wrong("history-a", spec.Code, 3, "count")), right: as(),
			problems: changed(": failed at step 3: count: want 3, got 2"),
		},
		"further member": {
			reason: "a fault that is added in the same step is not the known one",
			list:   one, wrong: with(wrong("history-a", spec.Code, 2, "count", "kind")), right: as(),
			problems: changed(": failed at step 2: count: want 3, got 2, kind: want 3, got 2"),
		},
		"changed problem": {
			reason: "where nothing can be compared, the problem tells faults apart",
			list:   strings.Replace(one, "count: want 3, got 2", crash.Failure.Problem, 1), wrong: with(other), right: with(crash),
			problems: changed(": failed at step 2: the port's process died: exit status 4"),
		},
		"a law that is broken otherwise": {
			reason: "one counterexample must not hide all others",
			list:   ofLaw, wrong: with(spread), right: with(law),
			problems: []string{"known.yaml:2:5: it fails otherwise than the entry says; look at the failure again, then correct the entry: " +
				"history-law-agreement (code): failed at step 2: count: want 3, got 2, on 4 of 100 traces, seed 1: 89abcdef"},
		},
		"no differences": {
			reason: "an entry that does not say what differs would excuse anything",
			list:   strings.Replace(one, count, "", 1), wrong: as(),
			right: run{results: with(asKnown("history-c")).results[1:], suite: suiteOf(as().results)},
			problems: []string{"known.yaml:2:5: the entry does not say all that differs; have the file written again, with its reasons: " +
				"loopstone test --known FILE --write-known FILE: history-a (code): failed at step 2: count: want 3, got 2"},
		},
		"not looked at in a strict run": {
			reason: "nobody knows what is excused there",
			list:   strings.Replace(one, "why", "not yet looked at", 1), wrong: run{results: as().results, strict: true}, right: as(),
			problems: []string{`known.yaml:2:5: "not yet looked at" is no reason in a strict run; look at the failure, and say why the port fails there`},
		},
		"expired": {
			reason:   "a promise to look again is kept",
			list:     until,
			wrong:    run{results: as().results, today: "2026-11-21"},
			problems: []string{`known.yaml:2:5: expired on 2026-11-20; look at the failure again, then set a later day or delete the entry`},
			right:    as(),
		},
		"unmatched": {
			reason:   "a misspelt pattern excuses nothing",
			list:     one,
			wrong:    run{results: []conformance.Result{ended(conformance.Passed, "history-b", spec.Code)}},
			problems: []string{`known.yaml:2:5: "history-a" matches no case; correct the pattern or delete the entry`},
			right:    run{results: []conformance.Result{ended(conformance.Passed, "history-b", spec.Code)}, suite: suiteOf(as().results)},
		},
		"unmatched reading": {
			reason: "a reading that the case does not have excuses nothing",
			list:   "known:\n  - case: crow-a\n    reading: text\n    step: 2\n" + count + "    reason: why\n",
			wrong:  run{results: []conformance.Result{asKnown("crow-a")}},
			problems: []string{
				`known.yaml:2:5: "crow-a" matches cases, but none that has the reading text; correct the reading or delete the entry`,
			},
			right: run{results: []conformance.Result{ended(conformance.Passed, "crow-a", spec.Code), wrong("crow-a", spec.Text, 2, "count")}},
		},
		"unmatched in the protocol": {
			reason: "cases of the protocol have no reading, and not every run asks them",
			list:   "known:\n  - case: protocol-end\n    differs: [a]\n    reason: why\n",
			wrong:  run{results: with(ended(conformance.Passed, "protocol-start", "")).results},
			problems: []string{
				`known.yaml:2:5: "protocol-end" matches no case; correct the pattern or delete the entry`,
			},
			right: run{results: with(ended(conformance.Passed, "history-a", spec.Code)).results, suite: []cases.Case{{ID: "protocol-end"}}},
		},
		"too broad": {
			reason: "a port that lacks a whole ability must not declare it, and a selection does not hide it",
			list:   several,
			wrong:  run{results: many(1), suite: suiteOf(many(maxCases + 1))},
			problems: []string{
				`known.yaml:2:5: "history-*" matches 21 cases, and one entry excuses at most 20; write several, each with its own reason`,
			},
			right: run{results: many(1), suite: suiteOf(many(maxCases))},
		},
		"undecided": {
			reason: "silence is not the failure that is known",
			list:   one,
			wrong:  with(unrun(conformance.Undecided, "history-a", spec.Code, "no answer within\n5 s")),
			problems: []string{`known.yaml:2:5: it could not be run, and only failures are excused; ` +
				`make the port answer: history-a (code): undecided: no answer within 5 s`},
			right: as(),
		},
		"broken in part": {
			reason: "a broken adapter says nothing of the port",
			list:   several,
			wrong:  withB(broken("history-b", "a line that is\tnot JSON")),
			problems: []string{`known.yaml:2:5: it could not be run, and only failures are excused; ` +
				`make the port answer: history-b (code): broken: a line that is not JSON`},
			right: both(),
		},
		"skipped in part": {
			reason: "once the port declares the feature, a failure there would be excused that nobody has seen",
			list:   several,
			wrong:  withB(unrun(conformance.Skipped, "history-b", spec.Code, "")),
			problems: []string{`known.yaml:2:5: it was skipped, so that nothing shows whether the entry is right; ` +
				`declare what the port can do, or delete the entry: history-b (code): skipped`},
			right: both(),
		},
		"double": {
			reason: "two reasons for one failure: nobody knows which of them is true",
			list:   one + "  - case: history-[ab]\n    step: 2\n" + count + "    reason: other\n",
			wrong:  both(),
			problems: []string{
				`known.yaml:2:5: the entry at known.yaml:6:5 matches the same case; narrow one of the two: history-a (code)`,
				`known.yaml:6:5: the entry at known.yaml:2:5 matches the same case; narrow one of the two: history-a (code)`,
			},
			right: run{results: []conformance.Result{asKnown("history-b")}, suite: suiteOf(both().results)},
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
		results = append(results, asKnown("history-"+string(rune('a'+i))))
	}
	return results
}

func TestEachGateShutsAndOpens(t *testing.T) {
	t.Parallel()
	for name, g := range gates() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := g.wrong.apply(t, g.list)
			if diff := cmp.Diff(g.problems, wrong.Problems); diff != "" {
				t.Errorf("%s: problems differ (-want +got):\n%s", g.reason, diff)
			}
			if n := wrong.Count(conformance.Known); n > 0 {
				t.Errorf("%s: an entry that does not hold excused %d results", g.reason, n)
			}
			if wrong.Outcome() == conformance.Conformant {
				t.Errorf("%s: the run is conformant", g.reason)
			}
			right := g.right.apply(t, g.list)
			if right.Problems != nil || right.Outcome() != conformance.Conformant {
				t.Errorf("%s: where the entry holds, the run is %s, with the problems %q", g.reason, right.Outcome(), right.Problems)
			}
		})
	}
}

func TestAnEntryThatHoldsExcusesWithItsReason(t *testing.T) {
	t.Parallel()
	text := "known:\n  - case: crow-a\n    reading: text\n    step: 2\n" + count + "    reason: why\n    url: https://example.com/7\n"
	report := run{results: []conformance.Result{
		asKnown("crow-a"), wrong("crow-a", spec.Text, 2, "count"), wrong("crow-ab", spec.Text, 2, "count"),
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
		"  - case: history-?\n    step: 1\n" + count + "    reason: why\n    expires: \"2020-02-29\"\n" +
		"  - case: signature-a\n    step: 2\n" + count + "    reason: why\n"
	report := run{results: append(
		many(maxNamed+2),
		ended(conformance.Passed, "history-y", spec.Code),
		unrun(conformance.Undecided, "history-z", spec.Code, "no answer"),
		asKnown("signature-a"),
	)}.apply(t, text)
	lines := ""
	for _, p := range report.Problems {
		lines += p + "\n"
	}
	golden.Check(t, filepath.Join("testdata", "several-problems.golden"), lines)
	if report.Count(conformance.Known) != 1 {
		t.Errorf("%d results are excused, want the one of signature-a", report.Count(conformance.Known))
	}
}

// The same moment is another day elsewhere, and a list that holds in one place must not fail in another.
func TestAnEntryExpiresEverywhereAtOnce(t *testing.T) {
	t.Parallel()
	line := time.FixedZone("the date line", 14*60*60)
	l := &List{Entries: []Entry{{Case: "x", Expires: "2026-11-20"}}}
	for now, want := range map[time.Time]bool{
		time.Date(2026, 11, 21, 1, 0, 0, 0, line):      true,
		time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC): true,
		time.Date(2026, 11, 21, 1, 0, 0, 0, time.UTC):  false,
		time.Date(2026, 11, 21, 15, 0, 0, 0, line):     false,
	} {
		if got := l.Names("x", "", now); got != want {
			t.Errorf("at %s the entry holds: %t, want %t", now, got, want)
		}
	}
}

// TestAnEndedRunSaysNothingOfTheRest: an entry about a test that did not run is no problem, and excuses nothing.
func TestAnEndedRunSaysNothingOfTheRest(t *testing.T) {
	t.Parallel()
	l, err := Read("known.yaml", []byte(one))
	if err != nil {
		t.Fatal(err)
	}
	results := []conformance.Result{unrun(conformance.Undecided, "history-a", spec.Code, "not run: the run was ended")}
	report := &conformance.Report{Results: results}
	l.ApplyToEnded(report, suiteOf(results), day(t, "2026-11-20"))
	if report.Problems != nil || report.Count(conformance.Known) > 0 || report.Outcome() != conformance.NotDecided {
		t.Errorf("%s, with the problems %q", report.Outcome(), report.Problems)
	}
}
