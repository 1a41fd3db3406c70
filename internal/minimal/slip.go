package minimal

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// slipKind is a way to treat an event, or another request, wrongly.
type slipKind int

// The kinds of slips.
const (
	overlooks     slipKind = iota // it does not take the event in, and answers as it did before
	repeats                       // it takes the event in twice
	forgetsBefore                 // it forgets everything before it takes the event in
	forgetsAfter                  // it forgets everything after it
	mistakes                      // it takes the event for another one
)

// slip is one mistake: in which session, counted from 0 in the order in which they are opened, and at which of its turns,
// where each event and each other request is one.
type slip struct {
	kind          slipKind
	session, turn int
	other         spec.Value // mistakes: the event that it is taken for
}

// slippingPort does as its oracle, but for one slip. It serves one case, one request at a time.
type slippingPort struct {
	spec.Port
	slip   slip
	opened int
}

// Open implements [spec.Port].
func (p *slippingPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	session, err := p.Port.Open(ctx, id, reading, config)
	if err != nil {
		return nil, err
	}
	number := p.opened
	p.opened++
	if number != p.slip.session {
		return session, nil
	}
	return &slippingSession{Session: session, slip: p.slip, last: noLoop}, nil
}

// noLoop is what a port answers that has seen nothing.
var noLoop = spec.ObjectValue(spec.Member{Name: "loop", Value: spec.BoolValue(false)})

// slippingSession is the session in which the slip happens.
type slippingSession struct {
	spec.Session
	slip slip

	turn    int
	events  int        // observed so far
	last    spec.Value // the latest verdict
	numbers []int      // by the oracle's index of an event: its index in this session
}

// due reports whether the slip is to happen now, and moves on to the next turn.
func (s *slippingSession) due() bool {
	s.turn++
	return s.turn-1 == s.slip.turn
}

// Observe implements [spec.Session]. What is to be refused is refused whole, as the oracle does.
func (s *slippingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	for _, event := range events {
		if _, err := spec.DecodeEvent(event); err != nil {
			s.turn += len(events)
			return s.Session.Observe(ctx, events)
		}
	}
	var verdicts []spec.Value
	for _, event := range events {
		verdict, err := s.observe(ctx, event)
		if err != nil {
			return nil, err
		}
		s.events++
		s.last = verdict
		verdicts = append(verdicts, verdict)
	}
	return verdicts, nil
}

// observe takes in one event, wrongly where the slip is due.
func (s *slippingSession) observe(ctx context.Context, event spec.Value) (spec.Value, error) {
	if !s.due() {
		return s.pass(ctx, event)
	}
	switch s.slip.kind {
	case overlooks:
		return s.last, nil
	case repeats:
		if _, err := s.pass(ctx, event); err != nil {
			return spec.Value{}, err
		}
	case mistakes:
		event = s.slip.other
	case forgetsBefore:
		if err := s.Session.Reset(ctx); err != nil {
			return spec.Value{}, err
		}
	}
	verdict, err := s.pass(ctx, event)
	if err == nil && s.slip.kind == forgetsAfter {
		err = s.Session.Reset(ctx)
	}
	return verdict, err
}

// pass lets the oracle observe an event. The evidence in its answer gets the indices of this session: that the oracle saw
// one event less, or more, must not be what gives a slip away.
func (s *slippingSession) pass(ctx context.Context, event spec.Value) (spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, []spec.Value{event})
	if err != nil {
		return spec.Value{}, err
	}
	s.numbers = append(s.numbers, s.events)
	evidence := verdicts[0].Get("evidence")
	if evidence.IsAbsent() {
		return verdicts[0], nil
	}
	var indices []int
	for _, v := range evidence.Items() {
		index, _ := v.Int()
		indices = append(indices, s.numbers[index])
	}
	return verdicts[0].With("evidence", spec.IntsValue(slices.Compact(indices))), nil
}

// other carries out a request that is no observation; memory may be lost around it.
func (s *slippingSession) other(ctx context.Context, request func() error) error {
	due := s.due()
	if due && s.slip.kind == forgetsBefore {
		if err := s.Session.Reset(ctx); err != nil {
			return err
		}
	}
	if err := request(); err != nil {
		return err
	}
	if due && s.slip.kind == forgetsAfter {
		return s.Session.Reset(ctx)
	}
	return nil
}

// Reset implements [spec.Session].
func (s *slippingSession) Reset(ctx context.Context) error {
	return s.other(ctx, func() error { return s.Session.Reset(ctx) })
}

// State implements [spec.Session].
func (s *slippingSession) State(ctx context.Context) (state spec.Value, err error) {
	err = s.other(ctx, func() error { state, err = s.Session.State(ctx); return err })
	return state, err
}

// Snapshot implements [spec.Session].
func (s *slippingSession) Snapshot(ctx context.Context) (state spec.Value, err error) {
	err = s.other(ctx, func() error { state, err = s.Session.Snapshot(ctx); return err })
	return state, err
}

// Restore implements [spec.Session].
func (s *slippingSession) Restore(ctx context.Context, state spec.Value) error {
	return s.other(ctx, func() error { return s.Session.Restore(ctx, state) })
}
