package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheListForProgramsIsThatOfPeople: it has the same tests, and those that are not checked, with the reason of a run.
func TestTheListForProgramsIsThatOfPeople(t *testing.T) {
	t.Parallel()
	port := []string{"--", "python3", filepath.Join(starterFolder(t), "my_port.py")}
	var tests []listedTest
	out, outcome := run(t, "", port, "test", "--list", "--json")
	for lines := json.NewDecoder(strings.NewReader(out)); lines.More(); {
		var one listedTest
		if err := lines.Decode(&one); err != nil {
			t.Fatalf("%s, %v in\n%s", outcome, err, out)
		}
		tests = append(tests, one)
	}
	printed, _ := run(t, "", port, "test", "--list")
	people := lineWords(printed)
	for _, one := range tests {
		isPrinted := slices.Contains(people, one.Case+" "+string(one.Reading)) || slices.Contains(people, one.Case+" -")
		if isPrinted == (one.NotChecked != "") || len(one.Clauses) == 0 || one.Title == "" {
			t.Errorf("printed for people: %t; for programs: %+v", isPrinted, one)
		}
	}
	isChecked := func(one listedTest) bool { return one.NotChecked == "" }
	if n := len(tests); n < 200 || slices.IndexFunc(tests, func(one listedTest) bool { return !isChecked(one) }) < 0 {
		t.Errorf("%d tests, all of them checked", n)
	}
	const reason = "the port does not declare hashes for history"
	if !slices.ContainsFunc(tests, func(one listedTest) bool { return one.NotChecked == reason }) {
		t.Errorf("no test is not checked because %s", reason)
	}
}

// TestTheListForProgramsHasTheTracesOfAProfile, which the list for people leaves out.
func TestTheListForProgramsHasTheTracesOfAProfile(t *testing.T) {
	t.Parallel()
	port := []string{"--", builtTool, "serve", "--profile", "@roo"}
	out, outcome := run(t, "", port, "test", "--list", "--json")
	if outcome != conformance.Conformant || !strings.Contains(out, `{"case":"@roo-reaches-1","reading":"code"`) {
		t.Errorf("%s:\n%s", outcome, out)
	}
	if out, outcome := run(t, "", port, "test", "--json"); outcome != conformance.Usage ||
		!strings.Contains(out, "--json is for --list; the format of reports for programs is --report jsonl") {
		t.Errorf("without --list: %s:\n%s", outcome, out)
	}
}

// lineWords returns the first two words of each line.
func lineWords(text string) []string {
	var first []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 1 {
			first = append(first, words[0]+" "+words[1])
		}
	}
	return first
}
