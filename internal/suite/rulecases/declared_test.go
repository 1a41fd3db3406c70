package rulecases

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// inquiries hold what ports of rules are asked, by the rules: several tests ask the same ports, and the search takes long.
var inquiries sync.Map

// askedOf returns what a port of rules is asked.
func askedOf(t *testing.T, offer spec.Offer) []cases.Case {
	t.Helper()
	inquiry, _ := inquiries.LoadOrStore(string(offer.Detector)+offer.Fixed.String(), sync.OnceValues(
		func() ([]cases.Case, error) {
			suite, err := cases.All()
			if err != nil {
				return nil, err
			}
			return CasesOf(context.Background(), suite, offer) // not of the test that comes first
		},
	))
	list, err := inquiry.(func() ([]cases.Case, error))()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPortsDeclareProfilesOrRulesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, id, config, want string
	}{
		{"a profile", "@roo", "", ""},
		{"rules of one's own", "@mine", `{"rules":[{"rungs":[{"at":4}]}]}`, ""},
		{"a mistyped profile", "@rooo", "", `no profile @rooo; did you mean "@roo"?`},
		{"another detector by the name of a profile", "@roo", `{"rules":[{}]}`, "give your rules another name"},
		{"a profile of stream", "@vllm-stream", "", ""},
		{"a configuration of stream of one's own", "@mine-stream", `{"rules":["tail"],"tail_from":8}`, ""},
		{"a profile without its detector", "@vllm", "", `no profile @vllm; did you mean "@vllm-stream"?`},
		{
			"rules of composed by the name of stream", "@mine-stream", `{"rules":[{"rungs":[{"at":4}]}]}`,
			"a config that stream refuses",
		},
		{"rules that composed refuses", "@mine", `{"rules":[{"rungs":[{"at":0}]}]}`, "rules/0/rungs/0/at"},
	} {
		offer := spec.Offer{Detector: spec.DetectorID(tt.id), Readings: []spec.Reading{spec.Code}}
		if tt.config != "" {
			offer.Fixed = spec.MustParse(tt.config)
		}
		offers, err := Of([]spec.Offer{offer})
		switch {
		case tt.want == "" && (err != nil || len(offers) != 1 || offers[0].Fixed.IsAbsent()):
			t.Errorf("%s: %v, %v", tt.reason, offers, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.reason, err, tt.want)
		}
	}
}

// slowRules are rules whose rungs chance alone hardly reaches.
var slowRules = []spec.Offer{
	ownRules("@steps", `{"rules":[{"same":{"by":"step"},"fresh":["user"],"rungs":[{"at":30}]}]}`),
	ownRules("@calls", `{"rules":[{"rungs":[{"at":20}]}]}`),
	ownRules("@thoughts-stream", `{"rules":["tail","lines"],"channels":["thought"]}`),
	ownRules("@long-stream", `{"rules":["tail"],"tail_from":500,"tail_to":600}`),
	ownRules("@lines-stream", `{"rules":["lines"],"fresh":["reply"]}`),
}

func ownRules(id spec.DetectorID, config string) spec.Offer {
	return spec.Offer{
		Detector: id, Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.Replies},
		Fixed: spec.MustParse(config),
	}
}

// TestDrawnTracesReachALoop: what no verdict calls a loop shows nothing of a port, and leaves a correct one undecided.
func TestDrawnTracesReachALoop(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	offers := slices.Clone(slowRules)
	for _, p := range all {
		offers = append(offers, p.Offer())
	}
	for _, offer := range offers {
		declared := Declared{{Offer: offer}}
		if err := declared.Search(t.Context()); err != nil {
			t.Fatal(err)
		}
		port, generator := reference.Port(offer), rapid.Custom(declared.Draw(offer, spec.Code))
		const shares, drawn = 4, 25 // as many as a law gets of the 100 that are drawn by default
		for share := range shares {
			loops := false
			for i := range drawn {
				verdicts, err := laws.Play(t.Context(), port, generator.Example(1+share*drawn+i).Trace)
				loops = loops || err == nil && slices.ContainsFunc(verdicts, isLoop)
			}
			if !loops {
				t.Errorf("%s: none of %d traces reaches a loop", offer.Detector, drawn)
			}
		}
	}
}

func isLoop(verdict spec.Value) bool { return verdict.Get("loop").IsTrue() }

