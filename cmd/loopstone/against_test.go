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
	long(t, "it runs ports in Python")
	t.Parallel()
	stuck := portOf(t, "stuck.py")
	try(t, t.TempDir(), []invocation{
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
	long(t, "it runs the suite for several ports")
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
			conformance.NotConformant, "different: 0 fixed, ",
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

// TestWhatIsNoLongerDeclaredIsARegression: a detector, reading, feature, rule, member, setting or the specified defaults
// that the new port lacks are named, and no difference of the rest hides it; what is new is reported.
func TestWhatIsNoLongerDeclaredIsARegression(t *testing.T) {
	long(t, "it runs the suite for several ports")
	t.Parallel()
	const declares = `"$0" serve | stdbuf -oL sed '1s/"detectors":.*/"detectors":'"$1"'}}/'`
	port := func(detectors string) []string { return []string{"sh", "-c", declares, builtTool, detectors} }
	const signature = `,{"id":"signature","readings":["code","text"],"features":[]}`
	const whole = `[{"id":"guards","readings":["text"],"features":["snapshot"]}` + signature + `]`
	lacks := func(what, with string) []string { return port(strings.Replace(whole, what, with, 1)) }
	only := func(list string) []string { return lacks(`["snapshot"]`, `["snapshot"],`+list) }
	for _, test := range []struct {
		reason   string
		old, now []string
		want     conformance.Outcome
		says     string
	}{
		{"the same", port(whole), port(whole), conformance.Conformant, "no difference"},
		{"a detector", port(whole), lacks(signature, ""), conformance.NotConformant, "NO LONGER DECLARED detector signature"},
		{"a reading", port(whole), lacks(`,"text"]`, `]`), conformance.NotConformant, "NO LONGER DECLARED reading text of signature"},
		{"a feature", port(whole), lacks(`"snapshot"`, ""), conformance.NotConformant, "NO LONGER DECLARED feature snapshot of guards"},
		{"a member", port(whole), only(`"members":["loop","kind"]`), conformance.NotConformant, "NO LONGER DECLARED member count of guards"},
		{"a rule", port(whole), only(`"rules":["max_iterations"]`), conformance.NotConformant, "NO LONGER DECLARED rule max_runtime of guards"},
		{"a setting", port(whole), only(`"settings":["max_iterations"]`), conformance.NotConformant, "NO LONGER DECLARED setting max_runtime_s of guards"},
		{
			"the specified defaults", port(whole), lacks(`["snapshot"]`, `["snapshot"],"defaults":"own"`),
			conformance.NotConformant, "NO LONGER DECLARED defaults of the specification of guards",
		},
		{"a new detector", lacks(signature, ""), port(whole), conformance.Conformant, "NEWLY DECLARED detector signature"},
	} {
		for _, strict := range []string{"--strict=false", "--strict"} {
			if strict == "--strict" && test.reason != "a detector" {
				continue // without a regression it is undecided: features are not declared by either
			}
			t.Run(test.reason+" "+strict, func(t *testing.T) {
				t.Parallel()
				words := slices.Concat([]string{"--against"}, test.old, []string{"--"}, test.now)
				out, outcome := run(t, t.TempDir(), words, "test", "--case", "guards-e*,signature-e*", "--checks", "1", "--seed", "1", strict)
				if outcome != test.want || !says(out, test.says) {
					t.Errorf("got %s, want %s with %q in\n%s", outcome, test.want, test.says, out)
				}
			})
		}
	}
}

// TestALostRuleOfAPortsOwnIsARegression: a rule that the new port lacks, or has with another threshold, is named. Both
// ports are right about what they declare.
func TestALostRuleOfAPortsOwnIsARegression(t *testing.T) {
	long(t, "it runs ports with rules of their own")
	t.Parallel()
	const (
		declares = `stdbuf -oL sed 's/"detector":"@mine"/"detector":"composed","config":'"$1"'/' | "$0" serve | ` +
			`stdbuf -oL sed '1s/"detectors":\[.*\]/"detectors":[{"id":"@mine","readings":["code"],"features":[],"config":'"$1"'}]/'`
		four  = `{"rungs":[{"at":4}]}`
		eight = `{"rungs":[{"at":8}]}`
	)
	port := func(rules string) []string {
		return []string{"sh", "-c", declares, builtTool, `{"rules":[` + rules + `]}`}
	}
	for _, test := range []struct {
		reason, old, now string
		want             conformance.Outcome
		says             string
	}{
		{"the same", four + "," + eight, four + "," + eight, conformance.Conformant, "no difference"},
		{"a rule less", four + "," + eight, four, conformance.NotConformant, `own rule {"rungs":[{"at":8}]} of @mine`},
		{"another threshold", four, eight, conformance.NotConformant, `own rule {"rungs":[{"at":4}]} of @mine`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			words := slices.Concat([]string{"--against"}, port(test.old), []string{"--"}, port(test.now))
			out, outcome := run(t, t.TempDir(), words, "test", "--case", "@mine-reaches-*")
			if outcome != test.want || !says(out, test.says) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, test.want, test.says, out)
			}
		})
	}
}

