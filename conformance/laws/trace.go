package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Trace is what a law speaks about: what several agents did, in the order in which it was told to one detector each.
type Trace struct {
	Detector spec.DetectorID
	Reading  spec.Reading
	Config   spec.Value // absent for the defaults
	Steps    []Step
}

// Step is one step of a trace: an event, or a reset where there is none.
type Step struct {
	Session int        // which of the agents; 0 where there is one
	Event   spec.Value // absent for a reset
}

// IsReset reports whether the step is a reset.
func (s Step) IsReset() bool { return s.Event.IsAbsent() }

// Observing returns a step for each event, all of one agent.
func Observing(events []spec.Value) []Step {
	return lists.Map(events, func(event spec.Value) Step { return Step{Event: event} })
}

// definition returns what the specification says of the trace's detector. It panics where that says nothing: whoever
// plays the law reports it as a fault of the suite.
func (t Trace) definition() spec.Definition {
	d, known := spec.DefinitionOf(t.Detector)
	if !known {
		panic(fmt.Sprintf("spec/detectors.go has no row of the detector %q", t.Detector))
	}
	return d
}

// Events returns the steps that have events, of one agent.
func (t Trace) Events() []spec.Value {
	steps := lists.Filter(t.Steps, func(s Step) bool { return !s.IsReset() })
	return lists.Map(steps, func(s Step) spec.Value { return s.Event })
}

// isPlain reports whether the trace is one agent's, without resets, and has events at all.
func (t Trace) isPlain() bool {
	isOther := func(s Step) bool { return s.IsReset() || s.Session != 0 }
	return len(t.Steps) > 0 && !slices.ContainsFunc(t.Steps, isOther)
}

// Single returns the steps of the trace's first agent only.
func (t Trace) Single() Trace {
	return t.with(lists.Filter(t.Steps, func(s Step) bool { return s.Session == 0 }))
}

// with returns the trace with other steps.
func (t Trace) with(steps []Step) Trace {
	t.Steps = steps
	return t
}

// mapEvents returns the trace with every event changed.
func (t Trace) mapEvents(change func(spec.Value) spec.Value) Trace {
	return t.with(lists.Map(t.Steps, func(s Step) Step {
		if !s.IsReset() {
			s.Event = change(s.Event)
		}
		return s
	}))
}

// Play opens a session for each agent of the trace, tells it its steps, and returns the verdicts of the events, in
// their order and without members that the protocol does not know; a reset has an absent one. Steps of one agent that
// follow one another travel in one request.
func Play(ctx context.Context, port spec.Port, t Trace) ([]spec.Value, error) {
	return play(ctx, port, t, len(t.Steps)+1)
}

// play is [Play] with at most batch events in one request.
func play(ctx context.Context, port spec.Port, t Trace, batch int) (verdicts []spec.Value, err error) {
	whole, ok := port.(spec.Player)
	if !ok || batch < len(t.Steps) || !t.isPlain() {
		return playSteps(ctx, port, t, batch)
	}
	verdicts, err = whole.Play(ctx, t.Detector, t.Reading, t.Config, t.Events())
	if fault, refused := errors.AsType[*spec.Fault](err); refused && !isOfTrace(fault) {
		if _, err = playSteps(ctx, port, t, batch); err == nil { // which request is it? None by itself
			err = &Refusal{inOneGo, fault}
		}
	}
	return lists.Map(verdicts, spec.KnownMembers), err
}

// playSteps is [play] with a request for each of what is done, so that an error tells which of them is refused.
func playSteps(ctx context.Context, port spec.Port, t Trace, batch int) (verdicts []spec.Value, err error) {
	p := player{port: port, trace: t, sessions: map[int]spec.Session{}}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	return p.tellAll(ctx, batch)
}

// player tells one trace to one port.
type player struct {
	port     spec.Port
	trace    Trace
	sessions map[int]spec.Session
	before   map[int]demand // of a step, by its place; only where one agent's steps are told
}

// demand is what a session is asked between two steps.
type demand func(context.Context, spec.Session) error

// tellAll tells the whole trace, with at most batch events in one request.
func (p *player) tellAll(ctx context.Context, batch int) ([]spec.Value, error) {
	var verdicts []spec.Value
	for i := 0; i < len(p.trace.Steps); {
		if err := p.demand(ctx, i); err != nil {
			return nil, err
		}
		n := p.together(i, batch)
		got, err := p.tell(ctx, p.trace.Steps[i:i+n])
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, got...)
		i += n
	}
	return verdicts, nil
}

// demand asks what is to be asked before a step.
func (p *player) demand(ctx context.Context, i int) error {
	ask := p.before[i]
	if ask == nil {
		return nil
	}
	session, err := p.session(ctx, p.trace.Steps[i].Session)
	if err != nil {
		return err
	}
	return ask(ctx, session)
}

// together returns how many steps from i on are events of the same agent, at most limit.
func (p *player) together(i, limit int) int {
	n := 1
	for n < limit && i+n < len(p.trace.Steps) {
		a, b := p.trace.Steps[i], p.trace.Steps[i+n]
		if p.before[i+n] != nil || a.IsReset() || b.IsReset() || a.Session != b.Session {
			break
		}
		n++
	}
	return n
}

func (p *player) tell(ctx context.Context, steps []Step) ([]spec.Value, error) {
	session, err := p.session(ctx, steps[0].Session)
	if err != nil {
		return nil, err
	}
	if steps[0].IsReset() {
		return []spec.Value{{}}, refusedAs(resetMethod, session.Reset(ctx))
	}
	verdicts, err := session.Observe(ctx, lists.Map(steps, func(s Step) spec.Value { return s.Event }))
	return lists.Map(verdicts, spec.KnownMembers), refusedAs(observeMethod, err) // PR-4
}

func (p *player) session(ctx context.Context, number int) (spec.Session, error) {
	if s, open := p.sessions[number]; open {
		return s, nil
	}
	s, err := p.port.Open(ctx, p.trace.Detector, p.trace.Reading, p.trace.Config)
	if err == nil {
		p.sessions[number] = s
	}
	return s, refusedAs(openMethod, err)
}

func (p *player) close(ctx context.Context) error {
	var problems []error
	for _, s := range p.sessions {
		problems = append(problems, refusedAs(closeMethod, s.Close(ctx)))
	}
	return errors.Join(problems...)
}
