package main

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/spec"
)

// rung is a report of a profile as its page shows it: a trace that ends with it, and one that lacks an event.
type rung struct {
	rulecases.Witness

	Which   string // of the reports, in words
	Drawn   bool   // whether the trace is short enough to be drawn
	Fires   trace
	Quiet   trace
	Without int // the event that Quiet lacks, from 1; 0 where each event that can be left out leaves a loop
}

// rungs returns what each rung of a profile reports.
func rungs(p profile.Profile) ([]rung, error) {
	ctx := context.Background()
	witnesses, err := rulecases.Witnesses(ctx, p.ID(), p.Config())
	if err != nil {
		return nil, fmt.Errorf("search a trace on which @%s reports: %w", p.Name, err)
	}
	var list []rung
	for _, w := range witnesses {
		if len(w.Trace) == 0 {
			return nil, fmt.Errorf("no trace is known for the %s of @%s", w, p.Name)
		}
		t := trace{Detector: p.ID().Row(), Reading: spec.Code, Config: p.Config(), Events: w.Trace, profile: p.Name}
		r := rung{Witness: w, Which: "the rule " + w.Rule, Drawn: len(w.Trace) <= longestTrace}
		if w.Rung != "" {
			r.Which = "rung " + w.Rung + " of " + r.Which
		}
		if r.Fires, err = t.judged(ctx); err != nil {
			return nil, fmt.Errorf("judge a trace by @%s: %w", p.Name, err)
		}
		if r.Drawn {
			r.Quiet, r.Without = r.Fires.quiet(ctx)
		}
		list = append(list, r)
	}
	return list, nil
}
