package rulecases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// TestASearchPaysForWhatItPlays: a search whose share is smaller than its first trace plays that trace. All searches
// together play no more than their budget, and one trace.
func TestASearchPaysForWhatItPlays(t *testing.T) {
	t.Parallel()
	const many = 100
	rules := make([]string, many)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"rungs":[{"at":%d}]}`, 2+many-i) // each would report before those that stand before it
	}
	config := spec.MustParse(`{"rules":[` + strings.Join(rules, ",") + `]}`)
	found := witnesses("@mine", config, &budget{t.Context(), 200_000})
	played, longest, ends := 0, 0, 0
	for _, w := range found {
		if len(w.Trace) > 0 {
			cost := (opening + len(w.Trace)) * many
			played, longest = played+cost, max(longest, cost)
		}
		if w.Beyond == ended {
			ends++
		}
	}
	if longest == 0 || ends == 0 {
		t.Fatalf("%d rungs are reached, and %d beyond the budget; want some of each", len(found)-ends, ends)
	}
	if played > 200_000+longest {
		t.Errorf("the traces that were found took %d steps, want at most the budget and one trace, %d", played, 200_000+longest)
	}
}

// TestRungsAreAskedWithinTheBudget: what a port is asked of a rule with many rungs is bounded, and the rungs that no
// trace is asked of are among what is left.
func TestRungsAreAskedWithinTheBudget(t *testing.T) {
	t.Parallel()
	const many, steps = 400, 400_000
	rungs := make([]string, many)
	for i := range rungs {
		rungs[i] = fmt.Sprintf(`{"at":%d}`, i+1)
	}
	config := spec.MustParse(`{"rules":[{"rungs":[` + strings.Join(rungs, ",") + `]}]}`)
	offer := spec.Offer{Detector: "@mine", Readings: []spec.Reading{spec.Code}, Fixed: config}
	q := (&Declaration{Offer: offer}).questions(nil, &budget{t.Context(), steps})
	events := 0
	for _, c := range q.Cases {
		if strings.Contains(c.ID, "-reaches-") {
			events += len(c.Steps)
		}
	}
	if most := steps / asking; events == 0 || events > most {
		t.Errorf("the port is asked %d events for its rungs, want some and at most %d", events, most)
	}
	if !slices.ContainsFunc(q.Left, func(l conformance.Part) bool { return l.Sort == "rung" && strings.HasPrefix(l.Why, ended) }) {
		t.Errorf("no rung is left, of %d: %v", many, q.Left)
	}
}

// TestAnEventCostsWhatItsRulesLookAt: a long window, many periods and many rungs cost more than a rule by itself.
func TestAnEventCostsWhatItsRulesLookAt(t *testing.T) {
	t.Parallel()
	plain := weightOfRules(spec.MustParse(`{"rules":[{"rungs":[{"at":3}]}]}`))
	for _, rule := range []string{
		`{"pattern":{"sort":"among","last":1000000},"rungs":[{"at":3}]}`,
		`{"pattern":{"sort":"cycle","from":1,"to":100},"rungs":[{"at":3}]}`,
		`{"rungs":[` + strings.TrimSuffix(strings.Repeat(`{"at":3},`, 100), ",") + `]}`,
	} {
		if got := weightOfRules(spec.MustParse(`{"rules":[` + rule + `]}`)); got <= plain {
			t.Errorf("%.60s: an event costs %d, want more than %d", rule, got, plain)
		}
	}
}

// TestGeneratedTracesAreCutWhereEachEventCostsMuch: no profile that is built in is so dear.
func TestGeneratedTracesAreCutWhereEachEventCostsMuch(t *testing.T) {
	t.Parallel()
	steps := laws.Observing(slices.Repeat([]spec.Value{event("reply")}, 1000))
	if got := len(affordable(steps, stepsOfTrace/100)); got != 100 {
		t.Errorf("at a hundredth of the bound for each event, %d events are left, want 100", got)
	}
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if got := len(affordable(steps, weightOf(p.Offer()))); got != len(steps) {
			t.Errorf("%s: %d events are left of %d", p.Name, got, len(steps))
		}
	}
}

// TestProfilesDoNotShareABudget: a port of many profiles is tested as whole as a port of each.
func TestProfilesDoNotShareABudget(t *testing.T) {
	t.Parallel()
	roo, err := profile.ByName("roo")
	if err != nil {
		t.Fatal(err)
	}
	own := spec.Offer{Detector: "@mine", Fixed: roo.Config()}
	run, profileOffer := &budget{t.Context(), stepsOfRun}, spec.Offer{Detector: roo.ID(), Fixed: roo.Config()}
	for range 100 {
		if b := run.ofConfig(profileOffer); b.left != stepsOfProfile {
			t.Fatalf("a profile has %d steps, want %d", b.left, stepsOfProfile)
		}
	}
	for i, want := range []int{stepsOfConfig, stepsOfConfig, stepsOfConfig, 0} {
		if b := run.ofConfig(own); b.left != want {
			t.Errorf("rules of its own, configuration %d: %d steps, want %d", i+1, b.left, want)
		}
	}
}
