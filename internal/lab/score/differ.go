package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/spec"
)

// Difference is a trace on which only one of two contenders has spoken.
type Difference struct {
	Reports string       `json:"reports"` // the contender that spoke
	Silent  string       `json:"silent"`
	Kind    string       `json:"kind"` // the rule that spoke
	Events  []spec.Value `json:"events"`
	Verdict spec.Value   `json:"verdict"` // with which it spoke
	From    string       `json:"from"`    // where the trace was found, before it was made short
	Times   int          `json:"times"`   // how many traces or runs showed this kind of difference

	speaker  int  // 0 or 1
	recorded bool // whether it was found in a run, and not in a generated trace
}

// Differ looks for the shortest traces on which two contenders disagree: one has spoken of a loop by the end, and the
// other has not. Who spoke earlier is no disagreement.
type Differ struct {
	sides [2]Contender
	found []Difference // one for each speaker, rule and source of traces

	Traces  int // that both sides were shown
	Refused int // that one of them refused, or both
	Both    int // of these, the ones that both refused
	Empty   int // without an event, which are not shown
}

// NewDiffer returns a Differ that has found nothing yet.
func NewDiffer(a, b Contender) *Differ { return &Differ{sides: [2]Contender{a, b}} }

// Generated shows both sides so many generated traces. Half of them are made for the one, half for the other: around
// its thresholds, of what it looks at.
func (d *Differ) Generated(ctx context.Context, traces int, seed uint64) error {
	var draws [2]func(*rapid.T) fuzz.Subject
	for i, side := range d.sides {
		definition, _ := spec.DefinitionOf(side.Detector)
		offer := definition.Offer()
		offer.Features, offer.Settings = nil, []string{} // traces for the configuration that the side has
		draws[i] = tracegen.For(offer, side.Reading)
	}
	for i := range traces {
		number := seed + uint64(i)
		events := fuzz.DrawEvents(draws[i%2], number*spread)
		if err := d.show(ctx, events, fmt.Sprintf("trace %d", number), false); err != nil {
			return err
		}
	}
	return nil
}

// spread scatters seeds over all numbers: neighbours would draw like traces.
const spread = 0x9e3779b97f4a7c15

// Run shows both sides a recorded run.
func (d *Differ) Run(ctx context.Context, name string, events []spec.Value) error {
	return d.show(ctx, events, name, true)
}

// show plays a trace, and keeps it where it is the shortest of its kind of difference.
func (d *Differ) show(ctx context.Context, events []spec.Value, from string, recorded bool) error {
	if err := context.Cause(ctx); err != nil { // a port within this process does not look
		return err
	}
	if len(events) == 0 { // on which every two agree
		d.Empty++
		return nil
	}
	speaker, spoke, err := d.speaker(ctx, events)
	if refused, ok := errors.AsType[refusal](err); ok {
		d.Refused++
		d.Both += count(refused.sides == 2)
		return nil
	}
	if err != nil {
		return err
	}
	d.Traces++
	if speaker < 0 {
		return nil
	}
	known := d.difference(speaker, spoke.Kind, recorded)
	known.Times++
	if known.Events == nil || len(events) < len(known.Events) {
		known.Events, known.Verdict, known.From = events, spoke.Verdict, from
	}
	return nil
}

// difference returns the difference of a kind, a new one if none was found yet.
func (d *Differ) difference(speaker int, kind string, recorded bool) *Difference {
	i := slices.IndexFunc(d.found, func(f Difference) bool {
		return f.speaker == speaker && f.Kind == kind && f.recorded == recorded
	})
	if i < 0 {
		i = len(d.found)
		d.found = append(d.found, Difference{
			Reports: d.sides[speaker].Name(), Silent: d.sides[1-speaker].Name(), Kind: kind,
			speaker: speaker, recorded: recorded,
		})
	}
	return &d.found[i]
}

// refusal is the error of a trace that one side refuses, or both.
type refusal struct {
	error

	sides int
}

// speaker returns which side alone has spoken by the end, with its first alarm; -1 where both or none. Its error is a
// refusal where a side refuses the events.
func (d *Differ) speaker(ctx context.Context, events []spec.Value) (int, *alarm.Alarm, error) {
	var first [2]*alarm.Alarm
	var refused refusal
	for i, side := range d.sides {
		err := side.Observe(ctx, events, nil, func(_ int, _ spec.Value, a *alarm.Alarm) { first[i] = cmp.Or(first[i], a) })
		if _, isFault := errors.AsType[*spec.Fault](err); isFault {
			refused = refusal{err, refused.sides + 1}
		} else if err != nil {
			return -1, nil, err
		}
	}
	switch {
	case refused.sides > 0:
		return -1, nil, refused
	case (first[0] == nil) == (first[1] == nil):
		return -1, nil, nil
	case first[0] == nil:
		return 1, first[1], nil
	default:
		return 0, first[0], nil
	}
}

// shrinkTime bounds how long one trace is made shorter.
const shrinkTime = time.Minute

// Differences returns the shortest trace of each kind of difference, those of the first side first. A generated trace
// is made as simple as can be; of a recorded run, events are left out, and those that stay are as they were.
func (d *Differ) Differences(ctx context.Context) ([]Difference, error) {
	list := []Difference{}
	slices.SortStableFunc(d.found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.speaker, b.speaker), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(count(a.recorded), count(b.recorded)))
	})
	for _, one := range d.found {
		holds := func(events []spec.Value) bool {
			speaker, spoke, err := d.speaker(ctx, events)
			return err == nil && ctx.Err() == nil && speaker == one.speaker && spoke.Kind == one.Kind
		}
		if one.recorded {
			one.Events = fewer(ctx, one.Events, holds)
		} else {
			one.Events = fuzz.ShrinkEvents(ctx, one.Events, shrinkTime, holds)
		}
		if err := context.Cause(ctx); err != nil {
			return list, err
		}
		speaker, spoke, err := d.speaker(ctx, one.Events)
		if err != nil || speaker != one.speaker {
			unsteady := fmt.Errorf("%s and %s do not say the same twice of one trace", one.Reports, one.Silent)
			return list, errors.Join(unsteady, err)
		}
		one.Verdict = spoke.Verdict
		list = append(list, one)
	}
	return list, nil
}

// fewer leaves out events, many at once at first, until none can be left out alone.
func fewer(ctx context.Context, events []spec.Value, holds func([]spec.Value) bool) []spec.Value {
	for size := len(events); size >= 1; {
		left := len(events)
		for i := 0; i+size <= len(events) && ctx.Err() == nil; {
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
