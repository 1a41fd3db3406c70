package fuzz

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// Case makes a counterexample a case of the suite. The case passes on the oracle and, where the port does not only
// break a law between two traces that are each as they should be, fails on the port.
func (h *Fuzzer) Case(ctx context.Context, oracle spec.Port, check Check, c Counterexample) (cases.Case, error) {
	if check.ID != AgreementID {
		made, ok, err := h.lawCase(ctx, oracle, check, c)
		if err != nil || ok {
			return made, err
		}
	}
	made, err := CaseOf(ctx, oracle, c)
	return within(h.offer, made), err
}

// within returns the case without expectations of rules that the port lacks: one may hide a rule that it has (PR-39).
func within(offer spec.Offer, c cases.Case) cases.Case {
	if offer.Rules == nil {
		return c
	}
	for i, step := range c.Steps {
		if slices.ContainsFunc(step.Expect, func(e cases.Expectation) bool { return namesOtherRule(offer, e) }) {
			c.Steps[i].Expect = nil
		}
	}
	return c
}

func namesOtherRule(offer spec.Offer, e cases.Expectation) bool {
	return slices.ContainsFunc(e.Members, func(m cases.MemberWant) bool {
		kind, isText := m.Want.Equal.Str()
		return m.Name == "kind" && isText && !offer.HasRule(spec.VerdictKind(kind))
	})
}

// CaseOf makes a counterexample a case of the suite: the call or the trace, with what the oracle says of it.
func CaseOf(ctx context.Context, oracle spec.Port, c Counterexample) (cases.Case, error) {
	if !c.Subject.IsCall() {
		return write(ctx, oracle, blank(c), c.Subject, requestsOf(c.Subject))
	}
	made, s := blank(c), c.Subject
	definition, _ := spec.DefinitionOf(s.Detector)
	made.Call = &cases.Call{Function: s.Function, Args: s.Args}
	made.Needs = []spec.Feature{definition.Functions[s.Function]}
	value, err := oracle.Call(ctx, s.Function, s.Reading, s.Args)
	if made.Call.Fault = faultOf(err); made.Call.Fault != nil {
		return made, nil
	}
	made.Call.Result = &cases.Want{Equal: value}
	return made, err
}

// requestsOf returns a request for each step of a trace.
func requestsOf(s Subject) []request {
	requests := make([]request, len(s.Steps))
	for i, step := range s.Steps {
		requests[i] = request{session: step.Session + 1, action: cases.Reset}
		if !step.IsReset() {
			requests[i].action, requests[i].events = cases.Observe, []spec.Value{step.Event}
		}
	}
	return requests
}

// lawCase makes a case of a counterexample to a law. A law compares traces, and the port's mistake may lie in any that
// was made of the counterexample: the case is the smallest part of what the law told the port on which the port and
// the oracle differ. It returns false where they differ on none, because the port breaks the law by saying wrong and
// right things in turn, or because it gives no answer. If the counterexample has no steps, all events are the law's,
// and the case is the smallest part of them.
func (h *Fuzzer) lawCase(
	ctx context.Context, oracle spec.Port, check Check, c Counterexample,
) (cases.Case, bool, error) {
	requests, sessions, err := heard(ctx, h.Port, check, c.Subject)
	if _, isFinding := errors.AsType[*Finding](err); err != nil && !isFinding {
		return cases.Case{}, false, err
	}
	var smallest cases.Case
	for i, part := range parts(requests, sessions) {
		of := c.Subject
		of.Config = part[0].config
		made, err := write(ctx, oracle, blank(c), of, part)
		if err != nil {
			return made, false, err
		}
		made = within(h.offer, made)
		fails, err := h.fails(ctx, made)
		if err != nil {
			return made, false, err
		}
		if i == 0 {
			smallest = made
		}
		if !fails {
			continue
		}
		smaller, ok, err := h.smallerCase(ctx, oracle, c, part)
		if ok {
			made = smaller
		}
		return made, err == nil, err
	}
	return smallest, len(c.Subject.Steps) == 0 && len(smallest.Steps) > 0, nil
}

// heard returns what a check asks a port about a subject, but for calls of functions, and in how many sessions.
func heard(ctx context.Context, port spec.Port, check Check, s Subject) (requests []request, sessions int, err error) {
	recorder := newRecorder(port, func(q request) {
		if q.session > 0 && q.action != opened {
			requests = append(requests, q)
		}
	})
	err = check.try(ctx, recorder, s)
	return requests, int(recorder.sessions.Load()), err
}

// fails reports whether the port fails a case.
func (h *Fuzzer) fails(ctx context.Context, c cases.Case) (bool, error) {
	report, err := conformance.Run(ctx, h.Port, []cases.Case{c}, conformance.Options{MaxRestarts: 2})
	return err == nil && report.Outcome() == conformance.NotConformant, err
}

