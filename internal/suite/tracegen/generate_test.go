package tracegen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// bareOffers returns the detectors without any feature.
func bareOffers() []spec.Offer {
	var list []spec.Offer
	for _, o := range offers() {
		list = append(list, spec.Offer{Detector: o.Detector, Readings: o.Readings})
	}
	return list
}

// everySubject calls check for so many subjects of each offer and reading.
func everySubject(list []spec.Offer, many int, check func(spec.Offer, fuzz.Subject)) {
	for _, offer := range list {
		for _, reading := range offer.Readings {
			draw := For(offer, reading)
			for seed := range many {
				check(offer, example(seed, draw))
			}
		}
	}
}

func TestSameSeedGivesTheSameSubject(t *testing.T) {
	t.Parallel()
	everySubject(offers(), 100, func(offer spec.Offer, s fuzz.Subject) {
		if !slices.Contains(offer.Readings, s.Reading) || s.Detector != offer.Detector {
			t.Errorf("%s/%s drawn for %s", s.Detector, s.Reading, offer.Detector)
		}
	})
	for _, offer := range offers() {
		draw := For(offer, offer.Readings[0])
		other := For(offer, offer.Readings[0])
		for seed := range 100 {
			a, b := example(seed, draw).Value().String(), example(seed, other).Value().String()
			if a != b {
				t.Fatalf("%s, seed %d:\n%s\n%s", offer.Detector, seed, a, b)
			}
		}
	}
}

func TestTextsAreWithinTheSpecificationsUnicode(t *testing.T) {
	t.Parallel()
	parted := map[spec.DetectorID]bool{} // by the cut of SG-6, between the halves of a surrogate pair
	everySubject(offers(), 300, func(_ spec.Offer, s fuzz.Subject) {
		everyText(s.Value(), func(text string) {
			if !utf8.ValidString(text) {
				t.Errorf("%q is not UTF-8", text)
			}
			for _, r := range text {
				if !assigned(r) {
					t.Errorf("%q has U+%04X", text, r)
				}
			}
			if strings.Contains(s.Function, "ai_prompt") && strings.ContainsFunc(text, notPromptText) {
				t.Errorf("a prompt is asked to hold %q", text)
			}
			units := utf16.Encode([]rune(text))
			parted[s.Detector] = parted[s.Detector] || len(units) >= 50 && utf16.IsSurrogate(rune(units[49])) && units[49] < 0xDC00
		})
	})
	if !parted[spec.Signature] || !parted[spec.Guards] {
		t.Errorf("no output is cut between the halves of a surrogate pair: %v", parted)
	}
}

// assigned reports whether a character is assigned in Unicode 14 and not one of those that later versions changed.
func assigned(r rune) bool {
	ranges := runeRanges()
	i, _ := slices.BinarySearchFunc(ranges, r, func(x runeRange, r rune) int { return int(x.last - r) })
	return i < len(ranges) && ranges[i].first <= r
}

func notPromptText(r rune) bool { return r > '~' || r < ' ' && !strings.ContainsRune("\t\n\r", r) }

// everyText calls check for every text and name in a value.
func everyText(v spec.Value, check func(string)) {
	if text, ok := v.Str(); ok {
		check(text)
	}
	for _, item := range v.Items() {
		everyText(item, check)
	}
	for _, m := range v.Members() {
		check(m.Name)
		everyText(m.Value, check)
	}
}

func TestNumbersAreSuchAsThePortCanTellApart(t *testing.T) {
	t.Parallel()
	const largest = 1 << 53
	everySubject(offersWithout(spec.IntFloat), 500, func(_ spec.Offer, s fuzz.Subject) {
		doubles := s.Detector == spec.Fingerprint || s.Detector == spec.Swarm || s.Detector == spec.Composed
		check := func(n spec.Value) {
			f, _ := n.Float()
			switch {
			case math.IsInf(f, 0):
				t.Errorf("%s is beyond a double", n)
			case doubles:
			case !n.IsIntegerLiteral() && f == math.Trunc(f), math.Abs(f) >= largest:
				t.Errorf("%s %s: %s: not every language can tell 1 from 1.0, and has larger integers", s.Detector, s.Function, n)
			}
		}
		for _, step := range s.Steps {
			everyNumberIn(step.Event.Get("args"), check)
		}
		everyNumberIn(s.Args, check)
	})
}

// offersWithout returns what ports offer that have everything but one feature.
func offersWithout(feature spec.Feature) []spec.Offer {
	list := offers()
	for i := range list {
		has := func(f spec.Feature) bool { return f == feature }
		list[i].Features = slices.DeleteFunc(slices.Clone(list[i].Features), has)
	}
	return list
}

func everyNumberIn(v spec.Value, check func(spec.Value)) {
	if v.Kind() == spec.Number {
		check(v)
	}
	for _, item := range v.Items() {
		everyNumberIn(item, check)
	}
	for _, m := range v.Members() {
		everyNumberIn(m.Value, check)
	}
}

