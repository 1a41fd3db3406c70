package strength

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/strength/mutation"
)

// TestGuardPage shows that each file has its row, that they add up, and that proofs are told.
func TestGuardPage(t *testing.T) {
	equal := mutation.Mutant{ID: 2, File: "a/x.go", Function: "f", Change: "1 → 2"}
	v := Assess([]Outcome{
		{Mutant: mutation.Mutant{ID: 1, File: "a/x.go"}, Killers: []string{"the tests of ./a"}},
		{Mutant: equal},
		{Mutant: mutation.Mutant{ID: 3, File: "a/y.go"}},
	}, &Exemptions{Equivalent: []Exemption{{File: "a/x.go", Function: "f", Changes: []string{"1 → 2"}, Reason: "It is the same."}}}, nil)
	page := string(GuardPage(v, &Exemptions{Equivalent: []Exemption{{File: "a/x.go", Function: "f", Reason: "It is the same."}}}))
	for _, want := range []string{
		"| a/x.go | 2 | 1 | 1 | 0 | 0 |", "| a/y.go | 1 | 0 | 0 | 0 | 1 |", "| all | 3 | 1 | 1 | 0 | 1 |", "- **f**: It is the same.",
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("want the line %q in the page:\n%s", want, page)
		}
	}
	if strings.Contains(page, "## Out of scope") {
		t.Error("a heading stands over an empty list")
	}
	if v.Err() == nil {
		t.Error("a survivor is no problem")
	}
}

// TestGuardsAreThere fails where a file was renamed that a guard names.
func TestGuardsAreThere(t *testing.T) {
	g := &GuardBuild{owners: map[string]int{"a/x.go": 0}}
	err := g.choose("/root", &mutation.Program{})
	if want := "no mutants in a/x.go"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
