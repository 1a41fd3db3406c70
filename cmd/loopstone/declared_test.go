package main

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestSmallPortsAreJudgedByWhatTheyDeclare: over a pipe, from the kit's attributes to the report. With a fault, each of
// them fails, and its clause is named first.
func TestSmallPortsAreJudgedByWhatTheyDeclare(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ port, unasked, clause string }{
		{"yes_no.py", "tests of rules that the port does not declare: ", "clause FP-23 "},
		{"similar.py", "members of verdicts that the port does not declare: similarity, evidence of ralph", "clause RA-3 "},
	} {
		t.Run(test.port, func(t *testing.T) {
			t.Parallel()
			port := portOf(t, test.port)
			try(t, t.TempDir(), []trial{
				{"sound", port, []string{"test"}, conformance.Conformant, test.unasked},
				{"with a fault", with(port, "broken"), []string{"test", "--no-properties"}, conformance.NotConformant, test.clause},
				{"strict", port, []string{"test", "--no-properties", "--strict"}, conformance.NotDecided, ""},
			})
		})
	}
}

// TestWhatIsDeclaredAndNeverAskedIsNoPass: a setting of a rule that the port does not have leads to no test, and every
// report says so. A run that was narrowed is no statement about the whole.
func TestWhatIsDeclaredAndNeverAskedIsNoPass(t *testing.T) {
	t.Parallel()
	const told = "declared, but no case of the suite asks for it: setting fuzzy_threshold of fingerprint"
	port := append(portOf(t, "yes_no.py"), "boasting")
	test := func(flags ...string) []string { return append([]string{"test", "--no-properties"}, flags...) }
	try(t, t.TempDir(), []trial{
		{"the whole suite", port, test(), conformance.NotDecided, told},
		{"in JSON", port, test("--report", "json"), conformance.NotDecided, `"name": "fuzzy_threshold"`},
		{"in JSON lines", port, test("--report", "jsonl"), conformance.NotDecided, `"name":"fuzzy_threshold"`},
		{"in JUnit", port, test("--report", "junit"), conformance.NotDecided, told},
		{"in TAP", port, test("--report", "tap"), conformance.NotDecided, told},
		{"in Markdown", port, test("--report", "markdown"), conformance.NotDecided, strings.ReplaceAll(told, "_", `\_`)},
		{"one detector", port, test("--detector", "fingerprint"), conformance.Conformant, told},
		{"one case", port, test("--case", "fingerprint-exact-third-identical-call"), conformance.Conformant, told},
	})
}
