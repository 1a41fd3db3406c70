// Package differ finds the shortest traces on which two detectors, readings or configurations disagree: one has spoken
// of a loop by the end, and the other has not. Who spoke earlier is no disagreement.
package differ

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/spec"
)

// Side is one of the two.
type Side struct {
	Port     spec.Port
	Name     string // as reports call it
	Detector spec.DetectorID
	Reading  spec.Reading
	Config   spec.Value // absent for the defaults
	Offer    spec.Offer // what the port has of the detector
}

// Difference is a trace on which only one of the two has spoken.
type Difference struct {
	Speaks, Silent Side
	Kind           string // the rule that spoke
	Events         []spec.Value
	Verdict        spec.Value // with which it spoke
	From           string     // where the trace was found, before it was made short
	Times          int        // how many traces or runs showed this kind of difference

	speaker int // 0 or 1
}

// Search holds what is found about two sides.
type Search struct {
	sides [2]Side
	found map[key]*Difference
	order []key

	Traces  int // that both sides were shown
	Refused int // that one of them refused
}

// key is what makes a difference one of its own: who speaks, by which rule, and whether in a drawn trace or a run.
type key struct {
	speaker int
	kind    string
	run     bool
}

// NewSearch returns a search that has found nothing yet.
func NewSearch(a, b Side) *Search { return &Search{sides: [2]Side{a, b}, found: map[key]*Difference{}} }

// Generated shows both sides so many generated traces. Half of them are made for the one, half for the other: around
// its thresholds, of what it looks at.
func (s *Search) Generated(ctx context.Context, traces int, seed uint64) error {
	var draws [2]func(*rapid.T) fuzz.Subject
	for i, side := range s.sides {
		definition, _ := spec.DefinitionOf(side.Detector)
		offer := definition.Offer()
		offer.Features, offer.Settings = nil, []string{} // traces for the configuration that the side has
		draws[i] = generate.For(offer, side.Reading)
	}
	for i := range traces {
		number := seed + uint64(i)
		events := fuzz.DrawEvents(draws[i%2], number*spread)
		if err := s.show(ctx, events, fmt.Sprintf("trace %d", number), false); err != nil {
			return err
		}
	}
	return nil
}

// spread scatters seeds over all numbers: neighbours would draw like traces.
const spread = 0x9e3779b97f4a7c15

// Run shows both sides a recorded run.
func (s *Search) Run(ctx context.Context, name string, events []spec.Value) error {
	return s.show(ctx, events, name, true)
}

// show plays a trace, and keeps it where it is the shortest of its kind of difference.
func (s *Search) show(ctx context.Context, events []spec.Value, from string, run bool) error {
	if err := context.Cause(ctx); err != nil { // a port within this process does not look
		return err
	}
	speaker, verdict, err := s.speaker(ctx, events)
	var refusal *spec.Fault
	switch {
	case errors.As(err, &refusal):
		s.Refused++
		return nil
	case err != nil:
		return err
	}
	s.Traces++
	if speaker < 0 {
		return nil
	}
	kind := kindOf(verdict)
	k := key{speaker, kind, run}
	known := s.found[k]
	if known == nil {
		known = &Difference{Speaks: s.sides[speaker], Silent: s.sides[1-speaker], Kind: kind, speaker: speaker}
		s.found[k] = known
		s.order = append(s.order, k)
	}
	known.Times++
	if known.Events == nil || len(events) < len(known.Events) {
		known.Events, known.Verdict, known.From = events, verdict, from
	}
	return nil
}

// speaker returns which side alone has spoken by the end, with the verdict that it spoke first; -1 where both or none.
func (s *Search) speaker(ctx context.Context, events []spec.Value) (int, spec.Value, error) {
	var spoke [2]spec.Value
	for i, side := range s.sides {
		v, err := side.first(ctx, events)
		if err != nil {
			return -1, v, err
		}
		spoke[i] = v
	}
	if spoke[0].IsAbsent() == spoke[1].IsAbsent() {
		return -1, spec.Value{}, nil
	}
	speaker := 0
	if spoke[0].IsAbsent() {
		speaker = 1
	}
	return speaker, spoke[speaker], nil
}

// first returns the first verdict of a loop, absent where there is none.
func (s Side) first(ctx context.Context, events []spec.Value) (v spec.Value, err error) {
	session, err := s.Port.Open(ctx, s.Detector, s.Reading, s.Config)
	if err != nil {
		return v, fmt.Errorf("open %s: %w", s.Name, err)
	}
	defer func() {
		if closing := session.Close(ctx); err == nil {
			err = closing
		}
	}()
	events, _ = score.Understood(s.Offer, events)
	if len(events) == 0 {
		return v, nil
	}
	verdicts, err := session.Observe(ctx, events)
	if err != nil {
		return v, fmt.Errorf("show %s a trace: %w", s.Name, err)
	}
	if i := slices.IndexFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() }); i >= 0 {
		return verdicts[i], nil
	}
	return v, nil
}

func kindOf(verdict spec.Value) string {
	kind, _ := verdict.Get("kind").Str()
	return kind
}

// shrinkTime bounds how long one trace is made shorter.
const shrinkTime = time.Minute

// Differences returns the shortest trace of each kind of difference, those of the first side first. A generated trace
// is made as simple as can be; of a recorded run, events are left out, and those that stay are as they were.
func (s *Search) Differences(ctx context.Context) ([]Difference, error) {
	var list []Difference
	slices.SortStableFunc(s.order, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.speaker, b.speaker), cmp.Compare(a.kind, b.kind), compareBool(a.run, b.run))
	})
	for _, k := range s.order {
		d := *s.found[k]
		holds := func(events []spec.Value) bool {
			speaker, verdict, err := s.speaker(ctx, events)
			return err == nil && ctx.Err() == nil && speaker == k.speaker && kindOf(verdict) == k.kind
		}
		if k.run {
			d.Events = fewer(d.Events, holds)
		} else {
			d.Events = fuzz.ShrinkEvents(d.Events, shrinkTime, holds)
		}
		if err := context.Cause(ctx); err != nil {
			return list, err
		}
		speaker, verdict, err := s.speaker(ctx, d.Events)
		if err != nil || speaker != k.speaker {
			unsteady := fmt.Errorf("%s and %s do not say the same twice of one trace", d.Speaks.Name, d.Silent.Name)
			return list, errors.Join(unsteady, err)
		}
		d.Verdict = verdict
		list = append(list, d)
	}
	return list, nil
}

// fewer leaves out events, many at once at first, until none can be left out alone.
func fewer(events []spec.Value, holds func([]spec.Value) bool) []spec.Value {
	for size := len(events); size >= 1; {
		left := len(events)
		for i := 0; i+size <= len(events); {
			rest := slices.Concat(events[:i], events[i+size:])
			if holds(rest) {
				events = rest
			} else {
				i++
			}
		}
		if len(events) == left || size > 1 {
			size /= 2
		}
	}
	return events
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
