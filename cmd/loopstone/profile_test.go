package main

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestProfilesGoThroughEveryGate: what a port of two profiles was asked in parts is merged, verified and selected, and
// profiles that do not agree are told apart.
func TestProfilesGoThroughEveryGate(t *testing.T) {
	long(t, "it runs two profiles a dozen times")
	t.Parallel()
	port := []string{"--", builtTool, "serve", "--profile", "roo,crush"}
	roo := []string{"--", builtTool, "serve", "--profile", "roo"}
	test := func(flags ...string) []string { return append([]string{"test", "--checks", "5"}, flags...) }
	try(t, t.TempDir(), []invocation{
		{"one part", port, test("--shard", "1/2", "--report", "jsonl=@/1"), conformance.Conformant, ""},
		{"the other", port, test("--shard", "2/2", "--report", "jsonl=@/2"), conformance.Conformant, ""},
		{"both", nil, []string{"merge", "@/1", "@/2"}, conformance.Conformant, "@crush"},
		{"a statement", port, test("--detector", "@*", "--statement", "@/s"), conformance.Conformant, "@roo"},
		{"it holds", port, []string{"verify", "@/s"}, conformance.Conformant, "holds"},
		{"not of another profile", roo, []string{"verify", "@/s"}, conformance.NotConformant, "the suites differ"},
		{"one of two", port, test("--detector", "@crush"), conformance.Conformant, "@crush"},
		{"a mistyped one", port, test("--detector", "@crsh"), conformance.Usage, `did you mean "@crush"?`},
	})
}

// TestPortsOfProfilesAreScoredAndMeasured: a detector is sought in what the port declares, and who lacks it is named.
func TestPortsOfProfilesAreScoredAndMeasured(t *testing.T) {
	t.Parallel()
	roo := []string{"--", builtTool, "serve", "--profile", "roo"}
	mine := append(portOf(t, "declares.py"), `[{"readings":["code"],"features":[],"id":"@mine","config":{"rules":[{}]}}]`)
	recordings := inModule(t, "recordings")
	score := func(name string) []string { return []string{"score", "--detector", name, recordings} }
	replay := []string{"replay", "--detector", "@rooo", recordings}
	bench := []string{"bench", "--count", "1", "--time", "1ms", "--run", "tight-loop"}
	two := func(old, now []string) []string {
		return slices.Concat([]string{"score", "--detector", "@mine", recordings, "--against"}, old[1:], now)
	}
	const lacks = "the port loopstone-reference has none of the requested detectors; it has @roo"
	try(t, t.TempDir(), []invocation{
		{"a profile", roo, score("@roo"), conformance.Conformant, "@roo code of loopstone-reference"},
		{"all profiles", roo, score("@*"), conformance.Conformant, "@roo code of loopstone-reference"},
		{"what the port lacks", roo, score("history"), conformance.AdapterFault, lacks},
		{"what nobody has", roo, score("@rooo"), conformance.Usage, `did you mean "@roo"?`},
		{"what nobody has, replayed", roo, replay, conformance.Usage, `did you mean "@roo"?`},
		{"what the second has", nil, two(roo, mine), conformance.AdapterFault, lacks},
		{"what the first has", nil, two(mine, roo), conformance.AdapterFault, lacks},
		{"rules of the port's own", mine, score("@mine"), conformance.AdapterFault, "@mine of declares"},
		{"a difference", roo, []string{"differ", "--traces", "9", "@roo", "@roo"}, conformance.Conformant, "No difference"},
		{"nothing to compare", roo, []string{"differ", "history", "history"}, conformance.Usage, "detectors; it has @roo"},
		{"measured", roo, bench, conformance.Conformant, "detector=@roo/"},
	})
}
