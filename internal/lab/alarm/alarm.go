// Package alarm plays a run of an agent to a detector and returns the detector's alarms. The packages replay and score
// take all alarms from here: replay event by event, score of whole runs.
package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Observer is a detector of a port that observes runs: in a reading, with a configuration.
type Observer struct {
	Port     spec.Port       `json:"-"`
	Detector spec.DetectorID `json:"detector"`
	Reading  spec.Reading    `json:"reading"`
	Profile  string          `json:"profile,omitempty"` // "@roo" where the configuration is a profile
	Config   spec.Value      `json:"-"`                 // that its sessions are opened with; absent for the defaults
	Owner    string          `json:"port,omitempty"`    // whose port it is; empty for the reference
	Offer    spec.Offer      `json:"-"`                 // what the port has of the detector
}

// Name names the observer in reports: the profile, or the detector with its reading if it has several, and the port.
func (o Observer) Name() string {
	name := string(o.Detector)
	if d, known := spec.DefinitionOf(o.Detector); !known || len(d.Readings) > 1 {
		name += " " + string(o.Reading)
	}
	if o.Profile != "" {
		name = o.Profile
	}
	if o.Owner != "" {
		name += " of " + o.Owner
	}
	return wording.Line(name) // a port calls itself as it likes
}

// ObserversOf returns all that a port offers, with the default configurations.
func ObserversOf(port spec.Port, owner string, offers []spec.Offer) []Observer {
	var list []Observer
	for _, offer := range offers {
		for _, reading := range offer.Readings {
			list = append(list, Observer{Port: port, Owner: owner, Detector: offer.Detector, Reading: reading, Offer: offer})
		}
	}
	return list
}

// Profiles returns the observer with each profile that configures its detector.
func (o Observer) Profiles(list []profile.Profile) []Observer {
	var observers []Observer
	for _, p := range list {
		if p.ID().Row() == o.Detector {
			o.Profile, o.Config = string(p.ID()), p.Config()
			observers = append(observers, o)
		}
	}
	return observers
}

// CheckProfiles returns an error where a name means a profile that is neither built in nor a detector of an observer.
func CheckProfiles(names []string, observers []Observer) error {
	for _, name := range names {
		isIt := func(o Observer) bool {
			matched, err := path.Match(name, string(o.Detector))
			return err == nil && matched
		}
		if _, err := profile.Named([]string{name}); err != nil && !slices.ContainsFunc(observers, isIt) {
			return err
		}
	}
	return nil
}

