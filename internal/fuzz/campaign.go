package fuzz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Campaign looks for faults until its time is up.
type Campaign struct {
	Pairs  []Pair // one for each worker, all of the same ports
	Source Source

	Detectors []spec.DetectorID // those to look at; all that the port offers where there are none
	Readings  []spec.Reading
	Seed      uint64
	For       time.Duration

	Progress func(Progress) // is never called twice at once; may be nil
}

// Pair is what one worker of a campaign asks: a port that nobody else asks, so that a crash or a fault between sessions
// is that of its own subjects, and what the port is compared with.
type Pair struct {
	Port   spec.Port
	Oracle spec.Port // the reference, or another port
}

// Progress is how far a campaign is.
type Progress struct {
	Traces, Calls int // that the port was told; each is an execution
	Events        int // of all traces
	Checks        int // rounds of a check on many traces and calls
	Findings      int // different counterexamples
	Elapsed       time.Duration
}

// Executions returns how many traces and function calls the port was told. A trace that a law tells in several requests
// is one execution, and each session of a trace with several is one.
func (p Progress) Executions() int { return p.Traces + p.Calls }

// String returns the progress in one line.
func (p Progress) String() string {
	seconds := max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("%d executions, %.0f/s, %.1f events per trace, %d laws checked, %d %s", p.Executions(),
		float64(p.Executions())/seconds, float64(p.Events)/float64(max(p.Traces, 1)), p.Checks,
		p.Findings, plural(p.Findings, "finding", "findings"))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Found is a counterexample with the case that was made of it.
type Found struct {
	Counterexample
	Case cases.Case
}

// Run looks until the time is up, and returns each different counterexample once. What is being shrunk when the time is
// up is shrunk to its end. The same seed deals out the same subjects, however many workers there are. The error is one
// of asking; what was found before is returned with it.
func (c Campaign) Run(ctx context.Context) ([]Found, Progress, error) {
	r := &campaign{Campaign: c, start: time.Now(), again: map[task]int{}, seen: map[string]bool{}}
	for _, pair := range c.Pairs {
		hunts, err := c.hunts(ctx, pair, &r.told)
		if err != nil {
			return nil, Progress{}, err
		}
		r.crew = append(r.crew, hunts)
		if !slices.EqualFunc(hunts, r.crew[0], sameHunt) {
			return nil, Progress{}, fmt.Errorf("the port says something else of itself each time it is started")
		}
	}
	if len(r.crew) == 0 {
		return nil, Progress{}, fmt.Errorf("there is no port to look at")
	}
	err := r.run(ctx)
	return r.found, r.progress(), err
}

// hunts returns a hunt for every detector and reading that is wanted and offered. That there is none is an error.
func (c Campaign) hunts(ctx context.Context, pair Pair, told *tally) ([]*Hunt, error) {
	description, err := pair.Port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	other, err := pair.Oracle.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the other port what it is: %w", err)
	}
	pair.Port, pair.Oracle = conformance.Declared(pair.Port, description), conformance.Declared(pair.Oracle, other)
	var hunts []*Hunt
	for _, offer := range description.Detectors {
		if len(c.Detectors) > 0 && !slices.Contains(c.Detectors, offer.Detector) {
			continue
		}
		theirs, _ := other.Offer(offer.Detector)
		shared := offer.And(theirs)
		for _, reading := range shared.Readings {
			if len(c.Readings) == 0 || slices.Contains(c.Readings, reading) {
				h := NewHunt(pair.Port, pair.Oracle, c.Source, shared, reading)
				h.metered.tally = told
				hunts = append(hunts, h)
			}
		}
	}
	if len(hunts) == 0 {
		return nil, fmt.Errorf("there is no detector and reading that is wanted and that both ports offer")
	}
	return hunts, nil
}

// sameHunt reports whether two workers can take each other's tasks.
func sameHunt(a, b *Hunt) bool {
	return a.Detector == b.Detector && a.Reading == b.Reading &&
		slices.EqualFunc(a.Checks, b.Checks, func(x, y Check) bool { return x.ID == y.ID })
}