// TestALostDetectorThatIsSelectedIsARegression: not a mistake of whoever selects it. A name that neither port has is one.
func TestALostDetectorThatIsSelectedIsARegression(t *testing.T) {
	t.Parallel()
	const declares = `"$0" serve | stdbuf -oL sed '1s/"detectors":.*/"detectors":[{"id":"guards","readings":["text"],"features":[]}]}}/'`
	now := []string{"sh", "-c", declares, builtTool}
	for name, test := range map[string]struct {
		want conformance.Outcome
		says string
	}{
		"crow": {conformance.NotConformant, "NO LONGER DECLARED detector crow"},
		"crew": {conformance.Usage, `--detector "crew" matches nothing`},
	} {
		words := slices.Concat([]string{"--against", builtTool, "serve", "--"}, now)
		out, outcome := run(t, t.TempDir(), words, "test", "--detector", name)
		if outcome != test.want || !says(out, test.says) {
			t.Errorf("%s: got %s, want %s with %q in\n%s", name, outcome, test.want, test.says, out)
		}
	}
}

// TestARepairIsNoRegression: it has an exit code of its own, a line for a pull request and no failed test; so has one of a
// profile.
func TestARepairIsNoRegression(t *testing.T) {
	long(t, "it runs the suite for each repair")
	t.Parallel()
	mute := []string{"sh", "-c", `"$0" serve --profile roo | stdbuf -oL sed 's/"loop":true[^}]*/"loop":false/g'`, builtTool}
	for _, test := range []struct {
		reason   string
		old, now []string
		want     string
	}{
		{"a detector", portOf(t, "consecutive.py")[1:], referencePort(t)[1:], " fixed, 0 broken; "},
		{"a profile", mute, []string{builtTool, "serve", "--profile", "roo"}, "FIXED @roo-"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			words := slices.Concat([]string{"--against"}, test.old, []string{"--"}, test.now)
			out, outcome := run(t, folder, words, "test", "--checks", "30", "--report", "text", "--report", "junit="+inFolder+"j",
				"--report", "jsonl="+inFolder+"jsonl")
			if outcome != conformance.Improved || !strings.Contains(out, test.want) || !strings.Contains(out, "  reference  {") {
				t.Errorf("got %s, want improved with %q and what the reference says in\n%s", outcome, test.want, out)
			}
			if junit := read(t, folder+"/j"); strings.Contains(junit, "<failure") || !strings.Contains(junit, " fixed, 0 broken") {
				t.Errorf("a repair is a failure of\n%s", junit)
			}
			if jsonl := read(t, folder+"/jsonl"); !strings.Contains(jsonl, `"exit":5`) || !strings.Contains(jsonl, `"fixed":`) {
				t.Errorf("no exit, or no counts, in\n%s", jsonl)
			}
		})
	}
}
