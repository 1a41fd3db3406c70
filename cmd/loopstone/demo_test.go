package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheDemonstrationShowsTheFault: in the recording, history reports the loop and the port does not; and the test of the
// port names the clause that this breaks.
func TestTheDemonstrationShowsTheFault(t *testing.T) {
	t.Parallel()
	out, outcome := tool(t, "", "demo")
	if outcome != conformance.Conformant {
		t.Fatalf("loopstone demo: %s\n%s", outcome, out)
	}
	lanes := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\S.*?) {2,}([·▲█]+)$`).FindAllStringSubmatch(out, -1) {
		lanes[m[1]] = m[2]
	}
	for name, alarms := range map[string]bool{
		"history": true, "history of my-port": false, "@loopstone": true, "@gemini-cli": true, "@cline": false,
	} {
		if lane := lanes[name]; lane == "" || strings.Contains(lane, "▲") != alarms {
			t.Errorf("the lane of %s is %q, want an alarm: %v", name, lane, alarms)
		}
	}
	first, _, _ := strings.Cut(out, "\nThe other ")
	if !strings.HasPrefix(firstClause(out), "HI-13 ") || !strings.Contains(first, "HI-12") {
		t.Errorf("the first failure is about %q, want HI-13, by a case of equal calls that are not in a row (HI-12):\n%s",
			firstClause(out), first)
	}
	again := regexp.MustCompile(`(?m)^  again +loopstone (.*)$`).FindStringSubmatch(out)
	if again == nil {
		t.Fatalf("it does not say how to repeat the failure:\n%s", out)
	}
	out, outcome = inShell(t, t.TempDir(), `loopstone() { "$0" "$@"; }; loopstone `+
		strings.Replace(again[1], "loopstone demo", `"$0" demo`, 1))
	if outcome != conformance.NotConformant || !strings.Contains(out, "HI-13") {
		t.Errorf("the command that repeats the failure ends with %s:\n%s", outcome, out)
	}
}

func TestTheDemonstrationTakesNoPort(t *testing.T) {
	t.Parallel()
	if out, outcome := run(t, "", []string{"--", "true"}, "demo"); outcome != conformance.Usage {
		t.Errorf("demo -- true is %s:\n%s", outcome, out)
	}
}
