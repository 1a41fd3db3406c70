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

// TestRulesThatNoDetectorTakesAreTheAdaptersFault: nothing is wrong with the command line, whichever command reads them.
func TestRulesThatNoDetectorTakesAreTheAdaptersFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	try(t, folder, []trial{{
		"a statement", referencePort(t), []string{"test", "--no-properties", "--statement", "@/s"}, conformance.Conformant, "",
	}})
	for _, test := range []struct{ reason, declares, says string }{
		{"a mistyped rule", `"id":"@mine-stream","config":{"rules":["tial"]}`, `want one of [tail chunk lines], got "tial"`},
		{"a mistyped setting", `"id":"@mine-stream","config":{"tail_copis":3}`, `did you mean "tail_copies"?`},
		{"rules of stream for composed", `"id":"@mine","config":{"rules":["tail"]}`, "rules/0: want object"},
		{"a mistyped profile", `"id":"@vlm-stream"`, `did you mean "@vllm-stream"?`},
		{"a profile with other rules", `"id":"@vllm-stream","config":{"rules":["tail"]}`, "give your rules another name"},
	} {
		port := append(portOf(t, "declares.py"), `[{"readings":["code"],"features":[],`+test.declares+`}]`)
		for _, args := range [][]string{{"test"}, {"check-adapter"}, {"verify", "@/s"}, {"fuzz", "--for", "1ms"}} {
			try(t, folder, []trial{
				{test.reason, port, args, conformance.AdapterFault, "the adapter is at fault: the port declares"},
				{test.reason, port, args, conformance.AdapterFault, test.says},
			})
		}
	}
}
