package fuzz

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// LawCase makes a case of a counterexample to a law. A law compares traces, and the port's mistake may lie in any that
// was made of the counterexample: the case is the smallest part of what the law told the port on which the port and
// the oracle differ. It returns false where they differ on none, because the port breaks the law by saying wrong and
// right things in turn.
func LawCase(ctx context.Context, port, oracle spec.Port, check Check, c Counterexample) (cases.Case, bool, error) {
	r := &recorder{Port: port}
	var finding *Finding
	if err := check.Run(ctx, r, c.Subject); err != nil && !errors.As(err, &finding) {
		return cases.Case{}, false, err
	}
	for _, part := range parts(r.requests) {
		made, err := caseOfRequests(ctx, oracle, c, part)
		if err != nil {
			return made, false, err
		}
		if fails, err := failsOn(ctx, port, made); err != nil || fails {
			return made, fails, err
		}
	}
	return cases.Case{}, false, nil
}

// parts returns what may be enough to show a fault, the smaller parts first: what each session was told; what each was
// told together with the one before it, whose snapshot it may have been restored from; what all with the same
// configuration were told.
func parts(requests []request) [][]request {
	last := 0
	for _, q := range requests {
		last = max(last, q.session)
	}
	var list [][]request
	for width := range 2 {
		for n := 1; n <= last; n++ {
			list = append(list, ofSessions(requests, n-width, n))
		}
	}
	return append(list, ofSessions(requests, 1, last))
}

func ofSessions(requests []request, from, to int) []request {
	var part []request
	for _, q := range requests {
		if q.session < from || q.session > to {
			continue
		}
		if len(part) > 0 && q.config.String() != part[0].config.String() {
			return nil // a case has one configuration
		}
		part = append(part, q)
	}
	return part
}

// caseOfRequests makes a case of requests, with what the oracle answers to them.
func caseOfRequests(ctx context.Context, oracle spec.Port, c Counterexample, requests []request) (cases.Case, error) {
	made := cases.Case{
		Detector: c.Subject.Detector, Readings: []spec.Reading{c.Subject.Reading},
		Source: "silent", Tags: []string{"found"},
	}
	if len(requests) == 0 {
		return made, nil
	}
	made.Config = requests[0].config
	w := lawWriter{oracle: oracle, made: &made, sessions: map[int]spec.Session{}}
	for _, q := range requests {
		if err := w.write(ctx, q); err != nil {
			return made, fmt.Errorf("make a case of a broken law: %w", err)
		}
	}
	made.Clauses = clausesOf(made)
	made.Needs = append(needs(c.Subject), w.needs...)
	name(&made, c)
	return made, nil
}

// lawWriter writes the steps of a case and asks the oracle along the way.
type lawWriter struct {
	oracle    spec.Port
	made      *cases.Case
	sessions  map[int]spec.Session
	needs     []spec.Feature
	snapshots []snapshot
}

// snapshot is a state that the port gave, and the oracle's at the same place.
type snapshot struct {
	name          string
	ports, oracle spec.Value
}

func (w *lawWriter) write(ctx context.Context, q request) error {
	session, err := w.session(ctx, q.session)
	if err != nil {
		return err
	}
	step := cases.Step{Action: q.action, Session: w.sessionName(q.session), Times: 1}
	switch q.action {
	case cases.Observe:
		return w.observe(ctx, session, step, q.events)
	case cases.Reset:
		err = session.Reset(ctx)
	case cases.Snapshot:
		err = w.snapshot(ctx, session, &step, q.state)
	case cases.Restore:
		err = w.restore(ctx, session, &step, q.state)
	}
	w.made.Steps = append(w.made.Steps, step)
	return err
}

func (w *lawWriter) session(ctx context.Context, number int) (spec.Session, error) {
	if s, open := w.sessions[number]; open {
		return s, nil
	}
	s, err := w.oracle.Open(ctx, w.made.Detector, w.made.Readings[0], w.made.Config)
	if err != nil {
		return nil, err
	}
	w.sessions[number] = s
	return s, nil
}

// sessionName calls the first session of the case main.
func (w *lawWriter) sessionName(number int) string {
	for n := range w.sessions {
		if n < number {
			return fmt.Sprintf("s%d", number)
		}
	}
	return cases.MainSession
}

func (w *lawWriter) observe(ctx context.Context, session spec.Session, step cases.Step, events []spec.Value) error {
	verdicts, err := session.Observe(ctx, events)
	var fault *spec.Fault
	if errors.As(err, &fault) {
		step.Events, step.Batch = events, len(events) > 1
		step.Fault = &cases.Fault{Kind: fault.Kind, Field: fault.Field, Feature: fault.Feature}
		w.made.Steps = append(w.made.Steps, step)
		return nil
	}
	if err != nil || len(events) == 0 {
		return err
	}
	step.Events, step.Batch = events, len(events) > 1
	for _, v := range verdicts {
		step.Expect = append(step.Expect, expectation(v))
	}
	w.made.Steps = append(w.made.Steps, step)
	return nil
}

func (w *lawWriter) snapshot(ctx context.Context, session spec.Session, step *cases.Step, ports spec.Value) error {
	state, err := session.Snapshot(ctx)
	step.Name = fmt.Sprintf("snapshot-%d", len(w.snapshots)+1)
	w.snapshots = append(w.snapshots, snapshot{step.Name, ports, state})
	w.needs = []spec.Feature{spec.Snapshots}
	return err
}

func (w *lawWriter) restore(ctx context.Context, session spec.Session, step *cases.Step, ports spec.Value) error {
	w.needs = []spec.Feature{spec.Snapshots}
	for _, s := range w.snapshots {
		if s.ports.Equal(ports) {
			step.Name = s.name
			return session.Restore(ctx, s.oracle)
		}
	}
	step.State = ports
	err := session.Restore(ctx, ports)
	var fault *spec.Fault
	if errors.As(err, &fault) {
		step.Fault = &cases.Fault{Kind: fault.Kind}
		return nil
	}
	return err
}

// failsOn reports whether a port fails a case.
func failsOn(ctx context.Context, port spec.Port, c cases.Case) (bool, error) {
	if len(c.Steps) == 0 {
		return false, nil
	}
	report, err := conformance.Run(ctx, port, []cases.Case{c}, conformance.Options{MaxRestarts: 2})
	if err != nil {
		return false, err
	}
	return report.Outcome() == conformance.NotConformant, nil
}
