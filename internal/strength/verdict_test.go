package strength

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/internal/strength/mutation"
	"github.com/loopstone/loopstone/spec"
)

func outcome(id int, change string, killers ...string) Outcome {
	return Outcome{Mutant: mutation.Mutant{
		ID: id, Package: "reference/a", File: "a.go", Function: "f", Change: change, Occurrence: 1,
	}, Killers: killers}
}

func TestAssess(t *testing.T) {
	t.Parallel()
	outcomes := []Outcome{outcome(1, "x → y", "case-1"), outcome(2, "x → z"), outcome(3, "x → y", "case-1")}
	outcomes[2].Mutant.Function = "h"
	tests := []struct {
		reason, list string
		problem      string // empty for none
	}{
		{"a survivor that nobody excuses", "equivalent: []", "a.go:0: f: x → z: survived (mutant 2)"},
		{"a survivor with a proof", entry("x → z"), ""},
		{"a proof of a mutant that is killed", entry("x → z", "x → y"), "is no equivalent: case-1 kills it"},
		{"a proof of a mutant that is not there any more", entry("x → z", "x → w"), "no such mutant: x → w"},
		{"a function out of scope, of which a case kills a part", scope("f"), ""},
		{"a mutant out of scope that is killed", scope("f") + "    mutants: [\"x → y\", \"x → z\"]\n", "f: x → y is within the scope: case-1 kills it"},
		{"a function out of scope of which nothing is left", entry("x → z") + scope("h"), "a.go h: the cases kill all of it"},
		{"a function whose faults show by chance", entry("x → z") + strings.Replace(scope("h"), "scope:", "chance:", 1), ""},
		{"a function out of scope that is not there", entry("x → z") + scope("g"), "a.go g: no such mutants"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			exempt, err := ReadExemptions("list.yaml", []byte(test.list+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			checkProblem(t, Assess(outcomes, exempt, nil).Err(), test.problem)
		})
	}
}

func TestAMutantThatOnlyOtherClausesCatch(t *testing.T) {
	t.Parallel()
	suite := []cases.Case{{ID: "case-1", Clauses: []string{"FP-3"}}, {ID: "case-2", Clauses: []string{"FP-4"}}}
	tests := []struct {
		reason, clause, list string
		problem              string // empty for none
	}{
		{"a case of its clause", "FP-3", "equivalent: []", ""},
		{"a place without a clause", "", "equivalent: []", ""},
		{"cases of other clauses", "FP-4", "equivalent: []", "a.go:0: f: x → y: it breaks FP-4, but is killed only by cases of other clauses, such as case-1"},
		{"a list that says what it breaks", "FP-4", breaks("FP-3", "x → y"), ""},
		{"a list that says another clause, which is no better", "FP-3", breaks("FP-4", "x → y"), "it breaks FP-4, but"},
		{"a list with a mutant that is not there", "FP-3", breaks("FP-3", "x → z"), "no such mutant: x → z"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			exempt, err := ReadExemptions("list.yaml", []byte(test.list+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			o := outcome(1, "x → y", "case-1")
			o.Mutant.Clauses = strings.Fields(test.clause)
			checkProblem(t, Assess([]Outcome{o}, exempt, suite).Err(), test.problem)
		})
	}
}

func breaks(clause, change string) string {
	return "breaks:\n  - file: a.go\n    function: f\n    clauses: [" + clause + "]\n    mutants: [\"" + change + "\"]\n"
}

// TestRecord shows what counts as a kill: not what most cases of a detector notice, and nothing of what is out of scope.
func TestRecord(t *testing.T) {
	t.Parallel()
	suite := []cases.Case{
		{ID: "crow-1", Detector: spec.Crow, Clauses: []string{"CR-1", "CR-2"}},
		{ID: "crow-2", Detector: spec.Crow, Clauses: []string{"CR-2"}},
		{ID: "crow-3", Detector: spec.Crow},
		{ID: "line", Detector: cases.Protocol},
	}
	alone, gross, excused := outcome(1, "x → 1", "crow-1"), outcome(2, "x → 2", "crow-1", "crow-2"), outcome(3, "x → 3")
	alone.Mutant.Clauses, gross.Mutant.Clauses, excused.Mutant.Function = []string{"CR-1"}, []string{"CR-2"}, "g"
	list := Assess([]Outcome{alone, gross, excused}, &Exemptions{Scope: []Exemption{{File: "a.go", Function: "g"}}}, suite).Record(suite)
	want := map[string]kills.Record{
		"crow-1": {Demand: kills.Demand(suite[0]), Kills: 1, Alone: []string{"a.go: f: x → 1"}, Clauses: []string{"CR-1", "CR-2"}},
		"crow-2": {Demand: kills.Demand(suite[1]), Clauses: []string{"CR-2"}},
		"crow-3": {Demand: kills.Demand(suite[2])},
	}
	if diff := cmp.Diff(want, list.Cases); diff != "" {
		t.Errorf("the cases (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"CR-1": 1, "CR-2": 1}, list.Clauses); diff != "" {
		t.Errorf("the clauses (-want +got):\n%s", diff)
	}
}

func entry(changes ...string) string {
	text := "equivalent:\n  - file: a.go\n    function: f\n    proof: It is so.\n    mutants:\n"
	for _, c := range changes {
		text += "      - \"" + c + "\"\n"
	}
	return text
}

func scope(function string) string {
	return "scope:\n  - file: a.go\n    function: " + function + "\n    reason: It is so.\n"
}

func checkProblem(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("got %v, want no problem", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestExemptionsThatAreWrong(t *testing.T) {
	t.Parallel()
	for reason, text := range map[string]string{
		"no proof":          "equivalent:\n  - file: a.go\n    mutants: [x]\n",
		"no mutants":        "equivalent:\n  - file: a.go\n    proof: It is so.\n",
		"an unknown member": "equivalent:\n  - file: a.go\n    why: Because.\n",
		"no list":           "equivalent: none\n",
		"an unknown list":   "excused: []\n",
		"an unknown clause": "breaks:\n  - file: a.go\n    clauses: [FP-999]\n",
		"no clauses":        "breaks:\n  - file: a.go\n    function: f\n",
	} {
		if _, err := ReadExemptions("list.yaml", []byte(text)); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}
