package declared

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// offering returns a port that declares history without fault, changed.
func offering(change func(*spec.Offer)) spec.Description {
	offer := spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.Hashes}}
	change(&offer)
	return spec.Description{Detectors: []spec.Offer{offer}}
}

func TestAMistypedNameIsToldWithTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	twice := offering(func(*spec.Offer) {})
	twice.Detectors = append(twice.Detectors, twice.Detectors[0])
	for _, test := range []struct {
		reason string
		port   spec.Description
		want   string
	}{
		{"nothing is mistyped", offering(func(*spec.Offer) {}), ""},
		{
			"a detector that nobody asks passes", offering(func(o *spec.Offer) { o.Detector = "histroy" }),
			`the port declares the detector "histroy", which the specification does not have; did you mean "history"?`,
		},
		{
			"a reading", offering(func(o *spec.Offer) { o.Readings = append(o.Readings, "cod") }),
			`the port declares for history the reading "cod", which the specification does not have; did you mean "code"?`,
		},
		{
			"a feature", offering(func(o *spec.Offer) { o.Features = append(o.Features, "snapshots") }),
			`the port declares for history the feature "snapshots", which the specification does not have; did you mean "snapshot"?`,
		},
		{
			"a name like no other", offering(func(o *spec.Offer) { o.Features = []spec.Feature{"telepathy"} }),
			`the port declares for history the feature "telepathy", which the specification does not have; ` +
				`there are hashes, mitigations, snapshot, evidence, int-float, replies`,
		},
		{
			"a rule", offering(func(o *spec.Offer) { o.Rules = []spec.VerdictKind{"repeats"} }),
			`the port declares for history the rule "repeats", which the specification does not have; did you mean "repeat"?`,
		},
		{
			"a member", offering(func(o *spec.Offer) { o.Members = []string{"loop", "evidenc"} }),
			`the port declares for history the member "evidenc", which the specification does not have; did you mean "evidence"?`,
		},
		{
			"a setting", offering(func(o *spec.Offer) { o.Settings = []string{"repeat_treshold"} }),
			`the port declares for history the setting "repeat_treshold", which the specification does not have; ` +
				`did you mean "repeat_threshold"?`,
		},
		{
			"whose defaults", offering(func(o *spec.Offer) { o.Defaults = "mine" }),
			`the port declares for history the defaults "mine", which the specification does not have; there are own`,
		},
		{
			"a profile takes no settings", offering(func(o *spec.Offer) {
				*o = spec.Offer{Detector: "@roo", Readings: []spec.Reading{spec.Code}, Defaults: spec.OwnDefaults}
			}),
			"the port declares defaults for @roo; its rules are fixed, so that nothing has a default",
		},
		{
			"an id that looks like another", offering(func(o *spec.Offer) { o.Detector = "@rоo" }),
			`the port declares a detector whose name is wrong: "@r\u043eo" is no id of a detector: U+043E is not allowed; ` +
				`want an optional @, then lower-case letters, digits, - and _, beginning with a letter, at most 64 characters (PR-45)`,
		},
		{"no reading, and nothing is asked", offering(func(o *spec.Offer) { o.Readings = nil }), "the port declares the detector history in no reading"},
		{"the second offer would not be asked", twice, "the port declares the detector history twice"},
	} {
		got := ""
		if err := CheckNames(test.port); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestManyProblemsAreCut: a port that declares 300,000 wrong names gets the first of them, and how many more there are.
func TestManyProblemsAreCut(t *testing.T) {
	t.Parallel()
	many := offering(func(o *spec.Offer) {
		for i := range 300_000 {
			o.Members = append(o.Members, fmt.Sprintf("member_%d", i))
		}
	})
	err := CheckNames(many)
	if err == nil || len(err.Error()) > 5000 || !strings.HasSuffix(err.Error(), "\nand 299990 more") {
		t.Errorf("got %.6000v", err)
	}
}

// TestOwnDetectorsHaveNamesOfTheirOwn that keep to the grammar.
func TestOwnDetectorsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ setting, want string }{
		{"maxRepeats", ""},
		{"max,repeats", `the port declares for mine the name: "max,repeats" is no name: ',' is not allowed`},
	} {
		port := offering(func(o *spec.Offer) { o.Detector, o.Settings = "mine", []string{test.setting} })
		if err := CheckOwnNames(port); (err == nil) != (test.want == "") || err != nil && !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got the error %v, want %q", test.setting, err, test.want)
		}
	}
}

func TestAMistypedFeatureThatMayBeMissingIsTold(t *testing.T) {
	t.Parallel()
	if err := CheckFeatures([]spec.Feature{spec.Hashes, spec.IntFloat}); err != nil {
		t.Error(err)
	}
	want := `no detector has the feature "hashs"; did you mean "hashes"?`
	if err := CheckFeatures([]spec.Feature{"hashs"}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
