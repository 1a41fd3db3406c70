package porttest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/launch"
)

// SelectionError is the error of a selection that fits nothing that the port declares.
type SelectionError struct{ error }

// Unwrap returns what is wrong with the selection.
func (e *SelectionError) Unwrap() error { return e.error }

// Start starts a port in the group, and completes the plan by what the port declares.
func (p *Plan) Start(ctx context.Context, group *launch.Group, target launch.Target) (launch.Port, error) {
	port, err := group.Start(ctx, target, p.Check)
	if err == nil {
		if err = p.Choose(ctx, port.Description); err != nil && ctx.Err() == nil {
			err = &SelectionError{err}
		}
	}
	return port, err
}

// Run starts a port in the group and judges it as planned, or compares it with an old port if that is not nil. An error
// says that there is nothing to report.
func (p *Plan) Run(
	ctx context.Context, group *launch.Group, target launch.Target, old *launch.Target,
) (*conformance.Report, error) {
	began := time.Now()
	before := *p
	port, err := p.Start(ctx, group, target)
	if old != nil {
		return p.runBoth(ctx, group, port, *old, before, err)
	}
	if err != nil {
		return nil, err
	}
	p.begin(port)
	r, err := p.Judge(ctx, port)
	if err == nil {
		r.Elapsed = time.Since(began)
	}
	return r, err
}

// runBoth starts the old port, and compares the two. Where the selection fits nothing that the new port declares, the
// plan as it was before says whether it fits the old one: then the new port has lost it, and there is nothing else to
// compare.
func (p *Plan) runBoth(
	ctx context.Context, group *launch.Group, port launch.Port, old launch.Target, before Plan, unfit error,
) (*conformance.Report, error) {
	if _, isSelection := errors.AsType[*SelectionError](unfit); unfit != nil && !isSelection {
		return nil, unfit
	}
	another, err := group.Start(ctx, old, p.Check)
	if err != nil {
		return nil, fmt.Errorf("the old port: %w", err)
	}
	if unfit != nil {
		if before.Choose(ctx, another.Description) != nil {
			return nil, unfit
		}
		p.Selected = nil
	}
	p.begin(port)
	return p.Compare(ctx, port, another)
}

func (p *Plan) begin(port launch.Port) {
	if p.Begin != nil {
		p.Begin(func() int { return len(p.Tests(port.Description)) })
	}
}