func TestWhatIsNotOfferedIsNotDrawn(t *testing.T) {
	t.Parallel()
	everySubject(bareOffers(), 500, func(_ spec.Offer, s fuzz.Subject) {
		if s.IsCall() {
			t.Errorf("call of %s", s.Function)
		}
		for _, name := range []string{"normalize", "tool_limits", "first_word_threshold"} {
			if !s.Config.Get(name).IsAbsent() {
				t.Errorf("mitigation %s", name)
			}
		}
	})
}

// TestFaultsAreFewAndAlone measures that nearly all traces are accepted, and that those with a fault have one.
func TestFaultsAreFewAndAlone(t *testing.T) {
	t.Parallel()
	const draws = 800
	traces, configs, events := map[spec.DetectorID]int{}, map[spec.DetectorID]int{}, map[spec.DetectorID]int{}
	port := reference.Port()
	everySubject(offers(), draws, func(_ spec.Offer, s fuzz.Subject) {
		if s.IsCall() {
			return
		}
		traces[s.Detector]++
		badConfig, badEvents := countFaults(t, port, s.Trace)
		if badConfig {
			configs[s.Detector]++
			mustHaveOneFault(t, port, s.Trace)
		}
		if badEvents > 0 {
			events[s.Detector]++
		}
		if badEvents > 1 || badConfig && badEvents > 0 {
			t.Errorf("more than one fault in %s", s.Value())
		}
	})
	for id, n := range traces {
		if !aFew(configs[id], n) || !aFew(events[id], n) {
			t.Errorf("%s: of %d traces %d have a fault in the configuration and %d in an event", id, n, configs[id], events[id])
		}
	}
}

// aFew reports whether a share is about three percent.
func aFew(part, all int) bool { return 100*part >= all && 100*part <= 6*all }

func countFaults(t *testing.T, port spec.Port, trace laws.Trace) (badConfig bool, badEvents int) {
	t.Helper()
	ctx := context.Background()
	session, err := port.Open(ctx, trace.Detector, trace.Reading, trace.Config)
	if err != nil {
		badConfig = true
		mustBeKind(t, err, spec.InvalidConfig)
		session, err = port.Open(ctx, trace.Detector, trace.Reading, spec.Value{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range trace.Events() {
		if _, err := session.Observe(ctx, []spec.Value{event}); err != nil {
			mustBeKind(t, err, spec.InvalidEvent)
			badEvents++
		}
	}
	return badConfig, badEvents
}

// mustHaveOneFault demands of a configuration that it is good without one of its members: of two faults a port may name
// either.
func mustHaveOneFault(t *testing.T, port spec.Port, trace laws.Trace) {
	t.Helper()
	for _, m := range trace.Config.Members() {
		if _, err := port.Open(t.Context(), trace.Detector, trace.Reading, trace.Config.Without(m.Name)); err == nil {
			return
		}
	}
	t.Errorf("%s: more than one fault in the configuration %s", trace.Detector, trace.Config)
}

func mustBeKind(t *testing.T, err error, kind spec.FaultKind) {
	t.Helper()
	var fault *spec.Fault
	if !errors.As(err, &fault) || fault.Kind != kind {
		t.Errorf("want a refusal of kind %s, got %v", kind, err)
	}
}

// TestTheUnicodeTableIsWhole guards the list that the texts are drawn from.
func TestTheUnicodeTableIsWhole(t *testing.T) {
	t.Parallel()
	const want = 144_697 + 65 - 2 // characters and control codes of Unicode 14, less the two that are left out
	count := 0
	last := rune(-2)
	for _, r := range runeRanges() {
		if r.first <= last+1 || r.last < r.first {
			t.Errorf("range %x-%x after %x", r.first, r.last, last)
		}
		last = r.last
		count += int(r.last-r.first) + 1
	}
	for _, r := range "\u0295\U0001171e\ue000\U0001fae8\ud7ff" {
		if assigned(r) {
			t.Errorf("U+%04X is drawn", r)
		}
	}
	if count != want {
		t.Errorf("%d characters, want %d", count, want)
	}
}

func TestWhatCannotBeDrawnIsNamed(t *testing.T) {
	t.Parallel()
	history, _ := spec.DefinitionOf(spec.History)
	withSetting := history
	withSetting.Settings = append(slices.Clone(history.Settings), spec.Parameter{Name: "spelling", Kind: spec.String})
	withFunction := history
	withFunction.Functions = map[string]spec.Feature{"history.undo": spec.Functions}
	for _, test := range []struct {
		definition spec.Definition
		missing    string
	}{
		{spec.Definition{ID: "eighth"}, `model of the detector "eighth"`},
		{withSetting, "the setting spelling of history"},
		{withFunction, "history.undo"},
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); !strings.Contains(message, test.missing) {
					t.Errorf("got %q, want it to name %s", message, test.missing)
				}
			}()
			modelOf(test.definition)
		}()
	}
}