// TestRepliesAreAskedOfRulesThatDeclareThem: a feature that no case asks for leaves a correct port undecided, and a
// reply is not sent to a port without the feature.
func TestRepliesAreAskedOfRulesThatDeclareThem(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, offer := range slowRules {
		asked, err := CasesOf(t.Context(), suite, offer)
		if err != nil {
			t.Fatal(err)
		}
		port := spec.Description{Detectors: []spec.Offer{offer}}
		for _, part := range conformance.Unexercised(asked, port) {
			t.Errorf("no case tests the %s", part)
		}
		offer.Features = nil
		for _, c := range asked {
			if !takes(offer, eventsOf(c)) && !slices.Contains(c.Needs, spec.Replies) {
				t.Errorf("%s is asked of a port without replies", c.ID)
			}
		}
	}
}

func eventsOf(c cases.Case) (events []spec.Value) {
	for _, s := range c.Steps {
		events = append(events, s.Events...)
	}
	return events
}

// TestDeclaredConfigsAreBounded: configurations of a port's own have the bounds of PR-55, and those at the bounds pass.
func TestDeclaredConfigsAreBounded(t *testing.T) {
	t.Parallel()
	withRungs := func(n int) string {
		rungs := make([]string, n)
		for i := range rungs {
			rungs[i] = fmt.Sprintf(`{"at":%d}`, i+1)
		}
		return `{"rules":[{"rungs":[` + strings.Join(rungs, ",") + `]}]}`
	}
	named := func(n int) string { return `{"rules":[{"name":"` + strings.Repeat("n", n) + `"}]}` }
	around := len(named(0))
	for _, x := range []struct {
		config  string
		entries int
		want    string // empty where it passes
	}{
		{withRungs(mostRungs), 1, ""},
		{withRungs(mostRungs + 1), 1, "101 rungs of rule 1, more than 100"},
		{`{"rules":[{}` + strings.Repeat(",{}", mostRules-1) + `]}`, 1, ""},
		{`{"rules":[{}` + strings.Repeat(",{}", mostRules) + `]}`, 1, "501 rules, more than 500"},
		{`{"rules":["tail","chunk","lines"]}`, 1, ""},
		{`{"rules":["tail","chunk","tail"]}`, 1, `the rule "tail" twice`},
		{named(1000), mostConfigs, ""},
		{named(1000), mostConfigs + 1, "more than 8 detectors with a config"},
		{named(mostConfigBytes - around + 1), 1, "a config of 65537 bytes, more than 65536"},
	} {
		var offers []spec.Offer
		for i := range x.entries {
			id := spec.DetectorID(fmt.Sprintf("@mine%d", i))
			offers = append(offers, spec.Offer{Detector: id, Readings: []spec.Reading{spec.Code}, Fixed: spec.MustParse(x.config)})
		}
		if strings.HasPrefix(x.config, `{"rules":["`) {
			offers[0].Detector = "@mine-stream"
		}
		switch _, err := Of(offers); {
		case x.want == "" && err != nil:
			t.Errorf("%d of %.40s…: got %v, want no error", x.entries, x.config, err)
		case x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)):
			t.Errorf("%d of %.40s…: got %v, want %q in it", x.entries, x.config, err, x.want)
		}
	}
}

// TestNoPortIsAskedAStatedGap: neither by a case nor by a generated trace. What shows no gap is asked as before.
func TestNoPortIsAskedAStatedGap(t *testing.T) {
	t.Parallel()
	p, err := profile.ByName("openhands")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := CasesOf(t.Context(), suite, p.Offer())
	if err != nil {
		t.Fatal(err)
	}
	has := func(id string) bool { return slices.ContainsFunc(asked, func(c cases.Case) bool { return c.ID == id }) }
	if has("@openhands-true-is-not-one") || !has("@openhands-starts-afresh") {
		t.Error("it is asked what it states as a gap, or not what it must start afresh at")
	}
	declared := Declared{{Offer: p.Offer()}}
	generator := rapid.Custom(declared.Draw(p.Offer(), spec.Code))
	events := 0
	for seed := range 100 {
		s := generator.Example(seed + 1)
		events += len(s.Steps)
		if !declared.Asks(s) {
			t.Errorf("it is asked %s", s.Value())
		}
	}
	if events < 100 {
		t.Errorf("100 traces have %d events", events)
	}
}

// TestRulesOfAPortsOwnAreAskedAll: they have no original, and so no gaps.
func TestRulesOfAPortsOwnAreAskedAll(t *testing.T) {
	t.Parallel()
	steps := []laws.Step{{Event: spec.MustParse(`{"type":"tool_call","tool":"t","args":{"a":null,"b":1.0,"c":true}}`)}}
	s := fuzz.Subject{Trace: laws.Trace{Detector: "@mine", Steps: steps}}
	if !(Declared{}).Asks(s) {
		t.Error("it is not asked")
	}
}