// smallerCase makes a case of the smallest trace on which the port and the oracle differ as they do on the requests of
// a law: a law may cut a text into hundreds of pieces where two of them show the fault. It returns false where the
// requests are no trace, or the port does not fail the case.
func (h *Fuzzer) smallerCase(
	ctx context.Context, oracle spec.Port, c Counterexample, part []request,
) (cases.Case, bool, error) {
	s, ok := toldTrace(c.Subject.Trace, part)
	if !ok {
		return cases.Case{}, false, nil
	}
	differ := Agreement(oracle, h.offer)
	finding, err := h.finding(ctx, differ, s)
	if err != nil || finding == nil {
		return cases.Case{}, false, err
	}
	small, err := h.shrunk(ctx, differ, s, finding)
	if err != nil {
		return cases.Case{}, false, err
	}
	made, err := CaseOf(ctx, oracle, *small)
	if err != nil {
		return made, false, err
	}
	made = within(h.offer, made)
	of := blank(c)
	made.ID, made.Title, made.Why, made.Clauses = of.ID, of.Title, of.Why, of.Clauses
	ok, err = h.fails(ctx, made)
	return made, ok, err
}

// toldTrace returns the trace that requests told; false where they are not events and resets alone.
func toldTrace(of laws.Trace, part []request) (Subject, bool) {
	s := Subject{Trace: of}
	s.Config, s.Steps = part[0].config, nil
	var sessions []int
	for _, q := range part {
		n := slices.Index(sessions, q.session)
		if n < 0 {
			n, sessions = len(sessions), append(sessions, q.session)
		}
		switch q.action {
		case cases.Reset:
			s.Steps = append(s.Steps, laws.Step{Session: n})
		case cases.Observe:
			for _, event := range q.events {
				s.Steps = append(s.Steps, laws.Step{Session: n, Event: event})
			}
		default:
			return s, false
		}
	}
	return s, true
}

// parts returns what may be enough to show a fault, the smaller parts first: what each session was told; what each was
// told together with the one before it, whose snapshot it may have been restored from; what all were told. A case has
// one configuration.
func parts(requests []request, last int) (list [][]request) {
	add := func(from, to int) {
		var part []request
		for _, q := range requests {
			if from <= q.session && q.session <= to {
				part = append(part, q)
			}
		}
		other := func(q request) bool { return q.config.String() != part[0].config.String() }
		if len(part) > 0 && !slices.ContainsFunc(part, other) && !restoresOther(part) {
			list = append(list, part)
		}
	}
	for width := range 2 {
		for n := 1; n <= last; n++ {
			add(n-width, n)
		}
	}
	add(1, last)
	return list
}

// restoresOther reports whether a state is restored that none of the requests before it has given: what is in it is the
// port's alone, so that no case can demand anything of it.
func restoresOther(part []request) bool {
	for i, q := range part {
		isIt := func(given request) bool { return given.action == cases.Snapshot && given.state.Equal(q.state) }
		if q.action == cases.Restore && !slices.ContainsFunc(part[:i], isIt) {
			return true
		}
	}
	return false
}

// sayHere asks whoever keeps a case that was found to explain it.
const sayHere = "Say here what that does to its users before the case joins a suite."

// blank returns the case of a counterexample without what is to be done: the same for the same counterexample.
func blank(c Counterexample) cases.Case {
	sum := sha256.Sum256([]byte(c.Key()))
	short := hex.EncodeToString(sum[:4])
	return cases.Case{
		ID: fmt.Sprintf("%s-found-%s", c.Subject.Detector, short), Title: "Found by generated traces, " + short,
		Why:      fmt.Sprintf("A port broke this (%s). %s", strings.Join(strings.Fields(c.Finding.Error()), " "), sayHere),
		Detector: c.Subject.Detector, Readings: []spec.Reading{c.Subject.Reading}, Clauses: clausesOf(c),
		Source: "silent", Tags: []string{"found"},
	}
}

// writer writes the steps of a case and asks the oracle along the way.
type writer struct {
	oracle    spec.Port
	made      *cases.Case
	main      int // session
	sessions  map[int]spec.Session
	snapshots []snapshot
}

// snapshot is a state that the port gave, and the oracle's at the same place.
type snapshot struct {
	name          string
	ports, oracle spec.Value
}

