package spec

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Implementation is one detector in Go, as [NewHost] takes it: a constructor and the pure functions.
type Implementation struct {
	Offer

	// New returns a detector with an empty trace. An absent config stands for the defaults; the reading is an offered
	// reading. The error is a [*Fault] of kind [InvalidConfig].
	New func(reading Reading, config Value) (Detector, error)

	// Functions holds the pure functions by their full names, such as "history.hash".
	Functions map[string]Function
}

// Function is a pure function of a detector. Its error is a [*Fault].
type Function = func(reading Reading, args Value) (Value, error)

// Constructor returns a detector with an empty trace. Its error is a [*Fault] of kind [InvalidConfig], for faults that
// the detector's row does not find.
type Constructor = func(Settings) (Detector, error)

// Define returns a detector of the specification as [NewHost] takes it: its row says what it offers and reads its
// configurations.
func Define(id DetectorID, detector Constructor, functions map[string]Function) Implementation {
	row, _ := DefinitionOf(id)
	offer := row.Offer().Without(Shared) // a shared swarm takes a store
	open := func(r Reading, config Value) (Detector, error) {
		s, err := offer.Read(r, config)
		if err != nil {
			return nil, err
		}
		return detector(s)
	}
	return Implementation{Offer: offer, New: open, Functions: functions}
}

// Host is a [Port] made of detectors in Go. It decodes, checks and numbers events, and refuses what a detector does not
// have. So the author of a detector writes nothing but the detector.
type Host struct {
	description     Description
	implementations map[DetectorID]Implementation
}

// NewHost returns a Port of the detectors; the description's own list of detectors is made from them.
func NewHost(description Description, detectors ...Implementation) *Host {
	h := &Host{description: description, implementations: map[DetectorID]Implementation{}}
	h.description.Detectors = nil
	for _, impl := range detectors {
		h.description.Detectors = append(h.description.Detectors, impl.Offer)
		h.implementations[impl.Detector] = impl
	}
	return h
}

// Describe implements [Port].
func (h *Host) Describe(context.Context) (Description, error) { return h.description, nil }

// Open implements [Port].
func (h *Host) Open(_ context.Context, id DetectorID, reading Reading, config Value) (Session, error) {
	impl, ok := h.implementations[id]
	if !ok {
		return nil, NotSupported(string(id), "no such detector")
	}
	if !slices.Contains(impl.Readings, reading) {
		return nil, NotSupported(string(reading), "%s has no such reading", id)
	}
	if k := config.Kind(); k != Absent && k != Object {
		return nil, BadParams("config: want an object, got %s", k)
	}
	for _, m := range config.Members() {
		if !impl.HasSetting(m.Name) {
			return nil, BadConfig(m.Name, "not declared")
		}
	}
	detector, err := impl.New(reading, config)
	if err != nil {
		return nil, err
	}
	return &hostSession{detector: detector}, nil
}

// Call implements [Port]. Without a reading, the first of the function's detector is taken.
func (h *Host) Call(_ context.Context, function string, reading Reading, args Value) (Value, error) {
	for _, offer := range h.description.Detectors {
		call, ok := h.implementations[offer.Detector].Functions[function]
		if !ok {
			continue
		}
		if reading == "" {
			reading = offer.Readings[0]
		}
		if !slices.Contains(offer.Readings, reading) {
			return Value{}, NotSupported(string(reading), "%s has no such reading", function)
		}
		if args.Kind() != Object {
			return Value{}, BadParams("args: want an object, got %s", args.Kind())
		}
		return call(reading, args)
	}
	return Value{}, &Fault{Kind: UnknownFunction, Message: fmt.Sprintf("%q; known are %v", function, h.functions())}
}

func (h *Host) functions() []string {
	var list []string
	for _, impl := range h.implementations {
		list = slices.AppendSeq(list, maps.Keys(impl.Functions))
	}
	slices.Sort(list)
	return list
}

// hostSession runs one detector. The lock makes a session slow, not wrong, if several goroutines misuse it.
type hostSession struct {
	mu       sync.Mutex
	detector Detector
	next     int // index of the next event
}

// batches holds memory for the events of a request. All sessions share it: most have too few requests to need memory of
// their own again.
var batches = sync.Pool{New: func() any { return new([]Event) }}

// keptEvents is the room, in events, up to which the memory of a batch is kept.
const keptEvents = 512

func (s *hostSession) Observe(_ context.Context, events []Value) ([]Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := batches.Get().(*[]Event)
	defer release(batch)
	if err := s.decode(batch, events); err != nil {
		return nil, err
	}
	verdicts := make([]Value, len(*batch))
	for i, event := range *batch {
		verdicts[i] = s.detector.Observe(event).Value()
	}
	s.next += len(events)
	return verdicts, nil
}

// release puts the memory of a batch into the pool, without what is in it.
func release(batch *[]Event) {
	if clear(*batch); cap(*batch) <= keptEvents {
		*batch = (*batch)[:0]
		batches.Put(batch)
	}
}

// decode checks the whole batch before the detector sees any of it.
func (s *hostSession) decode(batch *[]Event, events []Value) error {
	checker, _ := s.detector.(EventChecker)
	*batch = slices.Grow(*batch, len(events))
	for i, v := range events {
		event, err := DecodeEvent(v)
		if err != nil {
			return err
		}
		event.Index = s.next + i
		if checker != nil {
			if err := checker.CheckEvent(event); err != nil {
				return err
			}
		}
		*batch = append(*batch, event)
	}
	return nil
}

func (s *hostSession) Reset(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detector.Reset()
	return nil
}

func (s *hostSession) State(context.Context) (Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.detector.(Stater); ok {
		return d.State(), nil
	}
	return Value{}, NotSupported(string(State), "the detector has no visible state")
}

func (s *hostSession) Snapshot(context.Context) (Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.detector.(Snapshotter); ok {
		return d.Snapshot(), nil
	}
	return Value{}, NotSupported(string(Snapshots), "the detector has no snapshot")
}

func (s *hostSession) Restore(_ context.Context, state Value) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.detector.(Snapshotter); ok {
		return d.Restore(state)
	}
	return NotSupported(string(Snapshots), "the detector has no snapshot")
}

func (s *hostSession) Close(context.Context) error { return nil }
