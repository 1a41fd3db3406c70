package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// TestOutcome states what each mix of statuses means: which of several is told, and that what proves nothing is no pass.
func TestOutcome(t *testing.T) {
	missing := Result{Status: Skipped, Missing: []spec.Feature{spec.Hashes}}
	tests := []struct {
		why    string
		report Report
		want   Outcome
	}{
		{"a pass is enough", reportOf(Passed), Conformant},
		{"a known failure is excused", reportOf(Known), Conformant},
		{"a known failure beside a pass", reportOf(Known, Passed), Conformant},
		{"skips are tolerated", reportOf(Skipped, Passed), Conformant},
		{"nothing was checked", reportOf(), NotDecided},
		{"skips alone check nothing", reportOf(Skipped), NotDecided},
		{"an open question", reportOf(Passed, Undecided), NotDecided},
		{"an open question beside a known failure", reportOf(Known, Undecided), NotDecided},
		{"a failure", reportOf(Passed, Failed), NotConformant},
		{"a failure beside an open question", reportOf(Undecided, Failed), NotConformant},
		{"a broken adapter", reportOf(Passed, Broken), AdapterFault},
		{"a broken adapter beside a failure", reportOf(Failed, Broken), AdapterFault},
		{"a case that cannot be carried out", reportOf(Passed, Faulty), SuiteFault},
		{"a suite that is wrong beside a broken adapter", reportOf(Broken, Faulty), SuiteFault},
		{"manners alone, of a suite that asks for more", mannersOf(2), NotDecided},
		{"manners alone, where nothing else is asked", mannersOf(1), Conformant},
		{"a strict run without generated traces", Report{Results: reportOf(Passed).Results, Strict: true, Suite: SuiteInfo{UncheckedLaws: 1}}, NotDecided},
		{"a run without generated traces", Report{Results: reportOf(Passed).Results, Suite: SuiteInfo{UncheckedLaws: 1}}, Conformant},
		{"known failures that do not tell the truth", Report{Results: reportOf(Passed).Results, Problems: []string{"stale"}}, NotConformant},
		{"a strict run without exceptions", Report{Results: append(reportOf(Passed).Results, missing), Strict: true}, NotDecided},
		{"a strict run that allows what is missing", Report{Results: append(reportOf(Passed).Results, missing), Strict: true, Allowed: []spec.Feature{spec.Hashes}}, Conformant},
	}
	for _, test := range tests {
		if got := test.report.Outcome(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.why, got, test.want)
		}
	}
}

func reportOf(statuses ...Status) Report {
	var r Report
	for _, s := range statuses {
		r.Results = append(r.Results, Result{Status: s})
	}
	return r
}

// mannersOf returns a report that holds a pass of the protocol alone, out of a suite of so many cases.
func mannersOf(total int) Report {
	return Report{Results: []Result{{Detector: cases.Protocol, Status: Passed}}, Suite: SuiteInfo{Selected: 1, Total: total}}
}

// TestOutcomeIsStable pins the numbers, which are exit codes that scripts test for, and the words.
func TestOutcomeIsStable(t *testing.T) {
	for number, want := range map[int]string{
		0: "conformant", 1: "not conformant", 2: "undecided", 3: "adapter at fault", 4: "suite at fault", 64: "usage",
	} {
		if got := Outcome(number).String(); got != want {
			t.Errorf("outcome %d: got %q, want %q", number, got, want)
		}
	}
	for outcome, want := range map[Outcome]int{
		Conformant: 0, NotConformant: 1, NotDecided: 2, AdapterFault: 3, SuiteFault: 4, Usage: 64,
	} {
		if int(outcome) != want {
			t.Errorf("%s: got the number %d, want %d", outcome, outcome, want)
		}
	}
}

// localisation is a run in shorthand: "+A B" is a case that passes and cites A and B, "-A" one that fails, "?A" and "~A"
// ones that could not be run and are known to fail; "!A" is agreement that fails. The groups are "A: numbers of the cases".
type localisation struct {
	why     string
	results []string
	want    string
}

