package conformance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// whole returns an offer of a whole detector that names each part.
func whole(d spec.Definition) spec.Offer {
	offer := d.Offer()
	offer.Features = slices.DeleteFunc(offer.Features, func(f spec.Feature) bool { return f == spec.Shared })
	offer.Rules, offer.Members = d.Kinds(), append([]string{"loop"}, d.Members()...)
	for _, s := range d.Settings {
		if s.Needs != spec.Shared {
			offer.Settings = append(offer.Settings, s.Name)
		}
	}
	return offer
}

// lacking is a port that offers a part and does not have it.
type lacking struct {
	spec.Port
	offer spec.Offer
	part  lack
}

// lack is the part that a port lacks.
type lack conformance.Part

// of returns a value as a port sees it that does not tell 1 from 1.0, where that is the lack.
func (l lack) of(v spec.Value) spec.Value {
	if l.Name == string(spec.IntFloat) {
		return spec.MustParse(strings.ReplaceAll(v.String(), ".0", ""))
	}
	return v
}

func (p lacking) Describe(context.Context) (spec.Description, error) {
	return spec.Description{Detectors: []spec.Offer{p.offer}}, nil
}

func (p lacking) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	definition, _ := spec.DefinitionOf(d)
	for _, s := range definition.Settings {
		if p.part.Sort == "setting" && s.Name == p.part.Name || p.part.Sort == "feature" && string(s.Needs) == p.part.Name {
			config = config.Without(s.Name)
		}
	}
	session, err := p.Port.Open(ctx, d, r, config)
	return lackingSession{session, p.offer, p.part}, err
}

func (p lacking) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	definition, _ := spec.DefinitionOf(p.part.Detector)
	if p.part.Sort == "feature" && string(definition.Functions[function]) == p.part.Name {
		return spec.ObjectValue(), nil
	}
	return p.Port.Call(ctx, function, r, p.part.of(args))
}

type lackingSession struct {
	spec.Session
	offer spec.Offer
	part  lack
}

func (s lackingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	events = slices.Clone(events)
	for i, e := range events {
		if s.part.Name == string(spec.Replies) && spec.TypeOf(e) == spec.Reply {
			return nil, spec.BadEvent("type", "no replies here")
		}
		events[i] = s.part.of(e)
	}
	verdicts, err := s.Session.Observe(ctx, events)
	for i := range verdicts {
		verdicts[i] = s.without(verdicts[i])
	}
	return verdicts, err
}

// without returns a verdict without the part.
func (s lackingSession) without(verdict spec.Value) spec.Value {
	kind, _ := verdict.Get("kind").Str()
	message, _ := verdict.Get("message").Str()
	switch name := s.part.Name; {
	case kind != "" && !s.offer.HasRule(spec.VerdictKind(kind)), s.part.Sort == "rule" && kind == name:
		return spec.MustParse(`{"loop":false}`)
	case s.part.Sort == "member":
		return verdict.Without(name)
	case name == string(spec.Evidence):
		return verdict.Without("evidence")
	case name == string(spec.Messages):
		return verdict.Without("message")
	case name == string(spec.Layout) && message != "":
		return verdict.With("message", spec.StringValue(strings.Join(strings.Fields(message), " ")))
	default:
		return verdict
	}
}

func (s lackingSession) State(ctx context.Context) (spec.Value, error) {
	if s.part.Name == string(spec.State) {
		return spec.ObjectValue(), nil
	}
	return s.Session.State(ctx)
}

func (s lackingSession) Restore(ctx context.Context, state spec.Value) error {
	if s.part.Name == string(spec.Snapshots) {
		return nil
	}
	return s.Session.Restore(ctx, state)
}

// partsIn returns the parts that an offer names.
func partsIn(offer spec.Offer) []lack {
	empty := []cases.Case{{Detector: offer.Detector}} // nothing is met by a case that no reading has
	var list []lack
	for _, part := range conformance.Unexercised(empty, spec.Description{Detectors: []spec.Offer{offer}}) {
		list = append(list, lack(part))
	}
	return list
}

