package score

import (
	"cmp"
	"context"
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Contender is a detector that is scored.
type Contender struct {
	Port     spec.Port       `json:"-"`
	Detector spec.DetectorID `json:"detector"`
	Reading  spec.Reading    `json:"reading"`
	Profile  string          `json:"profile,omitempty"` // "@roo" where the configuration is a profile
	Config   spec.Value      `json:"-"`                 // that its sessions are opened with; absent for the defaults
	Shown    spec.Value      `json:"config"`            // an object: what differs from the specification's defaults
	Owner    string          `json:"port,omitempty"`    // whose port it is; empty for the reference
	Offer    spec.Offer      `json:"-"`                 // what the port has of the detector
	Sweep    *Point          `json:"-"`                 // where the configuration is one of many that differ in one setting

	Least Severity `json:"least_severity,omitempty"` // only reports of this severity or more count; empty for all
}

// Point is one value of a setting.
type Point struct {
	Setting string
	Value   int
}

// Name returns what a table calls the contender.
func (c Contender) Name() string {
	name := string(c.Detector) + " " + string(c.Reading)
	if c.Profile != "" {
		name = c.Profile
	} else if len(c.Shown.Members()) > 0 {
		name += " " + c.Shown.String()
	}
	if c.Least != "" {
		name += ", " + string(c.Least)
	}
	if c.Owner != "" {
		name += " of " + c.Owner
	}
	return name
}

// Trial is what a detector said of one run.
type Trial struct {
	Alarm *Alarm    `json:"alarm,omitempty"` // nil where it never spoke
	Pairs Agreement `json:"pairs"`           // with the labels of pairs

	said []bool // for each pair of steps, whether it said that the later one repeats the other
}

// Alarm is the first loop that a detector spoke of.
type Alarm struct {
	Step     int    `json:"step"`               // from 0
	Kind     string `json:"kind,omitempty"`     // the rule that spoke
	Evidence []int  `json:"evidence,omitempty"` // the steps that it rests on, ascending
}

// batch is how many events are shown at once: a pipe is asked seldom, and a long run needs no large messages.
const batch = 64

// try shows a run to a detector, from beginning to end.
func (c Contender) try(ctx context.Context, run *Run, of []int, steps int) (Trial, error) {
	trial := Trial{said: make([]bool, max(0, steps-1))}
	events, places := Understood(c.Offer, run.Events)
	of = pick(of, places)
	err := c.Observe(ctx, events, func(event int, verdict spec.Value) {
		if c.counts(verdict) {
			trial.add(verdict, of, event)
		}
	})
	if err != nil {
		return trial, fmt.Errorf("the run %s: %w", run.Name, err)
	}
	trial.Pairs.add(run.Pairs, trial.said)
	return trial, nil
}

// Observe shows events to a new session of the detector, and hands on its verdicts.
func (c Contender) Observe(ctx context.Context, events []spec.Value, each func(event int, verdict spec.Value)) error {
	session, err := c.Port.Open(ctx, c.Detector, c.Reading, c.Config)
	if err != nil {
		return fmt.Errorf("open %s: %w", c.Name(), err)
	}
	for from := 0; from < len(events) && err == nil; from += batch {
		var verdicts []spec.Value
		verdicts, err = session.Observe(ctx, events[from:min(from+batch, len(events))])
		for i, v := range verdicts {
			each(from+i, v)
		}
		if err != nil {
			err = fmt.Errorf("show %s the events from %d: %w", c.Name(), from, err)
		}
	}
	return cmp.Or(err, session.Close(ctx))
}

// Understood returns the events that a port takes, without members that it does not, and where each stood.
func Understood(offer spec.Offer, events []spec.Value) (list []spec.Value, places []int) {
	for i, event := range events {
		if part, ok := offer.Understood(event); ok {
			list, places = append(list, part), append(places, i)
		}
	}
	return list, places
}

func pick(of, places []int) []int {
	steps := make([]int, len(places))
	for i, place := range places {
		steps[i] = of[place]
	}
	return steps
}

// add takes in a verdict that speaks of a loop.
func (t *Trial) add(verdict spec.Value, of []int, event int) {
	evidence := stepsOf(verdict, of)
	if t.Alarm == nil {
		kind, _ := verdict.Get("kind").Str()
		t.Alarm = &Alarm{Step: of[event], Kind: kind, Evidence: evidence}
	}
	if len(evidence) == 0 { // all that is known is when it spoke
		evidence = []int{of[event] - 1, of[event]}
	}
	for i := 1; i < len(evidence); i++ {
		if k := evidence[i-1]; evidence[i] == k+1 && k >= 0 && k < len(t.said) {
			t.said[k] = true
		}
	}
}

// stepsOf returns the steps that a verdict names as its evidence, each once. A port may name events that there are not.
func stepsOf(verdict spec.Value, of []int) []int {
	var steps []int
	for _, item := range verdict.Get("evidence").Items() {
		i, ok := item.Int()
		if !ok || i < 0 || i >= len(of) {
			continue
		}
		if n := len(steps); n == 0 || steps[n-1] != of[i] {
			steps = append(steps, of[i])
		}
	}
	return steps
}
