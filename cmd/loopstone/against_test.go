package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestLawsJudgeADetectorThatFollowsNoDocument: whatever it is called, by the protocol and the laws, and by nothing else. A
// detector that its document finds wrong may keep all laws.
func TestLawsJudgeADetectorThatFollowsNoDocument(t *testing.T) {
	t.Parallel()
	stuck := portOf(t, "stuck.py")
	try(t, t.TempDir(), []trial{
		{"it keeps all laws", stuck, []string{"test", "--laws"}, conformance.Conformant, "on the protocol and the laws only"},
		{"the suite cannot judge it", stuck, []string{"test", "--case", "*"}, conformance.AdapterFault, "the specification does not have"},
		{"one law", stuck, []string{"test", "--laws", "--case", "stuck-law-prefix"}, conformance.Conformant, "1 of 1 test passed"},
		{"a name that is mistyped", stuck, []string{"test", "--laws", "--detector", "stcuk"}, conformance.Usage, `did you mean "stuck"?`},
		{"snapshots that it does not declare", stuck, []string{"test", "--laws", "--strict"}, conformance.NotDecided, "that --strict demands"},
		{
			"one that its document finds wrong", portOf(t, "consecutive.py"),
			[]string{"test", "--laws", "--case", "history-law-*"},
			conformance.Conformant, "passed (10 laws)",
		},
	})
}

// TestTodayIsComparedWithYesterday: on the suite's traces, too. A difference is called one, and no clause is said to be
// broken.
func TestTodayIsComparedWithYesterday(t *testing.T) {
	t.Parallel()
	stuck, wrong := portOf(t, "stuck.py"), portOf(t, "consecutive.py")
	for _, test := range []struct {
		reason string
		words  []string
		want   conformance.Outcome
		says   string
	}{
		{
			"--against stands behind", slices.Concat(with(stuck, "later"), []string{"--against"}, stuck[1:]),
			conformance.NotConformant, "DIFFERS stuck-law-agreement (own)",
		},
		{
			"a wrong port that stays as it is", slices.Concat([]string{"--against"}, wrong[1:], wrong),
			conformance.Conformant, "no difference",
		},
		{
			"a wrong port and a right one", slices.Concat([]string{"--against"}, referencePort(t)[1:], wrong),
			conformance.NotConformant, "different: 0 mended, 20 broken",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			out, outcome := run(t, t.TempDir(), test.words, "test", "--checks", "30")
			if outcome != test.want || !says(out, test.says) || says(out, "FAILED") || strings.Contains(out, "\n  clause ") {
				t.Errorf("got %s, want %s with %q, and no clause, in\n%s", outcome, test.want, test.says, out)
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
