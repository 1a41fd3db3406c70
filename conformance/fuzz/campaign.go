package fuzz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Campaign looks for faults until its time is up.
type Campaign struct {
	Port   spec.Port
	Oracle spec.Port // what the port is compared with: the reference, or another port
	Source Source

	Detectors []spec.DetectorID // those to look at; all that the port offers where there are none
	Readings  []spec.Reading
	Seed      uint64
	For       time.Duration

	Progress func(Progress)
}

// Progress is how far a campaign is.
type Progress struct {
	Executions int // traces and calls that the port was told
	Checks     int // checks that were made on them
	Findings   int // different counterexamples
	Elapsed    time.Duration
}

// String returns the progress in one line.
func (p Progress) String() string {
	seconds := max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("%d executions, %.0f/s, %d laws checked, %d %s", p.Executions,
		float64(p.Executions)/seconds, p.Checks, p.Findings, plural(p.Findings, "finding", "findings"))
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

// roundChecks is how many subjects a detector gets before the next one has its turn: enough that most faults are found
// in the first round, few enough that every detector is looked at within seconds.
const roundChecks = 500

// enough is how often the same counterexample is found again before its check is left out: looking further would find
// nothing else.
const enough = 3

// Run looks until the time is up, and returns each different counterexample once. The error is one of asking; what was
// found before is returned with it.
func (c Campaign) Run(ctx context.Context) ([]Found, Progress, error) {
	start := time.Now()
	ctx, cancel := context.WithDeadline(ctx, start.Add(c.For))
	defer cancel()
	hunts, err := c.hunts(ctx)
	if err != nil {
		return nil, Progress{}, err
	}
	run := &campaign{Campaign: c, start: start, again: map[string]int{}, seen: map[string]bool{}}
	for round := uint64(0); ctx.Err() == nil && len(hunts) > 0; round++ {
		for _, h := range hunts {
			if err := run.look(ctx, h, c.Seed+round); err != nil {
				return run.found, run.progress(hunts), err
			}
			if c.Progress != nil {
				c.Progress(run.progress(hunts))
			}
		}
		hunts = slices.DeleteFunc(hunts, func(h *Hunt) bool { return len(h.Checks) == 0 && run.retire(h) })
	}
	return run.found, run.progress(hunts), nil
}

// hunts returns a hunt for every detector and reading that is wanted and offered. That there is none is an error.
func (c Campaign) hunts(ctx context.Context) ([]*Hunt, error) {
	description, err := c.Port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	other, err := c.Oracle.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the other port what it is: %w", err)
	}
	var hunts []*Hunt
	for _, offer := range description.Detectors {
		if len(c.Detectors) > 0 && !slices.Contains(c.Detectors, offer.Detector) {
			continue
		}
		shared, ok := both(offer, other)
		if !ok {
			continue
		}
		for _, reading := range shared.Readings {
			if len(c.Readings) == 0 || slices.Contains(c.Readings, reading) {
				hunts = append(hunts, NewHunt(c.Port, c.Oracle, c.Source, shared, reading))
			}
		}
	}
	if len(hunts) == 0 {
		return nil, fmt.Errorf("there is no detector and reading that is wanted and that both ports offer")
	}
	return hunts, nil
}

// both returns what two ports have of a detector.
func both(offer spec.Offer, other spec.Description) (spec.Offer, bool) {
	o, ok := other.Offer(offer.Detector)
	shared := spec.Offer{Detector: offer.Detector}
	for _, r := range offer.Readings {
		if slices.Contains(o.Readings, r) {
			shared.Readings = append(shared.Readings, r)
		}
	}
	for _, f := range offer.Features {
		if slices.Contains(o.Features, f) {
			shared.Features = append(shared.Features, f)
		}
	}
	return shared, ok
}

// campaign is the state of a run.
type campaign struct {
	Campaign
	start   time.Time
	found   []Found
	seen    map[string]bool // keys of what was found
	again   map[string]int  // how often a check found only what was known
	checks  int
	retired int // executions of hunts that have nothing left to check
}

func (r *campaign) progress(hunts []*Hunt) Progress {
	executions := r.retired
	for _, h := range hunts {
		executions += h.Executions()
	}
	return Progress{Executions: executions, Checks: r.checks, Findings: len(r.found), Elapsed: time.Since(r.start)}
}

func (r *campaign) retire(h *Hunt) bool {
	r.retired += h.Executions()
	return true
}

// look gives each check of a hunt its turn.
func (r *campaign) look(ctx context.Context, h *Hunt, seed uint64) error {
	for _, check := range slices.Clone(h.Checks) {
		if ctx.Err() != nil {
			return nil
		}
		checks := roundChecks
		if check.ID != AgreementID {
			checks /= lawShare
		}
		r.checks++
		c, err := h.look(ctx, check, checks, seed)
		if err != nil || c == nil {
			if ctx.Err() != nil {
				return nil // the time was up in the middle
			}
			if err != nil {
				return err
			}
			continue
		}
		if err := r.take(ctx, h, check, *c); err != nil {
			return err
		}
	}
	return nil
}

// take keeps a counterexample that is new, and leaves a check out that finds nothing new.
func (r *campaign) take(ctx context.Context, h *Hunt, check Check, c Counterexample) error {
	key := fmt.Sprintf("%s %s %s", h.Detector, h.Reading, check.ID)
	if r.seen[c.Key()] {
		r.again[key]++
		if r.again[key] >= enough {
			h.Checks = slices.DeleteFunc(h.Checks, func(other Check) bool { return other.ID == check.ID })
		}
		return nil
	}
	r.seen[c.Key()] = true
	made, err := h.Case(context.WithoutCancel(ctx), r.Oracle, check, c)
	if err != nil {
		return err
	}
	r.found = append(r.found, Found{c, made})
	return nil
}
