package minimal

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// rivalsOf returns ports that are wrong throughout, as far as the case could tell: one that follows the other reading of
// the documents, one whose sessions are one, one that does not forget, one that takes no state, one
// that adds where it should replace, one that forgets its configuration, too, one without a window, and those that only guess.
func rivalsOf(c cases.Case, oracle spec.Port) []spec.Port {
	rivals := []spec.Port{clingingPort{oracle}, deafPort{oracle}, heapingPort{oracle}, amnesicPort{oracle}, endlessPort{oracle}, &joinedPort{Port: oracle}}
	if len(c.Readings) == 1 && contrary(c.Detector, c.Readings[0]) != c.Readings[0] {
		rivals = append(rivals, contraryPort{oracle})
	}
	return rivals
}

// catchesRival reports whether one of the rivals fails the case, and passes the shorter one.
func catchesRival(ctx context.Context, c, shorter cases.Case, oracle spec.Port) (bool, error) {
	for _, rival := range rivalsOf(c, oracle) {
		passes, err := wrongPasses(ctx, rival, c)
		if err != nil {
			return false, err
		}
		if passes {
			continue
		}
		if passes, err = wrongPasses(ctx, rival, shorter); err != nil || passes {
			return passes, err
		}
	}
	return false, nil
}

// contraryPort answers in the other reading of a detector than it is asked for, where there is one.
type contraryPort struct{ spec.Port }

// Open implements [spec.Port].
func (p contraryPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	return p.Port.Open(ctx, id, contrary(id, reading), config)
}

// contrary returns the other reading; the same where a detector has one only.
func contrary(id spec.DetectorID, reading spec.Reading) spec.Reading {
	profile, _ := spec.DefinitionOf(id)
	i := slices.IndexFunc(profile.Readings, func(r spec.Reading) bool { return r != reading })
	if i < 0 {
		return reading
	}
	return profile.Readings[i]
}

// clingingPort does not forget: a reset or a restore changes nothing.
type clingingPort struct{ spec.Port }

// Open implements [spec.Port].
func (p clingingPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	return clingingSession{session}, err
}

type clingingSession struct{ spec.Session }

// Reset implements [spec.Session].
func (clingingSession) Reset(context.Context) error { return nil }

// Restore implements [spec.Session].
func (clingingSession) Restore(context.Context, spec.Value) error { return nil }

// deafPort takes no state that is to be restored.
type deafPort struct{ spec.Port }

// Open implements [spec.Port].
func (p deafPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	return deafSession{session}, err
}

type deafSession struct{ spec.Session }

// Restore implements [spec.Session].
func (deafSession) Restore(context.Context, spec.Value) error { return nil }

// heapingPort adds a state that is restored to what it has observed before.
type heapingPort struct{ spec.Port }

// Open implements [spec.Port].
func (p heapingPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	return &heapingSession{Session: session}, err
}

type heapingSession struct {
	spec.Session
	seen []spec.Value // since the session was opened or reset
}

// Observe implements [spec.Session].
func (s *heapingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	if err == nil {
		s.seen = append(s.seen, events...)
	}
	return verdicts, err
}

// Reset implements [spec.Session].
func (s *heapingSession) Reset(ctx context.Context) error {
	s.seen = nil
	return s.Session.Reset(ctx)
}

// Restore implements [spec.Session].
func (s *heapingSession) Restore(ctx context.Context, state spec.Value) error {
	if err := s.Session.Restore(ctx, state); err != nil {
		return err
	}
	_, err := s.Session.Observe(ctx, s.seen)
	return err
}

// amnesicPort forgets its configuration in a reset, too.
type amnesicPort struct{ spec.Port }

// Open implements [spec.Port].
func (p amnesicPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	if err != nil {
		return nil, err
	}
	fresh := func(ctx context.Context) (spec.Session, error) { return p.Port.Open(ctx, id, reading, spec.Value{}) }
	return &amnesicSession{session, fresh}, nil
}

type amnesicSession struct {
	spec.Session
	fresh func(context.Context) (spec.Session, error)
}

// Reset implements [spec.Session].
func (s *amnesicSession) Reset(ctx context.Context) (err error) {
	s.Session, err = s.fresh(ctx)
	return err
}

// endlessPort has no window: it looks at all that it ever saw.
type endlessPort struct{ spec.Port }

// windows are the members of a configuration that make a window, and the value that makes it one without an end.
var windows = map[spec.DetectorID]spec.Member{
	spec.Fingerprint: endless,
	spec.Signature:   endless,
	spec.History:     {Name: "history_size", Value: endless.Value},
	spec.Crow:        {Name: "recent", Value: spec.IntValue(0)},
	spec.Ralph:       endless,
}

var endless = spec.Member{Name: "window", Value: spec.IntValue(spec.MaxSetting)}

// Open implements [spec.Port].
func (p endlessPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	window, has := windows[id]
	switch {
	case id == spec.Guards:
		config = config.With("signature", config.Get("signature").With(endless.Name, endless.Value))
	case has:
		config = config.With(window.Name, window.Value)
	}
	return p.Port.Open(ctx, id, reading, config)
}

// joinedPort has one session for all: what one observes, the others have observed. It serves one case at a time; the
// sessions of a case have one configuration.
type joinedPort struct {
	spec.Port
	only map[spec.Reading]spec.Session
	open int
}

// Open implements [spec.Port].
func (p *joinedPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	if p.open == 0 {
		p.only = map[spec.Reading]spec.Session{}
	}
	if p.only[reading] == nil {
		session, err := p.Port.Open(ctx, id, reading, config)
		if err != nil {
			return nil, err
		}
		p.only[reading] = session
	}
	p.open++
	return &joinedSession{p.only[reading], p}, nil
}

type joinedSession struct {
	spec.Session
	port *joinedPort
}

// Close implements [spec.Session]: the last one to be closed is the end of all.
func (s *joinedSession) Close(context.Context) error {
	s.port.open--
	return nil
}
