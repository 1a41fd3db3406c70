package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// played is a trace with the verdicts of the original.
type played struct {
	laws.Trace

	verdicts []spec.Value
}

// drawTraces draws n traces for each profile of an original and lets the port of the original judge them. It keeps the
// traces on which the profile and the original agree, and returns the number of the others, too.
func (o original) drawTraces(ctx context.Context, port spec.Port, n int) (list []played, others int, err error) {
	for _, id := range o.profiles {
		p, err := profile.ByName(string(id[1:]))
		if err != nil {
			return nil, 0, err
		}
		offer, err := offerOf(ctx, port, id)
		if err != nil {
			return nil, 0, err
		}
		drawn, err := playAll(ctx, port, offer, p, n)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", id, err)
		}
		agreed := slices.DeleteFunc(drawn, func(t played) bool { return t.verdicts == nil })
		others += n - len(agreed)
		list = append(list, agreed...)
	}
	return list, others, nil
}

func offerOf(ctx context.Context, port spec.Port, id spec.DetectorID) (spec.Offer, error) {
	said, err := port.Describe(ctx)
	i := slices.IndexFunc(said.Detectors, func(o spec.Offer) bool { return o.Detector == id })
	if err == nil && i < 0 {
		err = fmt.Errorf("the port does not declare %s", id)
	}
	if err != nil {
		return spec.Offer{}, err
	}
	return said.Detectors[i], nil
}

// playAll draws and plays n traces. One on which the profile's rules say something else has no verdicts.
func playAll(ctx context.Context, port spec.Port, offer spec.Offer, p profile.Profile, n int) ([]played, error) {
	list := make([]played, n)
	rules := reference.Port()
	return list, inTurns(ctx, n, func(ctx context.Context, i int) error {
		r := rand.New(rand.NewPCG(uint64(i), uint64(len(offer.Detector))))
		trace := laws.Trace{Detector: offer.Detector, Reading: spec.Code}
		trace.Steps = understood(offer, p.Askable(drawTrace(offer.Detector, r)))
		verdicts, err := laws.Play(ctx, port, trace)
		if err != nil {
			return err
		}
		ruled := trace
		ruled.Detector, ruled.Config = offer.Detector.Row(), p.Config()
		wanted, err := laws.Play(ctx, rules, ruled)
		if err != nil {
			return err
		}
		list[i].Trace = trace
		if slices.EqualFunc(verdicts, wanted, func(got, want spec.Value) bool {
			return got.Equal(offer.Declared(want))
		}) {
			list[i].verdicts = verdicts
		}
		return nil
	})
}

// understood leaves out what the port does not take.
func understood(offer spec.Offer, steps []laws.Step) []laws.Step {
	var list []laws.Step
	for _, s := range steps {
		if s.IsReset() {
			list = append(list, s)
			continue
		}
		if event, takes := offer.Understood(s.Event); takes {
			list = append(list, laws.Step{Event: event})
		}
	}
	return list
}

// differs reports whether a port gives another verdict on one of the traces, or none.
func differs(ctx context.Context, port spec.Port, traces []played) bool {
	var found atomic.Bool
	err := inTurns(ctx, len(traces), func(ctx context.Context, i int) error {
		verdicts, err := laws.Play(ctx, port, traces[i].Trace)
		if err == nil && slices.EqualFunc(verdicts, traces[i].verdicts, spec.Value.Equal) {
			return nil
		}
		found.Store(true)
		return errDiffers
	})
	return found.Load() || err != nil
}

var errDiffers = fmt.Errorf("the verdicts differ")

// inTurns calls a function with 0 to n-1, a few at once, until one call has an error, which it returns.
func inTurns(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
