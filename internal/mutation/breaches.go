package mutation

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/mutation/plant"
	"github.com/loopstone/loopstone/spec"
)

// breach is a named fault against clauses that no small change of a line in the reference breaks: those that package
// spec carries out for all detectors, and those that say what a detector does not do. The cases that cite one of the
// clauses judge it.
type breach struct {
	clauses string // their ids, with blanks between
	about   string

	open    func(p spec.Port, o opening) (spec.Session, error)              // instead of opening a session
	observe func(s spec.Session, events []spec.Value) ([]spec.Value, error) // instead of observing a batch
	verdict func(before, now spec.Value) spec.Value                         // instead of the verdict now
	reset   func(s spec.Session) error                                      // instead of a reset
}

// opening is a request for a session.
type opening struct {
	detector spec.DetectorID
	reading  spec.Reading
	config   spec.Value
}

func (o opening) of(p spec.Port) (spec.Session, error) {
	return p.Open(context.Background(), o.detector, o.reading, o.config)
}

var breaches = []breach{
	{
		clauses: "PR-30 PR-31 FP-4 SG-2 HI-3 HI-17 CR-10 SW-13 RA-2 GU-13", about: "opens with the defaults where a configuration is wrong",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			s, err := o.of(p)
			if err != nil {
				o.config = spec.Value{}
				return o.of(p)
			}
			return s, nil
		},
	},
	{
		clauses: "SG-3 HI-4 CR-11", about: "refuses every configuration",
		open: func(p spec.Port, o opening) (spec.Session, error) {
			if len(o.config.Members()) > 0 {
				return nil, spec.BadConfig(o.config.Members()[0].Name, "it makes no sense")
			}
			return o.of(p)
		},
	},
	{
		clauses: "PR-14 PR-15", about: "gives every event of a batch the last verdict",
		observe: func(s spec.Session, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Observe(context.Background(), events)
			for i := range verdicts {
				verdicts[i] = verdicts[len(verdicts)-1]
			}
			return verdicts, err
		},
	},
	{clauses: "PR-16", about: "forgets nothing on a reset", reset: func(spec.Session) error { return nil }},
	{
		clauses: "PR-26", about: "observes the events before a bad one",
		observe: func(s spec.Session, events []spec.Value) (verdicts []spec.Value, err error) {
			for _, e := range events {
				v, err := s.Observe(context.Background(), []spec.Value{e})
				if err != nil {
					return nil, err
				}
				verdicts = append(verdicts, v...)
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-26", about: "forgets the trace where it refuses an event",
		observe: func(s spec.Session, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Observe(context.Background(), events)
			if err != nil {
				return nil, errors.Join(err, s.Reset(context.Background()))
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-28 PR-29", about: "takes a bad event for one that says nothing",
		observe: func(s spec.Session, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Observe(context.Background(), events)
			if err != nil {
				return slices.Repeat([]spec.Value{noLoop}, len(events)), nil
			}
			return verdicts, nil
		},
	},
	{
		clauses: "PR-33 FP-1", about: "says after an event that it ignores what it said before",
		verdict: func(before, now spec.Value) spec.Value {
			if now.Equal(noLoop) {
				return before
			}
			return now
		},
	},
	{
		clauses: "PR-34 PR-35", about: "counts the indices of evidence from 1",
		verdict: func(_, now spec.Value) spec.Value {
			var shifted []spec.Value
			for _, index := range now.Get("evidence").Items() {
				n, _ := index.Int()
				shifted = append(shifted, spec.IntValue(n+1))
			}
			if shifted == nil {
				return now
			}
			return now.With("evidence", spec.ArrayValue(shifted...))
		},
	},
}

var noLoop = spec.MustParse(`{"loop":false}`)

// broken returns the breaches as mutants: the first has the number -1.
func broken() []plant.Mutant {
	var list []plant.Mutant
	for i, b := range breaches {
		list = append(list, plant.Mutant{
			ID: -i - 1, Package: "breaches", File: "breaches", Function: b.clauses, Change: b.about, Clauses: strings.Fields(b.clauses),
		})
	}
	return list
}

// isOf reports whether a case cites one of the clauses.
func (b breach) isOf(c cases.Case) bool {
	return slices.ContainsFunc(strings.Fields(b.clauses), func(id string) bool { return slices.Contains(c.Clauses, id) })
}

// faultyPort is a port with a breach.
type faultyPort struct {
	spec.Port
	breach
}

func (p faultyPort) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	o := opening{id, reading, config}
	if p.open == nil {
		s, err := o.of(p.Port)
		return &faultySession{s, p.breach, noLoop}, err
	}
	s, err := p.open(p.Port, o)
	return &faultySession{s, p.breach, noLoop}, err
}

type faultySession struct {
	spec.Session
	breach
	before spec.Value // the latest verdict
}

func (s *faultySession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	observe := s.observe
	if observe == nil {
		observe = func(s spec.Session, events []spec.Value) ([]spec.Value, error) { return s.Observe(ctx, events) }
	}
	verdicts, err := observe(s.Session, events)
	if s.verdict != nil {
		for i := range verdicts {
			verdicts[i] = s.verdict(s.before, verdicts[i])
			s.before = verdicts[i]
		}
	}
	return verdicts, err
}

func (s *faultySession) Reset(ctx context.Context) error {
	if s.reset != nil {
		return s.reset(s.Session)
	}
	return s.Session.Reset(ctx)
}
