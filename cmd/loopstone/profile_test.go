package main

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestProfilesGoThroughEveryGate: what a port of two profiles was asked in parts is merged, verified and selected, and
// profiles that do not agree are told apart.
func TestProfilesGoThroughEveryGate(t *testing.T) {
	t.Parallel()
	port := []string{"--", builtTool, "serve", "--profile", "roo,crush"}
	roo := []string{"--", builtTool, "serve", "--profile", "roo"}
	test := func(flags ...string) []string { return append([]string{"test", "--checks", "5"}, flags...) }
	try(t, t.TempDir(), []trial{
		{"one part", port, test("--shard", "1/2", "--report", "jsonl=@/1"), conformance.Conformant, ""},
		{"the other", port, test("--shard", "2/2", "--report", "jsonl=@/2"), conformance.Conformant, ""},
		{"both", nil, []string{"merge", "@/1", "@/2"}, conformance.Conformant, "@crush"},
		{"a statement", port, test("--statement", "@/s"), conformance.Conformant, "@roo"},
		{"it holds", port, []string{"verify", "@/s"}, conformance.Conformant, "holds"},
		{"not of another profile", roo, []string{"verify", "@/s"}, conformance.NotConformant, "the suites differ"},
		{"one of two", port, test("--detector", "@crush"), conformance.Conformant, "@crush"},
		{"a mistyped one", port, test("--detector", "@crsh"), conformance.Usage, `did you mean "@crush"?`},
	})
}
