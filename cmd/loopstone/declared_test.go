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
	for _, test := range []struct {
		reason string
		flags  []string
		want   conformance.Outcome
		told   string
	}{
		{"the whole suite", nil, conformance.NotDecided, told},
		{"in JSON", []string{"--report", "json"}, conformance.NotDecided, `"name": "fuzzy_threshold"`},
		{"in JSON lines", []string{"--report", "jsonl"}, conformance.NotDecided, `"name":"fuzzy_threshold"`},
		{"in JUnit", []string{"--report", "junit"}, conformance.NotDecided, told},
		{"in TAP", []string{"--report", "tap"}, conformance.NotDecided, told},
		{"in Markdown", []string{"--report", "markdown"}, conformance.NotDecided, strings.ReplaceAll(told, "_", `\_`)},
		{"one detector", []string{"--detector", "fingerprint"}, conformance.Conformant, told},
		{"one case", []string{"--case", "fingerprint-exact-third-identical-call"}, conformance.Conformant, told},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"test", "--no-properties"}, test.flags...)
			out, outcome := run(t, t.TempDir(), port, args...)
			if outcome != test.want || !says(out, test.told) {
				t.Errorf("%s, want %s and %q:\n%s", outcome, test.want, test.told, out)
			}
		})
	}
}
