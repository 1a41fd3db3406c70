package main

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestProfilesGoThroughEveryGate: what a port of two profiles was asked in parts is merged, verified and selected, and
// profiles that do not agree are told apart.
func TestProfilesGoThroughEveryGate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	port := []string{"--", builtTool, "serve", "--profile", "roo,crush"}
	few := []string{"--checks", "5"}
	for _, tt := range []struct {
		reason string
		args   []string
		port   []string
		want   conformance.Outcome
		says   string
	}{
		{"one part", append(few, "test", "--shard", "1/2", "--report", "jsonl="+inFolder+"1"), port, conformance.Conformant, ""},
		{"the other", append(few, "test", "--shard", "2/2", "--report", "jsonl="+inFolder+"2"), port, conformance.Conformant, ""},
		{"both", []string{"merge", inFolder + "1", inFolder + "2"}, nil, conformance.Conformant, "@crush"},
		{"a statement", append(few, "test", "--statement", inFolder+"s"), port, conformance.Conformant, "@roo"},
		{"it holds", []string{"verify", inFolder + "s"}, port, conformance.Conformant, "holds"},
		{
			"not of another profile",
			[]string{"verify", inFolder + "s"},
			[]string{"--", builtTool, "serve", "--profile", "roo"},
			conformance.NotConformant,
			"the suites differ",
		},
		{"one of two", append(few, "test", "--detector", "@crush"), port, conformance.Conformant, "@crush"},
		{"a mistyped one", append(few, "test", "--detector", "@crsh"), port, conformance.Usage, `did you mean "@crush"?`},
		{"none", []string{"serve", "--profile", "rooo"}, nil, conformance.Usage, `did you mean "@roo"?`},
	} {
		if args := tt.args; args[0] == few[0] { // the command stands first
			tt.args = append(append([]string{args[2]}, args[3:]...), few...)
		}
		out, outcome := run(t, folder, tt.port, tt.args...)
		if outcome != tt.want || !strings.Contains(out, tt.says) {
			t.Errorf("%s: %s, want %s and %q:\n%s", tt.reason, outcome, tt.want, tt.says, out)
		}
	}
}
