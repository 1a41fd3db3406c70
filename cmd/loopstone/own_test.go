package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// ownEnv makes this test's program a port of its own rules: the offer is in the variable, as JSON.
const ownEnv = "LOOPSTONE_TEST_OWN_RULES"

// serveOwn serves a port of its own rules on the standard streams.
func serveOwn(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	declared := spec.MustParse(string(text))
	id, _ := declared.Get("id").Str()
	row, _ := spec.DefinitionOf(spec.DetectorID(id))
	offer := row.Offer()
	offer.Fixed = declared.Get("config")
	return stdio.Serve(context.Background(), ownRules{reference.Profiles(offer), offer.Fixed}, os.Stdin, os.Stdout)
}

// ownRules is a port of one detector that declares its configuration.
type ownRules struct {
	spec.Port
	config spec.Value
}

func (o ownRules) Describe(ctx context.Context) (spec.Description, error) {
	d, err := o.Port.Describe(ctx)
	d.Detectors[0].Fixed = o.config
	return d, err
}

// ownPort returns the words that start a port which declares a configuration, and keeps to it.
func ownPort(t *testing.T, id, config string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	offer := fmt.Sprintf(`{"id":%q,"config":%s}`, id, config)
	return []string{"--", "env", ownEnv + "=" + write(t, t.TempDir(), "offer.json", offer), self}
}

// manyRules returns a configuration of so many rules, each about a tool of its own.
func manyRules(n int) string {
	rules := make([]string, n)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"name":"r%d","tools":{"only":["tool%d"]},"fresh":["user"],"rungs":[{"at":3},{"at":5}]}`, i, i)
	}
	return `{"rules":[` + strings.Join(rules, ",") + `]}`
}

// outsized are declarations whose own traces would have no end, and what a report says of them.
var outsized = []struct {
	reason, id, config string
	want               conformance.Outcome
	says               string
}{
	{"a threshold in reach", "@mine", `{"rules":[{"rungs":[{"at":100}]}]}`, conformance.Conformant, "tests passed"},
	{
		"a threshold out of reach", "@mine", `{"rules":[{"rungs":[{"at":20000}]}]}`, conformance.NotDecided,
		"rung 1 of the rule 1 of @mine (it takes 20000 events or more, and a trace has at most 2500)",
	},
	{
		"several", "@mine", `{"rules":[{"rungs":[{"at":3},{"name":"far","at":1000000}]}]}`, conformance.NotDecided,
		"rung far of the rule 1 of @mine (it takes 1000000 events or more",
	},
	{
		"long cycles", "@mine", `{"rules":[{"pattern":{"sort":"cycle","from":100,"to":100},"rungs":[{"at":1000}]}]}`,
		conformance.NotDecided, "it takes 100000 events or more",
	},
	{
		"a large window", "@mine", `{"rules":[{"pattern":{"sort":"among","last":1000000}}]}`, conformance.NotDecided,
		"member pattern.last of the rule 1 of @mine",
	},
	{
		"many revisits", "@mine", `{"rules":[{"pattern":{"sort":"revisit","last":1000000}}]}`, conformance.NotDecided,
		"member pattern.last of the rule 1 of @mine",
	},
	{"a long answer", "@mine", `{"rules":[{"same":{"results":"text","prefix":1000000}}]}`, conformance.NotDecided, "same.prefix"},
	{"500 rules", "@mine", manyRules(500), conformance.NotDecided, "likewise"},
	{"many copies", "@mine-stream", `{"tail_copies":100000}`, conformance.NotDecided, "outside the specification (ST-3)"},
	{"long periods", "@mine-stream", `{"tail_from":1000000,"tail_to":1000000}`, conformance.NotDecided, "is above 65536"},
	{
		"long periods in the specification", "@mine-stream", `{"rules":["tail"],"tail_from":60000,"tail_to":65536}`,
		conformance.NotDecided, "it needs a text of 240000 characters, and a trace has at most 70000",
	},
	{
		"the longest period and long chunks", "@mine-stream", `{"tail_to":65536,"chunk_size":1000,"chunk_copies":3}`,
		conformance.NotDecided, "rule chunk of @mine-stream (the search for a trace is bounded",
	},
	{
		"large chunks", "@mine-stream", `{"chunk_size":1000000,"chunk_copies":1000000,"chunk_distance":1000000}`,
		conformance.NotDecided, "rule chunk of @mine-stream (the number 1000000 is above 65536",
	},
	{
		"many lines", "@mine-stream", `{"lines_copies":1000000,"lines_least":1000000,"lines_window":1000000}`,
		conformance.NotDecided, "rule lines of @mine-stream (the number 1000000 is above 65536",
	},
}

// TestDeclaredRulesDoNotDecideHowLongARunTakes: what the bounds do not reach is named, and leaves the run undecided.
func TestDeclaredRulesDoNotDecideHowLongARunTakes(t *testing.T) {
	long(t, "each configuration is four commands")
	t.Parallel()
	for _, tt := range outsized {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			port, folder := ownPort(t, tt.id, tt.config), t.TempDir()
			try(t, folder, []invocation{
				{"tested", port, []string{"test", "--checks", "1"}, tt.want, tt.says},
				{"strictly", port, []string{"test", "--strict", "--checks", "1", "--detector", tt.id, "--for", "5m"}, tt.want, tt.says},
				{"listed", port, []string{"test", "--list"}, conformance.Conformant, "made when they run: of " + tt.id},
				{"its adapter", port, []string{"check-adapter"}, conformance.Conformant, "of the protocol"},
			})
			out, got := hunt(t, folder, port, conformance.Conformant, "--jobs", "1")
			if got != conformance.Conformant || !says(out, "from seed 1") {
				t.Errorf("searched: got %s in\n%s", got, out)
			}
		})
	}
}

// TestWitnessesOfOutsizedRules: the search ends, and says what it has not looked for.
func TestWitnessesOfOutsizedRules(t *testing.T) {
	t.Parallel()
	for _, tt := range outsized {
		if tt.id != "@mine" || !strings.Contains(tt.says, "events or more") {
			continue
		}
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, "rules.json", tt.config)
			try(t, folder, []invocation{
				{"a file", nil, []string{"witness", "@/rules.json"}, conformance.NotDecided, "a trace has at most 2500"},
			})
		})
	}
}
