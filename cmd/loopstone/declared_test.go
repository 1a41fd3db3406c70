package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestSmallPortsAreJudgedByWhatTheyDeclare: over a pipe, from the kit's attributes to the report. With a fault, each of
// them fails, and its clause is named first.
func TestSmallPortsAreJudgedByWhatTheyDeclare(t *testing.T) {
	long(t, "six runs of ports in Python")
	t.Parallel()
	for _, test := range []struct{ port, detector, unasked, clause string }{
		{"yes_no.py", "fingerprint", "tests of rules that the port does not declare: ", "clause FP-23 "},
		{"similar.py", "ralph", "members of verdicts that the port does not declare: similarity, evidence of ralph", "clause RA-3 "},
	} {
		t.Run(test.port, func(t *testing.T) {
			t.Parallel()
			port := portOf(t, test.port)
			cases := []string{"test", "--no-properties", "--detector", test.detector}
			try(t, t.TempDir(), []invocation{
				{"sound", port, []string{"test", "--checks", "20"}, conformance.Conformant, test.unasked},
				{"with a fault", with(port, "broken"), cases, conformance.NotConformant, test.clause},
				{"strict", port, with(cases, "--strict"), conformance.NotDecided, ""},
			})
		})
	}
}

// TestWhatIsDeclaredAndNeverAskedIsNoPass: a setting of a rule that the port does not have leads to no test, and every
// report says so. A run that was narrowed is no statement about the whole.
func TestWhatIsDeclaredAndNeverAskedIsNoPass(t *testing.T) {
	long(t, "it runs ports with rules of their own")
	t.Parallel()
	const told = "declared, but no case of the suite tests it: setting fuzzy_threshold of fingerprint"
	port := append(portOf(t, "yes_no.py"), "boasting")
	test := func(flags ...string) []string { return append([]string{"test", "--no-properties"}, flags...) }
	folder := t.TempDir()
	try(t, folder, []invocation{
		{
			"the whole suite", port,
			test("--report", "text", "--report", "jsonl=@/jsonl", "--report", "junit=@/junit", "--report", "markdown=@/markdown"),
			conformance.NotDecided, told,
		},
		{"one detector", port, test("--detector", "fingerprint"), conformance.Conformant, told},
		{"one case", port, test("--case", "fingerprint-exact-third-identical-call"), conformance.Conformant, told},
	})
	for format, words := range map[string]string{
		"jsonl": `"name":"fuzzy_threshold"`, "junit": told, "markdown": strings.ReplaceAll(told, "_", `\_`),
	} {
		if text := read(t, filepath.Join(folder, format)); !says(text, words) {
			t.Errorf("%s lacks %q:\n%.2000s", format, words, text)
		}
	}
}

// TestRulesThatNoDetectorTakesAreTheAdaptersFault: nothing is wrong with the command line, whichever command reads them.
func TestRulesThatNoDetectorTakesAreTheAdaptersFault(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	try(t, folder, []invocation{{
		"a statement", referencePort(t), []string{"test", "--case", passingCase, "--statement", "@/s"}, conformance.Conformant, "",
	}})
	commands := [][]string{{"test"}, {"check-adapter"}, {"verify", "@/s"}, {"fuzz", "--for", "1ms"}}
	for _, test := range []struct{ reason, declares, says string }{
		{"a mistyped rule", `"id":"@mine-stream","config":{"rules":["tial"]}`, `want one of [tail chunk lines], got "tial"`},
		{"a mistyped setting", `"id":"@mine-stream","config":{"tail_copis":3}`, `did you mean "tail_copies"?`},
		{"rules of stream for composed", `"id":"@mine","config":{"rules":["tail"]}`, "rules/0: want object"},
		{"a mistyped profile", `"id":"@vlm-stream"`, `did you mean "@vllm-stream"?`},
		{"a profile with other rules", `"id":"@vllm-stream","config":{"rules":["tail"]}`, "give your rules another name"},
	} {
		port := append(portOf(t, "declares.py"), `[{"readings":["code"],"features":[],`+test.declares+`}]`)
		for _, args := range commands {
			out, outcome := run(t, folder, port, args...)
			if outcome != conformance.AdapterFault || !says(out, "the adapter is at fault: the port declares") || !says(out, test.says) {
				t.Errorf("%s, %q: got %s, want %q in\n%s", test.reason, args, outcome, test.says, out)
			}
		}
		commands = commands[:1] // all read the declaration in one place
	}
}

// TestAnIDThatDeceivesIsTheAdaptersFault: whatever a port declares, each command says so once, in characters that a
// terminal does not obey, and the runner sends no line that is no JSON.
func TestAnIDThatDeceivesIsTheAdaptersFault(t *testing.T) {
	long(t, "it starts a port for each id")
	t.Parallel()
	folder := t.TempDir()
	for _, test := range []struct{ reason, id, says string }{
		{"a Cyrillic letter", `@r\u043eo`, `"@r\u043eo" is no id of a detector: U+043E is not allowed`},
		{"a blank without width", `@roo\u200b`, `"@roo\u200b" is no id of a detector: U+200B is not allowed`},
		{"no name", `@`, `"@" is no id of a detector: it is empty`},
		{"a pattern", `@*`, `'*' is not allowed`},
		{"a list", `@a,b`, `',' is not allowed`},
		{"a place", `@a:code`, `':' is not allowed`},
		{"a quote", `@a\"b`, `'"' is not allowed`},
		{"a workflow command", `@mine\n::error::x`, `"@mine\n::error::x" is no id of a detector: U+000A is not allowed`},
		{"too long", "@" + strings.Repeat("a", 64), `it has 65 characters`},
	} {
		commands := [][]string{{"test"}}
		if test.id == "@*" { // all read the declaration in one place
			commands = append(commands, []string{"test", "--laws"}, []string{"check-adapter"}, []string{"fuzz", "--for", "1ms"}, []string{"bench"})
		}
		port := append(portOf(t, "declares.py"),
			`[{"id":"`+test.id+`","readings":["code"],"features":[],"config":{"rules":[{"rungs":[{"at":3}]}]}}]`)
		for _, args := range commands {
			out, outcome := run(t, folder, port, args...)
			if outcome != conformance.AdapterFault || !strings.Contains(out, test.says) || !says(out, "PR-45") {
				t.Errorf("%s, %q: got %s, want %q in\n%.2000s", test.reason, args, outcome, test.says, out)
			}
			if bad := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !strconv.IsPrint(r) }); bad >= 0 {
				t.Errorf("%s, %q: the output has %q", test.reason, args, out[bad:])
			}
		}
	}
}

// TestManyWrongNamesAreToldShortly: a declaration of any length can be wrong in each item.
func TestManyWrongNamesAreToldShortly(t *testing.T) {
	t.Parallel()
	port := append(portOf(t, "declares.py"), "many")
	out, outcome := run(t, t.TempDir(), port, "test")
	if outcome != conformance.AdapterFault || !says(out, "and 299990 more") || len(out) > 10_000 {
		t.Errorf("got %s and %d bytes:\n%.3000s", outcome, len(out), out)
	}
}

// TestAProfileHasNoDefaults of its own: its rules are fixed.
func TestAProfileHasNoDefaults(t *testing.T) {
	t.Parallel()
	port := append(portOf(t, "declares.py"), `[{"id":"@roo","readings":["code"],"features":[],"defaults":"own"}]`)
	try(t, t.TempDir(), []invocation{{
		"own defaults", port, []string{"test"}, conformance.AdapterFault, "the port declares defaults for @roo",
	}})
}
