package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// Watch says who watches a run: a detector of a port, in a reading, with a configuration.
type Watch struct {
	Port     spec.Port
	PortName string // empty for the reference
	Detector spec.DetectorID
	Reading  spec.Reading
	Profile  string     // "@roo" where the configuration is a profile; empty where it is none
	Config   spec.Value // absent for the defaults
	Offer    spec.Offer // what the port has of the detector
}

// Name names the lane in reports: the profile, or the detector, with its reading where it has several, and the port.
func (w Watch) Name() string {
	name := string(w.Detector)
	if d, known := spec.DefinitionOf(w.Detector); !known || len(d.Readings) > 1 {
		name += " " + string(w.Reading)
	}
	if w.Profile != "" {
		name = w.Profile
	}
	if w.PortName != "" {
		name += " of " + w.PortName
	}
	return name
}

// WatchesOf returns all that a port offers, with the default configurations.
func WatchesOf(port spec.Port, name string, offers []spec.Offer) []Watch {
	var list []Watch
	for _, offer := range offers {
		for _, reading := range offer.Readings {
			list = append(list, Watch{Port: port, PortName: name, Detector: offer.Detector, Reading: reading, Offer: offer})
		}
	}
	return list
}

// Profiles returns the watch with each profile that configures its detector.
func (w Watch) Profiles(list []profile.Profile) []Watch {
	var watches []Watch
	for _, p := range list {
		if p.ID().Row() == w.Detector {
			w.Profile, w.Config = string(p.ID()), p.Config()
			watches = append(watches, w)
		}
	}
	return watches
}

// Span is a stretch of a run in which a detector says that there is a loop: from an event after which it says so up to
// the last one before an event of the same type after which it does not.
type Span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Alarm is the first time that a detector says so.
type Alarm struct {
	Event    int        // after which event
	Verdict  spec.Value // as the port gave it
	Evidence []int      // the events that it names, by their place in the run; those that are long gone are left out
}

// Lane is all that one detector says of a run.
type Lane struct {
	Watch
	First   *Alarm
	Spans   []Span
	Marked  int    // events after which it says that there is a loop
	Told    int    // events that were of a type that it observes
	Refused string // why it was told nothing more; empty where it was told all
	Lost    string // why its port did not answer to the end; empty where it did

	live    bool    // each stretch is told as it begins
	begun   []Alarm // the stretches that began and were not told yet
	session spec.Session
	types   []spec.EventType // that it observes
	spoke   string           // the type of event after which it spoke last, while the stretch lasts
	places  []int            // of the latest events that it was told, in a ring
	values  []spec.Value
	pending []int
}

// What a lane keeps is bounded, so that a run may be of any length.
const (
	keptPlaces = 1 << 14 // evidence about older events is not shown
	keptSpans  = 1 << 12 // more stretches than that are one with the stretch before
	batch      = 64      // events of the run that are told in one request; after so many more an alarm is heard
)

func openLane(ctx context.Context, w Watch) (*Lane, error) {
	session, err := w.Port.Open(ctx, w.Detector, w.Reading, w.Config)
	l := &Lane{Watch: w, session: session, types: w.Offer.Definition().Judges()}
	if fault, refused := errors.AsType[*spec.Fault](err); refused {
		l.Refused = fault.Message
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open a session of %s: %w", w.Name(), err)
	}
	return l, nil
}

// understood returns what the lane is told of an event: what the port takes of it; false where that is nothing, or
// where the detector does not observe such events.
func (l *Lane) understood(event spec.Value) (spec.Value, bool) {
	if typ, _ := event.Get("type").Str(); !slices.Contains(l.types, spec.EventType(typ)) {
		return event, false
	}
	return l.Offer.Understood(event)
}

// tell takes in an event by its place in the run. The port hears of it with the rest of its batch, and never later than
// a batch of the run's events, however few of them it is told.
func (l *Lane) tell(ctx context.Context, place int, event spec.Value) error {
	if l.isOver() {
		return nil
	}
	if told, ok := l.understood(event); ok {
		l.values, l.pending = append(l.values, told), append(l.pending, place)
	}
	if len(l.pending) == 0 || place-l.pending[0] < batch-1 {
		return nil
	}
	return l.flush(ctx)
}

// flush tells the port what is pending. Of a batch that it refuses it has seen nothing: it is told the events one by
// one, up to the one that it refuses.
func (l *Lane) flush(ctx context.Context) error {
	values, places := l.values, l.pending
	l.values, l.pending = l.values[:0], l.pending[:0]
	if len(values) == 0 || l.isOver() {
		return nil
	}
	verdicts, err := l.session.Observe(ctx, values)
	if err == nil {
		l.heard(values, places, verdicts)
		return nil
	}
	if _, refused := errors.AsType[*spec.Fault](err); !refused {
		return l.lost(err)
	}
	for i, value := range values {
		verdicts, err := l.session.Observe(ctx, []spec.Value{value})
		if fault, refused := errors.AsType[*spec.Fault](err); refused {
			l.Refused = fault.Message
			return nil
		}
		if err != nil {
			return l.lost(err)
		}
		l.heard(values[i:i+1], places[i:i+1], verdicts)
	}
	return nil
}

// isOver reports whether the lane is told nothing more.
func (l *Lane) isOver() bool { return l.Refused != "" || l.Lost != "" }

// lost notes that the port is gone: of what it was not told, it has no verdict.
func (l *Lane) lost(err error) error {
	l.Lost = err.Error()
	return fmt.Errorf("tell %s: %w", l.Name(), err)
}

func (l *Lane) heard(events []spec.Value, places []int, verdicts []spec.Value) {
	if l.places == nil {
		l.places = make([]int, keptPlaces)
	}
	for i, verdict := range verdicts[:min(len(verdicts), len(places))] {
		l.places[l.Told%keptPlaces] = places[i]
		l.Told++
		typ, _ := events[i].Get("type").Str()
		switch {
		case verdict.Get("loop").IsTrue():
			l.mark(places[i], verdict)
			l.spoke = typ
		case typ == l.spoke:
			l.spoke = ""
		}
	}
}

// mark takes in a verdict that there is a loop.
func (l *Lane) mark(place int, verdict spec.Value) {
	l.Marked++
	if l.First == nil || l.live && l.spoke == "" {
		alarm := Alarm{Event: place, Verdict: verdict, Evidence: l.evidence(verdict)}
		if l.First == nil {
			l.First = &alarm
		}
		l.begun = append(l.begun, alarm)
	}
	if n := len(l.Spans); n > 0 && (l.spoke != "" || n == keptSpans) {
		l.Spans[n-1].To = place
		return
	}
	l.Spans = append(l.Spans, Span{place, place})
}

// evidence returns where in the run the events are that a verdict names by their number in the session.
func (l *Lane) evidence(verdict spec.Value) []int {
	var list []int
	for _, item := range verdict.Get("evidence").Items() {
		if index, ok := item.Int(); ok && index >= 0 && index < l.Told && l.Told-index <= keptPlaces {
			list = append(list, l.places[index%keptPlaces])
		}
	}
	return list
}
