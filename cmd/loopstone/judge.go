package main

import (
	"context"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/judging"
)

// judge starts the port, and has it judged as planned. What it starts ends with it. Without a report, [faultOf] the
// error says whose fault that is.
func judge(ctx context.Context, io streams, port target, plan *judging.Plan) (*conformance.Report, error) {
	start := time.Now()
	io.ports = &ports{}
	defer io.ports.end(io.err)
	progress := newProgress(io.err)
	defer progress.clear()
	plan.Command, plan.Own, plan.Done = port.words(), port.again == "", progress.tests
	if plan.Settings.Against != nil {
		return compareTwo(ctx, io, port, plan, progress)
	}
	port.options.Left = io.ports.left // of the exchanges, too
	started, err := startPlanned(ctx, io, port, plan)
	if err != nil {
		return nil, err
	}
	progress.all = plan.Tests(started.Description)
	r, err := plan.Judge(ctx, started)
	if err == nil {
		r.Elapsed = time.Since(start)
	}
	return r, err
}

// startPlanned starts the port, and completes the plan by what the port offers.
func startPlanned(ctx context.Context, io streams, port target, plan *judging.Plan) (judging.Port, error) {
	adapter, description, err := io.ports.start(ctx, port, plan.Check)
	if err == nil {
		if err = plan.Choose(ctx, description); err != nil {
			err = usageError{err}
		}
	}
	return judging.Port{Adapter: adapter, Description: description, Dial: port.dial, Limits: port.options}, err
}

// compareTwo compares the port with the one that the plan names.
func compareTwo(
	ctx context.Context, io streams, port target, plan *judging.Plan, progress *progress,
) (*conformance.Report, error) {
	limits := timeouts{start: port.options.StartTimeout, request: port.options.RequestTimeout}
	other, err := targetOf(plan.Settings.Against, limits)
	if err != nil {
		return nil, err
	}
	one, err := startPlanned(ctx, io, port, plan)
	if err != nil {
		return nil, err
	}
	another, _, err := io.ports.start(ctx, other, plan.Check)
	if err != nil {
		return nil, fmt.Errorf("the other port: %w", err)
	}
	progress.all = plan.Tests(one.Description)
	return plan.Compare(ctx, one, another)
}
