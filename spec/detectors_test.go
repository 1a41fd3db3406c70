package spec

import (
	"slices"
	"testing"
)

// TestTheTableIsWhole asks of every row what those who read it take for granted.
func TestTheTableIsWhole(t *testing.T) {
	kinds := map[VerdictKind]DetectorID{}
	for _, d := range Detectors() {
		if len(d.Observes) == 0 || len(d.Readings) == 0 || len(d.Documents) == 0 || len(d.Rules) == 0 {
			t.Errorf("%s lacks events, readings, documents or rules", d.ID)
		}
		checkSettings(t, d, d.Settings)
		for _, r := range d.Rules {
			if other, twice := kinds[r.Kind]; twice {
				t.Errorf("%s and %s have the kind %s", other, d.ID, r.Kind)
			}
			kinds[r.Kind] = d.ID
			checkRule(t, d, r)
		}
	}
}

func checkSettings(t *testing.T, d Definition, settings []Parameter) {
	t.Helper()
	for _, p := range settings {
		if p.Use == "" || p.Kind == Absent {
			t.Errorf("%s: the setting %s lacks its use or its kind", d.ID, p.Name)
		}
		if p.Needs != "" && !d.Has(p.Needs) {
			t.Errorf("%s: the setting %s needs %s, which the detector does not know", d.ID, p.Name, p.Needs)
		}
		checkSettings(t, d, p.Members)
	}
}

func checkRule(t *testing.T, d Definition, r Rule) {
	t.Helper()
	for _, typ := range r.Counts {
		if !slices.Contains(d.Observes, typ) {
			t.Errorf("%s: the rule %s counts %s, which the detector ignores", d.ID, r.Kind, typ)
		}
	}
	if r.Only != "" && !slices.ContainsFunc(d.Settings, func(p Parameter) bool { return p.Name == r.Only }) {
		t.Errorf("%s: the rule %s needs the setting %s, which the detector does not have", d.ID, r.Kind, r.Only)
	}
	for _, name := range slices.Concat(r.Required, r.Optional) {
		if _, known := VerdictMemberOf(name); !known {
			t.Errorf("%s: the rule %s has %s, which no verdict has", d.ID, r.Kind, name)
		}
	}
	if len(r.Counts) == 0 {
		t.Errorf("%s: the rule %s lacks what it counts", d.ID, r.Kind)
	}
}

// TestAPortMayLeaveFeaturesOut shows that an offer that is made of a row, and shortened in place, changes no row.
func TestAPortMayLeaveFeaturesOut(t *testing.T) {
	d, _ := DefinitionOf(Fingerprint)
	d.Features = slices.DeleteFunc(d.Features, func(f Feature) bool { return f == Messages })
	if again, _ := DefinitionOf(Fingerprint); !again.Has(Messages) || !again.Has(Evidence) {
		t.Errorf("the row now has the features %v", again.Features)
	}
}
