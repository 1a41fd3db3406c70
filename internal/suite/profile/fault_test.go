package profile

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// faults are what ports of a profile get wrong most often. Each changes the profile's configuration.
var faults = []struct {
	name  string
	plant func(config spec.Value) spec.Value
}{
	{"threshold", later},
	{"key order", ofEachRule(otherKeyOrders)},
	{"fresh start", ofEachRule(otherStarts)},
}

// TestAFaultIsShownByTheProfilesOwnCase plants each fault in the rules of each profile. The failure that the report
// shows whole is that of a case which was made for the profile, and not of a trace from its detector's cases.
func TestAFaultIsShownByTheProfilesOwnCase(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			offer := p.Offer()
			asked, err := CasesOf(t.Context(), suite, offer)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range faults {
				faulty := offer
				if faulty.Fixed = f.plant(offer.Fixed); faulty.Fixed.Equal(offer.Fixed) {
					continue // stream compares no arguments, and has its thresholds by other names
				}
				r, err := conformance.Run(t.Context(), reference.Rules(faulty), asked, conformance.Options{})
				if err != nil {
					t.Fatal(err)
				}
				first := firstFailure(t, r)
				i := slices.IndexFunc(asked, func(c cases.Case) bool { return c.ID == first })
				if i < 0 || !slices.Contains(asked[i].Tags, cases.ProfileTag) {
					t.Errorf("%s: first of %d failures is %q, want a case of the profile",
						f.name, r.Count(conformance.Failed), first)
				}
			}
		})
	}
}

// firstFailure returns the case of the failure that the report shows whole; empty where there is none.
func firstFailure(t *testing.T, r *conformance.Report) string {
	t.Helper()
	var text bytes.Buffer
	if err := report.Write("text", &text, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?m)^FAILED (\S+)`).FindSubmatch(text.Bytes())
	if first == nil {
		return ""
	}
	return string(first[1])
}

// ofEachRule changes each rule of a configuration of composed, and the whole of one of stream.
func ofEachRule(change func(rule spec.Value) spec.Value) func(spec.Value) spec.Value {
	return func(config spec.Value) spec.Value {
		rules := config.Get("rules")
		if len(rules.Items()) > 0 && rules.Items()[0].Kind() != spec.Object {
			return change(config)
		}
		return config.With("rules", rules.Map(change))
	}
}

// otherKeyOrders lets the order of members matter where it does not, and the other way round.
func otherKeyOrders(rule spec.Value) spec.Value {
	same := rule.Get("same")
	switch by, _ := same.Get("by").Str(); {
	case by == "tool" || by == "speech" || rule.Get("rungs").IsAbsent():
		return rule // it compares no arguments
	case !same.Get("key_order").IsAbsent():
		return rule.With("same", same.Without("key_order"))
	case same.IsAbsent():
		same = spec.ObjectValue()
	}
	return rule.With("same", same.With("key_order", spec.StringValue("kept")))
}

// otherStarts lets a rule start afresh at a message of the user where it does not, and the other way round.
func otherStarts(rule spec.Value) spec.Value {
	user := spec.StringValue("user")
	events := slices.Clone(rule.Get("fresh").Items())
	if i := slices.IndexFunc(events, user.Equal); i >= 0 {
		events = slices.Delete(events, i, i+1)
	} else {
		events = append(events, user)
	}
	return rule.With("fresh", spec.ArrayValue(events...))
}
