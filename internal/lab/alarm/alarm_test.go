package alarm

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// observer returns the reference's detector, or the profile, of that name.
func observer(t *testing.T, name string) Observer {
	t.Helper()
	description, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range ObserversOf(reference.Port(), "", description.Detectors) {
		for _, each := range append(o.Profiles(profiles), o) {
			if each.Name() == name {
				return each
			}
		}
	}
	t.Fatalf("there is no %s", name)
	return Observer{}
}

// alarmsOf plays a run, given as JSON, and returns the alarms.
func alarmsOf(t *testing.T, o Observer, places []int, events ...string) (alarms []Alarm, err error) {
	t.Helper()
	list := make([]spec.Value, len(events))
	for i, text := range events {
		list[i] = spec.MustParse(text)
	}
	err = o.Observe(t.Context(), list, places, func(_ int, _ spec.Value, a *Alarm) {
		if a != nil {
			alarms = append(alarms, *a)
		}
	})
	return alarms, err
}

const (
	call = `{"type":"tool_call","tool":"a"}`
	text = `{"type":"delta","text":"I look at the file that the test names and read it."}`
	user = `{"type":"message","role":"user","content":"go on"}`
)

// TestEvidenceIsNumberedAsTheCallerNumbers: a detector counts only the events that its port takes.
func TestEvidenceIsNumberedAsTheCallerNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason   string
		places   []int
		at       int
		evidence []int
	}{
		{"by the events of the run", nil, 4, []int{1, 2, 4}},
		{"by steps", []int{0, 0, 1, 1, 2}, 2, []int{0, 1, 2}},
	} {
		got, err := alarmsOf(t, observer(t, "history"), test.places, user, call, call, user, call)
		if err != nil || len(got) != 1 || got[0].At != test.at || !slices.Equal(got[0].Evidence, test.evidence) {
			t.Errorf("%s: %+v, %v; want one at %d that rests on %v", test.reason, got, err, test.at, test.evidence)
		}
	}
}

// TestADetectorIsToldWhereItsTextStartsAfresh: stream judges pieces alone, and forgets the text at calls and prompts.
func TestADetectorIsToldWhereItsTextStartsAfresh(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason  string
		between string
		loops   bool
	}{
		{"the text goes on", text, true},
		{"a call ends the text", call, false},
		{"a prompt ends the text", user, false},
	} {
		events := slices.Concat(slices.Repeat([]string{text}, 6), []string{test.between}, slices.Repeat([]string{text}, 6))
		got, err := alarmsOf(t, observer(t, "@gemini-cli-stream"), nil, events...)
		if err != nil || (len(got) > 0) != test.loops {
			t.Errorf("%s: %d alarms, %v", test.reason, len(got), err)
		}
	}
}

// TestWhatCameBeforeARefusedEventIsHeard: of a batch that is refused the port has seen nothing, and the alarms before the
// event that it refuses count.
func TestWhatCameBeforeARefusedEventIsHeard(t *testing.T) {
	t.Parallel()
	got, err := alarmsOf(t, observer(t, "history"), nil, call, call, call, `{"type":"tool_call","tool":7}`, call)
	if _, refused := errors.AsType[*spec.Fault](err); !refused || len(got) != 1 || got[0].At != 2 {
		t.Errorf("%+v, %v; want the alarm after the third call, and a refusal", got, err)
	}
}

// TestAnAlarmIsHeardABatchLaterAtMost: however few of the run's events a port takes.
func TestAnAlarmIsHeardABatchLaterAtMost(t *testing.T) {
	t.Parallel()
	heard := false
	s, err := observer(t, "history").Open(t.Context(), func(_ int, _ spec.Value, a *Alarm) { heard = heard || a != nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 + batch {
		event := user
		if i < 3 {
			event = call
		}
		if err := s.Tell(t.Context(), i, spec.MustParse(event)); err != nil {
			t.Fatal(err)
		}
	}
	if !heard {
		t.Errorf("no alarm is heard %d events after it", batch)
	}
}

// TestASessionKeepsSoMuch: a run may be of any length.
func TestASessionKeepsSoMuch(t *testing.T) {
	t.Parallel()
	s, err := observer(t, "history").Open(t.Context(), func(int, spec.Value, *Alarm) {})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2*keptPlaces + batch {
		if err := s.Tell(t.Context(), i, spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t%d"}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.places) != keptPlaces || len(s.values) > batch || s.told < 2*keptPlaces {
		t.Errorf("after %d events it keeps %d places and %d events", s.told, len(s.places), len(s.values))
	}
}

// TestAPortIsToldWhatItTakes: a port that knows nothing of replies is sent none, and no thoughts; what it says of an event
// is still said of the event's place in the run.
func TestAPortIsToldWhatItTakes(t *testing.T) {
	t.Parallel()
	events := spec.MustParse(`[
		{"type":"reply","cost_usd":1}, {"type":"tool_call","tool":"a","thought":"b"}, {"type":"reply"}, {"type":"tool_call","tool":"a"}
	]`).Items()
	for _, test := range []struct {
		reason string
		offer  spec.Offer
		places []int
		last   string
	}{
		{"without replies", spec.Offer{}, []int{1, 3}, `{"type":"tool_call","tool":"a"}`},
		{"with replies", spec.Offer{Features: []spec.Feature{spec.Replies}}, []int{0, 1, 2, 3}, events[1].String()},
	} {
		o := observer(t, "history")
		o.Offer = test.offer
		var places []int
		var call spec.Value
		err := o.Observe(t.Context(), events, nil, func(place int, event spec.Value, _ *Alarm) {
			if places = append(places, place); place == 1 {
				call = event
			}
		})
		if err != nil || !slices.Equal(places, test.places) || call.String() != test.last {
			t.Errorf("%s: told %v, the call as %s, %v; want %v, %s", test.reason, places, call, err, test.places, test.last)
		}
	}
}
