package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// suspicion is a run in shorthand: "+A B" is a case that passes and cites A and B, "-A" one that fails, "?A" and "~A"
// ones that could not be run and are known to fail. The groups are "A: numbers of the cases".
type suspicion struct {
	why     string
	results []string
	want    string
}

func (s suspicion) report() *Report {
	var r Report
	statuses := map[byte]Status{'+': Passed, '-': Failed, '?': Undecided, '~': Known}
	for i, text := range s.results {
		r.Results = append(r.Results, Result{Case: fmt.Sprint(i), Status: statuses[text[0]], Clauses: strings.Fields(text[1:])})
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

func TestSuspicion(t *testing.T) {
	for _, s := range []suspicion{
		{"nothing fails", []string{"+A", "+B"}, ""},
		{"one failure", []string{"-A"}, "A: 0"},
		{"a clause whose cases pass elsewhere is less suspect", []string{"-A B", "+A", "+A"}, "B: 0"},
		{"the clause that explains most takes all that cite it", []string{"-A B", "-B C", "-C B", "+D"}, "B: 1 0 2"},
		{"one clause after the other", []string{"-A", "-A", "-B", "+B"}, "A: 0 1; B: 2"},
		{"of equally suspect clauses the one that cases name first", []string{"-B A", "-A B", "-A B"}, "A: 1 2 0"},
		{"else the one that turns up first", []string{"-B A", "-A B"}, "B: 0 1"},
		{"what could not be run says nothing about a clause", []string{"-A B", "+A", "?B", "?B", "?B"}, "B: 0"},
		{"nor does a known failure", []string{"-A B", "+A", "~B", "~B", "~B"}, "B: 0"},
		{"known failures are no failures", []string{"~A"}, ""},
		{"failures without clauses come last", []string{"-", "-A", "-"}, "A: 1; no clause: 0 2"},
		{"many failures weigh against a single pass", []string{"-A B", "-A", "-A", "+A"}, "A: 0 1 2"},
		{"the root: 3/sqrt(3×4) is more than 2/sqrt(3×2)", []string{"-A B", "-A B", "-A", "+A"}, "A: 0 1 2"},
		{"the root: 2/sqrt(2×9) is less than 1/sqrt(2×2)", []string{"-A B", "-A", "+B", "+A", "+A", "+A", "+A", "+A", "+A", "+A"}, "B: 0; A: 1"},
	} {
		if got := groupsOf(s.report()); got != s.want {
			t.Errorf("%s: %q\n got %s\nwant %s", s.why, s.results, got, s.want)
		}
	}
}