// TestEveryPartIsMissed: a port that declares a part and lacks it fails a case, whatever the part; so the suite leaves
// nothing of a whole detector out.
func TestEveryPartIsMissed(t *testing.T) {
	if testing.Short() {
		t.Skip("each part is a port: make long runs it")
	}
	t.Parallel()
	for _, d := range spec.Detectors() {
		t.Run(string(d.ID), func(t *testing.T) {
			t.Parallel()
			offer, suite := whole(d), casesOf(t, d.ID)
			for _, part := range partsIn(offer) {
				if part.Sort != "reading" && !isMissed(t, offer, part, suite) {
					t.Errorf("no case misses %s", conformance.Part(part))
				}
			}
		})
	}
}

// TestASettingIsMissedUnderEachOfItsRules: of a port with one rule, a setting counts as exercised exactly if a port that
// ignores the setting fails a case.
func TestASettingIsMissedUnderEachOfItsRules(t *testing.T) {
	if testing.Short() {
		t.Skip("each setting is a port: make long runs it")
	}
	t.Parallel()
	for _, d := range spec.Detectors() {
		t.Run(string(d.ID), func(t *testing.T) {
			t.Parallel()
			suite := casesOf(t, d.ID)
			for _, rule := range d.Kinds() {
				offer := whole(d)
				offer.Rules, offer.Features = []spec.VerdictKind{rule}, nil
				unmet := conformance.Unexercised(suite, spec.Description{Detectors: []spec.Offer{offer}})
				for _, part := range partsIn(offer) {
					if part.Sort != "setting" || rule == spec.KindConsecutiveErrors && part.Name == "signature" {
						continue // the reference is no port without loop_detection, which reports before this rule
					}
					if met := !slices.Contains(unmet, conformance.Part(part)); met != isMissed(t, offer, part, suite) {
						t.Errorf("rule %s alone, %s: exercised is %t", rule, conformance.Part(part), met)
					}
				}
			}
		})
	}
}

// TestWhatNothingAsksForIsTold names what declarations lead to no case.
func TestWhatNothingAsksForIsTold(t *testing.T) {
	t.Parallel()
	suite := casesOf(t, spec.Fingerprint)
	text, row := []spec.Reading{spec.Text}, spec.Fingerprint
	for _, test := range []struct {
		reason string
		offer  spec.Offer
		want   string
	}{
		{"no lists", spec.Offer{Detector: row, Readings: text}, "[]"},
		{
			"a setting of a rule that is not there",
			spec.Offer{
				Detector: row, Readings: text, Rules: []spec.VerdictKind{spec.KindExact},
				Settings: []string{"threshold", "fuzzy_threshold"},
			},
			"[setting fuzzy_threshold of fingerprint]",
		},
		{
			"a state, which tells of every rule",
			spec.Offer{
				Detector: row, Readings: text, Features: []spec.Feature{spec.State, spec.Evidence},
				Rules: []spec.VerdictKind{spec.KindExact},
			},
			"[feature state of fingerprint]",
		},
		{
			"a member of another rule",
			spec.Offer{
				Detector: row, Readings: text, Rules: []spec.VerdictKind{spec.KindTestFix},
				Members: []string{"loop", "severity", "count"},
			},
			"[member severity of fingerprint]",
		},
		{"a detector without cases", spec.Offer{Detector: spec.Ralph, Readings: text, Settings: []string{"window"}}, "[]"},
	} {
		unmet := conformance.Unexercised(suite, spec.Description{Detectors: []spec.Offer{test.offer}})
		if got := fmt.Sprint(unmet); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}

// isMissed reports whether a case fails; to refuse a setting is not to have it.
func isMissed(t *testing.T, offer spec.Offer, part lack, suite []cases.Case) bool {
	t.Helper()
	accepted := lists.Filter(suite, func(c cases.Case) bool { return c.Refuse == nil || part.Sort != "setting" })
	options := conformance.Options{FailFast: true, Suite: conformance.SuiteInfo{Selected: len(accepted)}}
	r, err := conformance.Run(t.Context(), lacking{reference.Port(), offer, part}, accepted, options)
	if err != nil {
		t.Fatal(err)
	}
	return r.Count(conformance.Failed) > 0
}
