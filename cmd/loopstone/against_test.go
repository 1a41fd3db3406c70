package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestLawsJudgeADetectorThatFollowsNoDocument: whatever it is called, by the protocol and the laws, and by nothing else.
func TestLawsJudgeADetectorThatFollowsNoDocument(t *testing.T) {
	t.Parallel()
	tests := []struct {
		why, want string
		port      []string
		args      []string
		outcome   conformance.Outcome
	}{
		{"it keeps all laws", "on the protocol and the laws only", nil, nil, conformance.Conformant},
		{"a reset that forgets nothing", "FAILED stuck-law-reset-is-fresh (own)", []string{"reset"}, nil, conformance.NotConformant},
		{"the suite cannot judge it", "the specification does not have", nil, []string{"--case", "*"}, conformance.AdapterFault},
		{"one law", "1 of 1 test passed", nil, []string{"--laws", "--case", "stuck-law-prefix"}, conformance.Conformant},
		{"a name that is mistyped", `did you mean "stuck"?`, nil, []string{"--laws", "--detector", "stcuk"}, conformance.Usage},
		{"snapshots that it does not declare", "that --strict demands", nil, []string{"--laws", "--strict"}, conformance.NotDecided},
		{"a statement is about the suite", "leave out one of", nil, []string{"--laws", "--statement", "@/s.json"}, conformance.Usage},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			if test.args == nil {
				test.args = []string{"--laws"}
			}
			out, outcome := run(t, t.TempDir(), append(portOf(t, "stuck.py"), test.port...), append([]string{"test"}, test.args...)...)
			if outcome != test.outcome || !says(out, test.want) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, test.outcome, test.want, out)
			}
		})
	}
}

// TestLawsAloneAskForNoDetectorOfADocument: a detector that its document finds wrong may keep all laws.
func TestLawsAloneAskForNoDetectorOfADocument(t *testing.T) {
	t.Parallel()
	out, outcome := run(t, t.TempDir(), portOf(t, "consecutive.py"), "test", "--laws", "--case", "history-law-*")
	if outcome != conformance.Conformant || !says(out, "passed (10 laws)") || says(out, "agreement") {
		t.Errorf("%s:\n%s", outcome, out)
	}
}

// TestTodayIsComparedWithYesterday: on the suite's traces and on generated ones. A difference is called one, and no clause
// is said to be broken.
func TestTodayIsComparedWithYesterday(t *testing.T) {
	t.Parallel()
	tests := []struct {
		why, port           string
		yesterday, today    string
		want                string
		outcome             conformance.Outcome
		trailing, reference bool
	}{
		{why: "two of one name", port: "stuck.py", want: "/stuck.py, compared with env", outcome: conformance.Conformant},
		{why: "nothing changed", port: "stuck.py", want: "no difference: 1 of 1 test agree", outcome: conformance.Conformant},
		{why: "a threshold changed", port: "stuck.py", today: "later", want: "DIFFERS stuck-law-agreement (own)", outcome: conformance.NotConformant},
		{why: "the other way round", port: "stuck.py", yesterday: "later", want: "DIFFERS stuck-law-agreement (own)", outcome: conformance.NotConformant},
		{why: "--against stands behind", port: "stuck.py", today: "later", trailing: true, want: "DIFFERS stuck-law", outcome: conformance.NotConformant},
		{why: "a wrong port that stays as it is", port: "consecutive.py", want: "no difference", outcome: conformance.Conformant},
		{why: "a wrong port and a right one", port: "consecutive.py", reference: true, want: "different: 0 mended, 20 broken", outcome: conformance.NotConformant},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			port := portOf(t, test.port)[1:]
			yesterday := andWord(port, test.yesterday)
			if test.reference {
				yesterday = referencePort(t)[1:]
			}
			words := slices.Concat([]string{"--against"}, yesterday, []string{"--"}, andWord(port, test.today))
			if test.trailing {
				words = slices.Concat([]string{"--"}, andWord(port, test.today), []string{"--against"}, yesterday)
			}
			out, outcome := run(t, t.TempDir(), words, "test", "--checks", "30")
			if outcome != test.outcome || !says(out, test.want) || says(out, "FAILED") || strings.Contains(out, "\n  clause ") {
				t.Errorf("got %s, want %s with %q, and no clause, in\n%s", outcome, test.outcome, test.want, out)
			}
		})
	}
}

// TestARepairIsNoRegression: it has an exit code of its own, a line for a pull request and no failed test; so has one of a
// profile.
func TestARepairIsNoRegression(t *testing.T) {
	t.Parallel()
	mute := []string{"sh", "-c", `"$0" serve --profile roo | sed -u 's/"loop":true[^}]*/"loop":false/g'`, builtTool}
	for _, test := range []struct {
		reason   string
		old, now []string
		want     string
	}{
		{"a detector", portOf(t, "consecutive.py")[1:], referencePort(t)[1:], " mended, 0 broken; "},
		{"a profile", mute, []string{builtTool, "serve", "--profile", "roo"}, "MENDED @roo-"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			words := slices.Concat([]string{"--against"}, test.old, []string{"--"}, test.now)
			out, outcome := run(t, folder, words, "test", "--checks", "30", "--report", "text", "--report", "junit="+inFolder+"j",
				"--report", "json="+inFolder+"json")
			if outcome != conformance.Improved || !strings.Contains(out, test.want) || !strings.Contains(out, "  reference  {") {
				t.Errorf("got %s, want improved with %q and what the reference says in\n%s", outcome, test.want, out)
			}
			if junit := read(t, folder+"/j"); strings.Contains(junit, "<failure") || !strings.Contains(junit, " mended, 0 broken") {
				t.Errorf("a repair is a failure of\n%s", junit)
			}
			if json := read(t, folder+"/json"); !strings.Contains(json, `"exit": 5`) || !strings.Contains(json, `"mended": `) {
				t.Errorf("no exit, or no counts, in\n%s", json)
			}
		})
	}
}

// andWord returns the command with one more word, unless that is empty.
func andWord(command []string, word string) []string {
	if word == "" {
		return command
	}
	return append(slices.Clone(command), word)
}
