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
	for _, test := range []struct{ port, asked, unasked, clause string }{
		{"yes_no.py", "conformant: ", "tests of rules that the port does not declare: ", "clause FP-23 "},
		{"similar.py", "conformant: ", "members of verdicts that the port does not declare: similarity, evidence of ralph", "clause RA-3 "},
	} {
		t.Run(test.port, func(t *testing.T) {
			t.Parallel()
			out, outcome := run(t, t.TempDir(), portOf(t, test.port), "test")
			if outcome != conformance.Conformant || !says(out, test.asked) || !says(out, test.unasked) {
				t.Errorf("%s, want conformant and %q:\n%s", outcome, test.unasked, out)
			}
			out, outcome = run(t, t.TempDir(), append(portOf(t, test.port), "broken"), "test", "--no-properties")
			if outcome != conformance.NotConformant || !says(out, test.clause) {
				t.Errorf("%s, want not conformant by %s:\n%s", outcome, test.clause, out)
			}
			out, outcome = run(t, t.TempDir(), portOf(t, test.port), "test", "--strict", "--no-properties")
			if outcome != conformance.NotDecided {
				t.Errorf("a strict run is %s, want undecided:\n%s", outcome, out)
			}
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
