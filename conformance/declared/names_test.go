package declared

import (
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
