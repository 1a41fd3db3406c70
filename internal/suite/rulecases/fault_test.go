package rulecases

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// faults are what ports of a profile get wrong most often. Each changes the profile's configuration.
var faults = []struct {
	name  string
	plant func(config spec.Value) spec.Value
}{
	{"threshold", later},
	{"copies", moreCopies},
	{"key order", ofEachRule(otherKeyOrders)},
	{"fresh start", ofEachRule(otherStarts)},
}

// TestPortsOfProfilesAreHeldToThem runs the cases of each profile on the reference, which passes all, and on rules with
// each fault. The failure that the report shows whole is that of a case which was made for the profile, and not of a
// trace from its detector's cases.
func TestPortsOfProfilesAreHeldToThem(t *testing.T) {
	if testing.Short() {
		t.Skip("each fault in each profile: make long runs it")
	}
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			offer := p.Offer()
			asked := askedOf(t, offer)
			if first := offer.Detector + "-reaches-1"; asked[0].ID != string(first) {
				t.Errorf("it is first asked %s, want %s: a wrong threshold is best seen there", asked[0].ID, first)
			}
			ids := map[string]bool{} // by which a result is found
			for _, c := range asked {
				ids[c.ID] = true
			}
			if len(ids) != len(asked) || len(ids) < 5 {
				t.Errorf("%d cases have %d ids", len(asked), len(ids))
			}
			if first := firstFailure(t, offer, asked); first != "" {
				t.Errorf("the rules of the profile fail %s", first)
			}
			planted, short := 0, lists.Filter(asked, func(c cases.Case) bool { return !c.IsLong() })
			for _, f := range faults {
				faulty := offer
				if faulty.Fixed = f.plant(offer.Fixed); faulty.Fixed.Equal(offer.Fixed) {
					continue // each detector has its own
				}
				planted++
				first := firstFailure(t, faulty, short)
				i := slices.IndexFunc(asked, func(c cases.Case) bool { return c.ID == first })
				if i < 0 || !slices.Contains(asked[i].Tags, cases.ProfileTag) {
					t.Errorf("%s: the first failure is %q, want a case of the profile", f.name, first)
				}
			}
			if planted < 2 {
				t.Errorf("it has %d faults", planted)
			}
		})
	}
}

// firstFailure returns the case of the failure that the report on rules shows whole; empty where all cases pass.
func firstFailure(t *testing.T, rules spec.Offer, asked []cases.Case) string {
	t.Helper()
	options := conformance.Options{Suite: conformance.SuiteInfo{Selected: len(asked)}}
	r, err := conformance.Run(t.Context(), reference.Port(rules), asked, options)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Write("text", &text, r, report.Options{}); err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?m)^FAILED (\S+)`).FindSubmatch(text.Bytes())
	if passes := r.Outcome() == conformance.Conformant; passes != (first == nil) {
		t.Errorf("the outcome is %s, and the first failure %q", r.Outcome(), first)
	}
	if first == nil {
		return ""
	}
	return string(first[1])
}

// later returns a configuration whose thresholds are one higher.
func later(v spec.Value) spec.Value {
	if n, ok := v.Get("at").Int(); ok {
		v = v.With("at", spec.IntValue(n+1))
	}
	return v.Map(later)
}

// moreCopies returns a configuration of stream whose rules want a copy more.
func moreCopies(config spec.Value) spec.Value {
	if profile.CheckConfig(spec.Stream, config) != nil {
		return config // which stream refuses
	}
	c := profile.StreamOf(config)
	config = config.With("tail_copies", spec.IntValue(c.TailCopies+1))
	return config.With("chunk_copies", spec.IntValue(c.ChunkCopies+1)).With("lines_copies", spec.IntValue(c.LinesCopies+1))
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