// Observe shows a whole run to a new session. The places are what its events are numbered by; nil counts them from 0.
// The error is a [*spec.Fault] where the detector refuses the configuration or an event.
func (o Observer) Observe(ctx context.Context, events []spec.Value, places []int, listener Listener) error {
	s, err := o.Open(ctx, listener)
	if err != nil {
		return err
	}
	for i, event := range events {
		if i%batch == 0 { // a port within this process does not look
			err = context.Cause(ctx)
		}
		place := i
		if places != nil {
			place = places[i]
		}
		if err == nil {
			err = s.Tell(ctx, place, event)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = s.Flush(ctx)
	}
	if err != nil {
		err = fmt.Errorf("show %s the run: %w", o.Name(), err)
	}
	return cmp.Or(err, s.Close(ctx))
}

// Open opens a session for a run. The error is a [*spec.Fault] where the detector refuses the configuration.
func (o Observer) Open(ctx context.Context, listener Listener) (*Session, error) {
	s := o.Later(listener)
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Later returns a session for a run that opens with its first [Session.Flush]: thousands of short runs may go on beside
// one another, and an open session takes more memory than their events.
func (o Observer) Later(listener Listener) *Session { return &Session{Observer: o, listener: listener} }

// Alarm is that a detector reports a loop.
type Alarm struct {
	At       int        `json:"step"`               // after which event, as the events are numbered: by steps in a score
	Kind     string     `json:"kind,omitempty"`     // the rule that reports; empty where the port names none
	Evidence []int      `json:"evidence,omitempty"` // the events that it rests on; those that are long gone are left out
	Verdict  spec.Value `json:"-"`                  // as the port gave it
}

// Listener hears what comes of an event that the port takes: an alarm, or nil where the detector reports no loop.
type Listener func(place int, event spec.Value, alarm *Alarm)

// Session is a detector that observes one run.
type Session struct {
	Observer
	session  spec.Session // nil until it is open
	listener Listener

	told    int   // events
	places  []int // of the latest events that it was told, in a ring once it is full
	values  []spec.Value
	pending []int // the places of the values that the port has not heard of
	passed  int   // events of the run since the first of these
}

const (
	keptPlaces = 1 << 14 // evidence about older events is not shown
	batch      = 64      // events of the run that are told in one request; after so many more an alarm is heard
)

func (s *Session) open(ctx context.Context) (err error) {
	if s.session, err = s.Port.Open(ctx, s.Detector, s.Reading, s.Config); err != nil {
		s.session = nil // which may be a pointer that is nil
		return fmt.Errorf("open a session of %s: %w", s.Name(), err)
	}
	return nil
}

// Tell takes in the run's next event with its place. The port hears of it with the rest of its batch, and never later
// than a batch of the run's events, however few of them the port takes. The error is that of [Session.Flush].
func (s *Session) Tell(ctx context.Context, place int, event spec.Value) error {
	if told, ok := s.Offer.Understood(event); ok {
		s.values, s.pending = append(s.values, told), append(s.pending, place)
	}
	if len(s.pending) == 0 {
		return nil
	}
	if s.passed++; s.passed < batch {
		return nil
	}
	return s.Flush(ctx)
}

// Flush tells the port what is pending. Of a batch that it refuses it has seen nothing: it is told the events one by
// one, up to the one that it refuses, and the error is a [*spec.Fault], as it is if the port refuses to open the
// session. Any other error says that the port is gone.
func (s *Session) Flush(ctx context.Context) error {
	values, places := s.values, s.pending
	s.values, s.pending, s.passed = s.values[:0], s.pending[:0], 0
	if s.session == nil {
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return nil
	}
	err := s.tell(ctx, values, places)
	if _, refused := errors.AsType[*spec.Fault](err); !refused {
		return err
	}
	for i := range values {
		if err := s.tell(ctx, values[i:i+1], places[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) tell(ctx context.Context, values []spec.Value, places []int) error {
	verdicts, err := s.session.Observe(ctx, values)
	if err != nil {
		return err
	}
	for i, verdict := range verdicts[:min(len(verdicts), len(places))] {
		if s.told < keptPlaces {
			s.places = append(s.places, places[i])
		} else {
			s.places[s.told%keptPlaces] = places[i]
		}
		s.told++
		var alarm *Alarm
		if verdict.Get("loop").IsTrue() {
			kind := verdict.Get("kind").Text()
			alarm = &Alarm{At: places[i], Kind: kind, Verdict: verdict, Evidence: s.evidence(verdict)}
		}
		s.listener(places[i], values[i], alarm)
	}
	return nil
}

// evidence returns where in the run the events are that a verdict names by their number in the session. A port may name
// events that there are not.
func (s *Session) evidence(verdict spec.Value) []int {
	var list []int
	for _, item := range verdict.Get("evidence").Items() {
		if index, ok := item.Whole(); ok && index >= 0 && index < s.told && s.told-index <= keptPlaces {
			list = append(list, s.places[index%keptPlaces])
		}
	}
	return list
}

// Close closes the session.
func (s *Session) Close(ctx context.Context) error {
	if s.session == nil {
		return nil
	}
	err := s.session.Close(ctx)
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok && gone.Method != "session/close" { // it ended before
		return fmt.Errorf("show %s the run: %w", s.Name(), err)
	}
	if err != nil {
		return fmt.Errorf("close the session of %s: %w", s.Name(), err)
	}
	return nil
}

// Numbered returns the alarm with events numbered from 1, as people count them.
func (a Alarm) Numbered() Alarm {
	a.At, a.Evidence = a.At+1, lists.Map(a.Evidence, func(event int) int { return event + 1 })
	return a
}