func (s localisation) report() *Report {
	var r Report
	statuses := map[byte]Status{'+': Passed, '-': Failed, '?': Undecided, '~': Known, '!': Failed}
	for i, text := range s.results {
		result := Result{Case: fmt.Sprint(i), Status: statuses[text[0]], Clauses: strings.Fields(text[1:])}
		if text[0] == '!' {
			result.Case, result.Tags = result.Case+"-law-agreement", []string{"law"}
		}
		r.Results = append(r.Results, result)
	}
	return &r
}

func groupsOf(r *Report) string {
	var groups []string
	for _, g := range r.ByClause() {
		text := g.Clause + ":"
		for _, result := range g.Results {
			text += " " + result.Case
		}
		groups = append(groups, text)
	}
	return strings.Join(groups, "; ")
}

// with returns results, and so many more that are all the same.
func with(more string, times int, results ...string) []string {
	return append(results, slices.Repeat([]string{more}, times)...)
}

func TestFaultLocalisation(t *testing.T) {
	for _, s := range []localisation{
		{"nothing fails", []string{"+A", "+B"}, ""},
		{"one failure", []string{"-A"}, "A: 0"},
		{"a clause whose cases pass elsewhere is less suspicious", with("+A", 12, "-A B"), "B: 0"},
		{"the clause that explains most takes all that cite it", []string{"-A B", "-B C", "-C B", "+D"}, "B: 1 0 2"},
		{"a failure that names no other clause comes first", []string{"-A B", "-A"}, "A: 1 0"},
		{"one clause after the other", []string{"-A", "-A", "-B", "+B"}, "A: 0 1; B: 2"},
		{"of equally suspicious clauses the one that cases name first", []string{"-B A", "-A B", "-A B"}, "A: 1 2 0"},
		{"else the one that turns up first", []string{"-B A", "-A B"}, "B: 0 1"},
		{"what could not be run says nothing about a clause", with("+A", 12, "-A B", "?B", "?B", "?B"), "B: 0"},
		{"nor does a known failure", with("+A", 12, "-A B", "~B", "~B", "~B"), "B: 0"},
		{"a test says half as much of a clause that it cites later", []string{"-A B", "-A B", "-B A", "+B", "+A"}, "A: 0 1 2"},
		{"known failures are no failures", []string{"~A"}, ""},
		{"failures without clauses come last", []string{"-", "-A", "-"}, "A: 1; no clause: 0 2"},
		{"many failures weigh against a single pass", []string{"-A B", "-A", "-A", "+A"}, "A: 1 2 0"},
		{"agreement says no more than a case does", with("+B", 12, "!A", "-B A"), "A: 1; A: 0-law-agreement"},
		{"agreement alone is all that is known", []string{"!A", "+A"}, "A: 0-law-agreement"},
		{"the root: 3/sqrt(3×4) is more than 2/sqrt(3×2)", []string{"-A B", "-A B", "-A", "+A"}, "A: 2 0 1"},
		{"the root: 3/sqrt(2×63) is less than ½/sqrt(2×1½)", with("+A", 60, "-A B", "-A"), "B: 0; A: 1"},
	} {
		if got := groupsOf(s.report()); got != s.want {
			t.Errorf("%s: %q\n got %s\nwant %s", s.why, s.results, got, s.want)
		}
	}
}

// TestTheClauseOfASilentRuleComesFirst: where a rule says nothing, its cases seem to break all that it looks at.
func TestTheClauseOfASilentRuleComesFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		silent []spec.VerdictKind
		missed int // of the tests that want such a loop, one in so many passes
		want   string
	}{
		{"one rule", []spec.VerdictKind{spec.KindMonologue}, 1000, "CR-41"},
		{"the rule whose loops are seen least", []spec.VerdictKind{spec.KindMonologue, spec.KindAlternating}, 1000, "CR-41"},
		{"a rule that speaks now and then", []spec.VerdictKind{spec.KindMonologue}, 5, "CR-41"},
	} {
		if first := silenced(t, test.silent, test.missed).ByClause()[0].Clause; first != test.want {
			t.Errorf("%s: %s comes first, want %s", test.why, first, test.want)
		}
	}
	r := silenced(t, []spec.VerdictKind{spec.KindMonologue}, 1000)
	for i := range r.Results {
		if result := &r.Results[i]; result.Status == Failed && i%10 == 0 {
			result.Clauses = []string{"CR-5"}
		} else {
			result.Status = Passed
		}
	}
	if first := r.ByClause()[0].Clause; first != "CR-5" {
		t.Errorf("a rule that nearly always speaks: %s comes first, want CR-5", first)
	}
}

