package strength

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/strength/mutation"
)

func outcome(id int, change string, killers ...string) Outcome {
	return Outcome{Mutant: mutation.Mutant{
		ID: id, Package: "reference/a", File: "a.go", Function: "f", Change: change, Occurrence: 1,
	}, Killers: killers}
}

func TestAssess(t *testing.T) {
	t.Parallel()
	outcomes := []Outcome{outcome(1, "x → y", "case-1"), outcome(2, "x → z")}
	tests := []struct {
		reason, list string
		problem      string // empty for none
	}{
		{"a survivor that nobody excuses", "equivalent: []", "a.go:0: f: x → z: survived (mutant 2)"},
		{"a survivor with a proof", entry("x → z"), ""},
		{"a proof of a mutant that is killed", entry("x → z", "x → y"), "is no equivalent: case-1 kills it"},
		{"a proof of a mutant that is not there any more", entry("x → z", "x → w"), "no such mutant: x → w"},
		{"a function out of scope", scope("f"), ""},
		{"a function out of scope that is not there", entry("x → z") + scope("g"), "a.go g: no such mutants"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			exempt, err := ReadExemptions("list.yaml", []byte(test.list+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			checkProblem(t, Assess(outcomes, exempt).Err(), test.problem)
		})
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
	} {
		if _, err := ReadExemptions("list.yaml", []byte(text)); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}
