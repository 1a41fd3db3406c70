package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// mostForCase is how many events of a run may lie before the alarm that a case is made of.
const mostForCase = 20_000

// CaseOf makes a case of a lane's first alarm: the least of the run, up to the alarm, after which the oracle says the
// same by the same rule. What the events say is cut where that changes nothing. The verdicts are the oracle's. It is an
// error where the oracle does not say that there is a loop.
func CaseOf(ctx context.Context, oracle spec.Port, l *Lane, events []spec.Value, id string) (cases.Case, error) {
	s := shortener{ctx: ctx, oracle: l.Observer}
	s.oracle.Port = oracle
	for _, event := range events {
		if told, ok := l.Offer.Understood(event); ok {
			s.events = append(s.events, told)
		}
	}
	last, err := s.last(s.events)
	if err != nil {
		return cases.Case{}, fmt.Errorf("make a case: %w", err)
	}
	if last == nil {
		return cases.Case{}, fmt.Errorf("make a case: the reference of %s does not report a loop after event %d",
			l.Observer.Name(), l.First.At+1)
	}
	s.want = last.Kind
	s.shorten()
	if err := context.Cause(ctx); err != nil {
		return cases.Case{}, err
	}
	made, err := fuzz.CaseOf(ctx, oracle, s.counterexample(last.Verdict))
	if err != nil {
		return made, err
	}
	made.ID, made.Title, made.Tags = id, "Recorded: "+strings.ReplaceAll(last.Kind, "_", " "), []string{"recorded"}
	made.Why = "An agent did this. Write here what it means to users if a port misses this loop, " +
		"or reports one that is not there."
	return made, nil
}

// shortener makes a trace as short as it can be while the oracle says the same after its last event.
type shortener struct {
	ctx    context.Context
	oracle alarm.Observer
	events []spec.Value
	want   string // the rule of the last alarm
}

// last returns the alarm after the last of the events, nil where there is none.
func (s *shortener) last(events []spec.Value) (last *alarm.Alarm, err error) {
	err = s.oracle.Observe(s.ctx, events, nil, func(_ int, _ spec.Value, a *alarm.Alarm) { last = a })
	return last, err
}

// same reports whether the oracle says the same after these events. One that refuses them does not.
func (s *shortener) same(events []spec.Value) bool {
	last, err := s.last(events)
	return err == nil && last != nil && last.Kind == s.want
}

func (s *shortener) take(events []spec.Value) bool {
	if !s.same(events) {
		return false
	}
	s.events = events
	return true
}

// shorten leaves out what came first, then single events, then what the events say beside the matter.
func (s *shortener) shorten() {
	for n := 1; n < len(s.events); n *= 2 {
		if s.take(s.events[len(s.events)-n:]) {
			break
		}
	}
	for i := 0; i < len(s.events)-1 && s.ctx.Err() == nil; {
		if !s.take(slices.Delete(slices.Clone(s.events), i, i+1)) {
			i++
		}
	}
	for i := range s.events {
		for _, m := range s.events[i].Members() {
			s.simpler(i, m)
		}
	}
	s.take(lists.Map(s.events, cut))
}

// simpler leaves out a member of an event that its detector can do without.
func (s *shortener) simpler(i int, m spec.Member) {
	typ := spec.TypeOf(s.events[i])
	required := m.Name == "type" || slices.ContainsFunc(spec.EventMembers(typ),
		func(e spec.EventMember) bool { return e.Name == m.Name && e.Required })
	if required || m.Name == "args" {
		return
	}
	events := slices.Clone(s.events)
	events[i] = events[i].Without(m.Name)
	s.take(events)
}

// mostCaseText is how long a text of an event is in a case, in characters, where the rest does not matter.
const mostCaseText = 80

// cut returns a value with its long texts cut. Texts that were equal stay so.
func cut(v spec.Value) spec.Value {
	if text, ok := v.Str(); ok {
		return spec.StringValue(wording.Cut(text, mostCaseText))
	}
	return v.Map(cut)
}

func (s *shortener) counterexample(verdict spec.Value) fuzz.Counterexample {
	trace := laws.Trace{
		Detector: s.oracle.Detector, Reading: s.oracle.Reading, Config: s.oracle.Config, Steps: laws.Observing(s.events),
	}
	kind := spec.VerdictKind(verdict.Get("kind").Text())
	return fuzz.Counterexample{
		Subject: fuzz.Subject{Trace: trace},
		Finding: fuzz.Finding{Check: fuzz.AgreementID, Step: -1, Want: verdict, Got: verdict, Kind: kind},
	}
}