// TestWrongEvidenceIsToldFromItsCause: where nothing but evidence is wrong, a clause about evidence is broken; where
// more is, the evidence follows from it.
func TestWrongEvidenceIsToldFromItsCause(t *testing.T) {
	t.Parallel()
	evidence := Result{
		Detector: spec.Guards, Status: Failed, Clauses: []string{"PR-34", "GU-8"},
		Failure: &Failure{Differences: []Difference{{Path: "evidence[0]", Want: "1", Got: "0"}}},
	}
	order := evidence
	order.Clauses, order.Failure = []string{"GU-8", "PR-34"}, &Failure{Problem: "no ascending list"}
	count := evidence
	count.Clauses, count.Failure = []string{"GU-8"}, &Failure{Differences: []Difference{{Path: "count", Want: "1", Got: "0"}}}
	alone := evidence
	alone.Clauses = []string{"PR-34"}
	for _, test := range []struct {
		reason  string
		results []Result
		want    string
	}{
		{"nothing but evidence", []Result{evidence, order, order}, "PR-34"},
		{"a count, too", []Result{evidence, evidence, count}, "GU-8"},
		{"no other clause is cited", []Result{alone, alone, count}, "PR-34"},
	} {
		if got := (&Report{Results: test.results}).ByClause()[0].Clause; got != test.want {
			t.Errorf("%s: %s comes first, want %s", test.reason, got, test.want)
		}
	}
}

// silenced is a report of crow in the reading text that misses the loops of these kinds, but for one in so many.
func silenced(t *testing.T, kinds []spec.VerdictKind, but int) *Report {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	for _, c := range all {
		if c.Detector != spec.Crow {
			continue
		}
		for _, kind := range factsOf(c.ID).kinds {
			result := Result{Case: c.ID, Detector: spec.Crow, Reading: spec.Text, Clauses: []string{"PR-1"}, Status: Passed}
			if slices.Contains(kinds, kind) && len(r.Results)%but != but-1 {
				result.Status = Failed
				result.Failure = &Failure{Differences: []Difference{
					{Path: "loop", Want: "true", Got: "false"}, {Path: "kind", Want: spec.StringValue(string(kind)).String()},
				}}
			}
			r.Results = append(r.Results, result)
		}
	}
	return &r
}

// TestARefusalThatChangesSomethingIsNamed: where all that fails of a detector fails after a refusal, PR-26 is broken,
// whatever else the cases cite.
func TestARefusalThatChangesSomethingIsNamed(t *testing.T) {
	t.Parallel()
	after := Result{File: "x.yaml", Status: Failed, Clauses: []string{"CR-22", "PR-26"}, Failure: &Failure{Refused: true}}
	other := Result{File: "x.yaml", Status: Failed, Clauses: []string{"CR-22"}, Failure: &Failure{}}
	passes := Result{File: "x.yaml", Status: Passed, Clauses: []string{"PR-26"}}
	for _, test := range []struct {
		reason  string
		results []Result
		want    string
	}{
		{"all fail after a refusal", []Result{passes, passes, after}, "PR-26"},
		{"another fails too", []Result{passes, passes, after, other}, "CR-22"},
	} {
		if got := (&Report{Results: test.results}).ByClause()[0].Clause; got != test.want {
			t.Errorf("%s: %s comes first, want %s", test.reason, got, test.want)
		}
	}
}

// TestAResultCitesTheClausesOfItsReading: nobody is shown a clause of a reading that was not judged.
func TestAResultCitesTheClausesOfItsReading(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		for _, reading := range c.Readings {
			result := newResult(c, reading)
			for _, id := range result.Clauses {
				if clause, _ := spec.ClauseByID(id); !clause.Binds(reading) {
					t.Errorf("%s cites %s, which does not hold there", result.Name(), id)
				}
			}
			if len(result.Clauses) == 0 {
				t.Errorf("%s cites no clause", result.Name())
			}
		}
	}
}