// write completes a case of a subject with requests, and with what the oracle answers to them. A configuration that it
// refuses is a case without steps.
func write(
	ctx context.Context, oracle spec.Port, made cases.Case, of Subject, requests []request,
) (cases.Case, error) {
	made.Config = of.Config
	w := writer{oracle: oracle, made: &made, main: 1, sessions: map[int]spec.Session{}}
	if len(requests) > 0 {
		w.main = requests[0].session
	}
	if _, err := w.session(ctx, w.main); err != nil {
		if made.Refuse = faultOf(err); made.Refuse != nil {
			return made, nil
		}
		return made, fmt.Errorf("make a case of a subject: %w", err)
	}
	if len(requests) == 0 {
		return made, fmt.Errorf("the subject has no steps and the oracle accepts its configuration")
	}
	made.Needs = needs(of)
	for _, q := range requests {
		if err := w.write(ctx, q); err != nil {
			return made, fmt.Errorf("make a case of a subject: %w", err)
		}
	}
	if len(w.snapshots) > 0 || slices.ContainsFunc(requests, func(q request) bool { return q.action == cases.Restore }) {
		made.Needs = append(made.Needs, spec.Snapshots)
	}
	if made.HasReplies() {
		made.Needs = append(made.Needs, spec.Replies)
	}
	return made, nil
}

func (w *writer) session(ctx context.Context, number int) (s spec.Session, err error) {
	if s, open := w.sessions[number]; open {
		return s, nil
	}
	s, err = w.oracle.Open(ctx, w.made.Detector, w.made.Readings[0], w.made.Config)
	w.sessions[number] = s
	return s, err
}

func (w *writer) write(ctx context.Context, q request) error {
	session, err := w.session(ctx, q.session)
	if err != nil {
		return err
	}
	step := cases.Step{Action: q.action, Session: cases.MainSession, Times: 1}
	if q.session != w.main {
		step.Session = fmt.Sprintf("s%d", q.session)
	}
	switch q.action {
	case cases.Observe:
		if len(q.events) == 0 {
			return nil
		}
		var verdicts []spec.Value
		step.Events, step.Batch = q.events, len(q.events) > 1
		verdicts, err = session.Observe(ctx, q.events)
		for _, v := range verdicts {
			step.Expect = append(step.Expect, expectation(v))
		}
	case cases.Reset:
		err = session.Reset(ctx)
	case cases.Snapshot:
		var state spec.Value
		state, err = session.Snapshot(ctx)
		step.Name = fmt.Sprintf("snapshot-%d", len(w.snapshots)+1)
		w.snapshots = append(w.snapshots, snapshot{step.Name, q.state, state})
	case cases.Restore:
		err = w.restore(ctx, session, &step, q.state)
	}
	if step.Fault = faultOf(err); step.Fault != nil {
		err = nil
	}
	w.made.Steps = append(w.made.Steps, step)
	return err
}

func (w *writer) restore(ctx context.Context, session spec.Session, step *cases.Step, ports spec.Value) error {
	i := len(w.snapshots) - 1 // the newest of those that are equal: of a faulty port, another one may be
	for i >= 0 && !w.snapshots[i].ports.Equal(ports) {
		i--
	}
	if i < 0 {
		step.State = ports
		return session.Restore(ctx, ports)
	}
	step.Name = w.snapshots[i].name
	return session.Restore(ctx, w.snapshots[i].oracle)
}

// faultOf returns a refusal as a case demands it; nil where the error is none.
func faultOf(err error) *cases.Fault {
	var fault *spec.Fault
	if !errors.As(err, &fault) {
		return nil
	}
	return &cases.Fault{Kind: fault.Kind, Field: fault.Field, Feature: fault.Feature}
}

// expectation demands all members of a verdict that every port must agree on without an optional feature.
func expectation(verdict spec.Value) cases.Expectation {
	var e cases.Expectation
	for _, m := range verdict.Members() {
		if m.Name != "message" && m.Name != "evidence" {
			e.Members = append(e.Members, cases.MemberWant{Name: m.Name, Want: cases.Want{Equal: m.Value}})
		}
	}
	return e
}

// needs returns the features without which a port could not have been asked.
func needs(s Subject) []spec.Feature {
	var list []spec.Feature
	definition, _ := spec.DefinitionOf(s.Detector)
	for _, p := range definition.Settings {
		if p.Needs != "" && !s.Config.Get(p.Name).IsAbsent() && !slices.Contains(list, p.Needs) {
			list = append(list, p.Needs)
		}
	}
	inFloats := func(step laws.Step) bool { return hasFloat(step.Event.Get("args")) }
	if definition.Has(spec.IntFloat) && slices.ContainsFunc(s.Steps, inFloats) {
		list = append(list, spec.IntFloat)
	}
	return list
}

// hasFloat reports whether a number in the value is spelled as a float whose value is whole, which some languages
// cannot tell from an integer.
func hasFloat(v spec.Value) bool {
	if v.Kind() == spec.Number && !v.IsIntegerLiteral() {
		return true
	}
	return slices.ContainsFunc(v.Items(), hasFloat) ||
		slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return hasFloat(m.Value) })
}
