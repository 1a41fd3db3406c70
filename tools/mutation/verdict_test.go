package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/mutation/plant"
)

func judged(id int, function, change string, killers ...string) outcome {
	return outcome{Mutant: plant.Mutant{
		ID: id, Package: "reference/a", File: "reference/a/a.go", Function: function, Change: change,
	}, Killers: killers}
}

func TestAssess(t *testing.T) {
	t.Parallel()
	outcomes := []outcome{judged(1, "f", "x → y", "case-1"), judged(2, "f", "x → z"), judged(3, "h", "x → y", "case-1")}
	tests := []struct {
		reason, list string
		problem      string // empty for none
	}{
		{"a survivor that nobody excuses", "{}", "a.go:0: f: x → z: survived"},
		{"a survivor with a proof", entry("a.f", "x → z"), ""},
		{"a proof that stands for the package", entry("a", "x → z"), ""},
		{"a proof of a mutant that is killed", entry("a.f", "x → z", "x → y"), "f: x → y is not equivalent: case-1 kills it"},
		{
			"a proof of a mutant that is not there any more", entry("a.f", "x → z", "xy → z"),
			"no such mutant: xy → z; the nearest is a.f: x → z",
		},
		{"a proof that fits two mutants", entry("a", "x → z", "x → y"), "2 mutants: x → y; say in which function"},
		{"a mutant that a clause allows", scope("a.f", "x → z"), ""},
		{"a mutant out of scope that is killed", scope("a.f", "x → z", "x → y"), "f: x → y is not out of scope: case-1 kills it"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			exempt, err := readExemptions("list.yaml", []byte(test.list+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			_, err = assess(outcomes, exempt)
			if test.problem == "" && err != nil || test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)) {
				t.Errorf("got %v, want %q", err, test.problem)
			}
		})
	}
}

func entry(in string, changes ...string) string {
	return exemptionList("equivalent", "proof", in, changes)
}

func scope(in string, changes ...string) string { return exemptionList("scope", "reason", in, changes) }

func exemptionList(name, reason, in string, changes []string) string {
	text := name + ":\n  - in: " + in + "\n    " + reason + ": It is so.\n    mutants:\n"
	for _, c := range changes {
		text += "      - \"" + c + "\"\n"
	}
	return text
}

func TestExemptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	for reason, text := range map[string]string{
		"no proof":          "equivalent:\n  - in: a\n    mutants: [x]\n",
		"no mutants":        "equivalent:\n  - in: a\n    proof: It is so.\n",
		"an unknown member": "equivalent:\n  - in: a\n    why: Because.\n",
		"no list":           "equivalent: none\n",
		"an unknown list":   "excused: []\n",
	} {
		if _, err := readExemptions("list.yaml", []byte(text)); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}

// TestProve shows what counts as a kill: not what most cases of a detector notice, and what a citation proves.
func TestProve(t *testing.T) {
	t.Parallel()
	suite := []cases.Case{
		{ID: "crow-1", Detector: spec.Crow, Clauses: []string{"CR-1", "CR-2"}},
		{ID: "crow-2", Detector: spec.Crow, Clauses: []string{"CR-1"}, Why: "It is so. " + purposeHead + "nothing."},
		{ID: "crow-3", Detector: spec.Crow, Example: true},
		{ID: "line", Detector: cases.Protocol, Clauses: []string{"PR-1"}},
	}
	alone, isGross := judged(1, "f", "x → 1", "crow-1"), judged(2, "f", "x → 2", "crow-1", "crow-2")
	alone.Clauses, isGross.Clauses = []string{"CR-1"}, []string{"CR-2"}
	v, _ := assess([]outcome{alone, isGross}, nil)
	p := v.prove(suite)
	if diff := cmp.Diff(map[string]int{"crow-1": 1}, p.kills); diff != "" {
		t.Errorf("kills (-want +got):\n%s", diff)
	}
	clauses := []spec.Clause{
		{ID: "CR-1", Level: spec.Must}, {ID: "PR-1", Level: spec.Must}, {ID: "CR-3", Level: spec.Must, File: "crow.md", Line: 7}, {ID: "CR-4"},
	}
	want := ":0:0: crow-2 cites CR-1, but kills none of its mutants; it kills some of CR-2\n" +
		"clauses/crow.md:7:1: no case proves CR-3, which is a MUST"
	if diff := cmp.Diff(want, p.check(suite, clauses).Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestEachCaseIsForSomething(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		c      cases.Case
		kills  int
		want   string // empty for no problem
	}{
		{"it kills a mutant", cases.Case{}, 1, ""},
		{"it kills none", cases.Case{}, 0, "kills no mutant, and its why does not say what it is for"},
		{"it kills none and says what it is for", cases.Case{Why: purposeHead + "it is one."}, 0, ""},
		{"it is an example of a document", cases.Case{Example: true}, 0, ""},
		{"it says that it kills none, and kills", cases.Case{Why: purposeHead + "it is one."}, 2, "kills 2 mutants, but its why says"},
	} {
		p := &proof{kills: map[string]int{"": test.kills}}
		if got := p.purpose(test.c); test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
