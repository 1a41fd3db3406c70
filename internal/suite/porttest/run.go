// Package porttest judges a port whole: how its adapter speaks, the cases, and then the laws and agreement with the
// reference on generated traces. It stands beside package conformance and not in it, since generated traces need the
// reference, which conformance does not know.
package porttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
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

// Judge judges the port by what is selected: by the cases of the protocol beside all others, and by the laws after the
// others. An error says that there is nothing to report: the port, or the reference, could not be asked at all.
func (p *Plan) Judge(ctx context.Context, port launch.Port) (*conformance.Report, error) {
	laws, selected := lists.Partition(p.Selected, cases.Case.IsLaw)
	var beside sync.WaitGroup // exchanges have processes of their own, most of which only start and end
	var protocol []conformance.Result
	var broken error
	if countProtocol(selected) > 0 {
		beside.Go(func() {
			protocol, broken = conformance.CheckAdapter(ctx, port.Target.Dial, port.Description, selected, port.Target.Options)
		})
	}
	var unexercised []conformance.Part
	beside.Go(func() { unexercised = conformance.Unexercised(p.All, port.Description) })
	r, err := p.judgeCases(ctx, port, selected)
	if err != nil {
		beside.Wait() // nothing that they found is told where the port itself cannot be asked
		return nil, err
	}
	budget := p.budget(port.Description)
	budget.GivenUp = givenUp(r.Results)
	budget.Over = p.FailFast && r.Count(conformance.Passed)+r.Count(conformance.Skipped) < len(r.Results)
	generated := p.judgeLaws(ctx, port, laws, budget)
	if beside.Wait(); broken != nil {
		return nil, broken
	}
	p.done(protocol...)
	r.Settings, r.Results, r.Traces = p.Settings, slices.Concat(protocol, r.Results, generated), budget.Traces(generated)
	r.Restarts, r.Unexplained = r.Restarts+budget.Falls.Restarts, r.Unexplained+budget.Falls.Unexplained
	r.Losses = append(r.Losses, budget.Falls.Losses...)
	r.Requests, r.Events = port.Sent()
	if p.Settings.Folder == "" && !p.Settings.LawsAlone {
		idle, beyond := lists.Partition(p.left, func(part conformance.Part) bool { return part.Why == "" })
		r.Port.Unexercised, r.Port.Idle = append(unexercised, beyond...), idle
	}
	if p.Own {
		blameSuite(r.Results)
	}
	return r, nil
}

// blameSuite says that what the reference fails is the suite's own fault.
func blameSuite(results []conformance.Result) {
	for i := range results {
		if r := &results[i]; r.Status == conformance.Failed {
			r.Status, r.Reason = conformance.Faulty, "the reference fails it"
			if r.Failure != nil {
				r.Reason += ": " + r.Failure.Problem
			}
		}
	}
}

// judgeCases runs the cases.
func (p *Plan) judgeCases(ctx context.Context, port launch.Port, selected []cases.Case) (*conformance.Report, error) {
	options := p.Options()
	options.Done = func(r conformance.Result) { p.done(r) }
	options.Oracle = reference.Port(p.profiles.Offers()...)
	r, err := conformance.Run(ctx, port.Adapter, selected, options)
	if err == nil {
		sayHashed(r.Results, selected)
	}
	return r, err
}

// mostHashed bounds what a report keeps of a text, in characters.
const mostHashed = 1000

// sayHashed adds to failures of history.hash the text that is hashed: two sums do not say what is different.
func sayHashed(results []conformance.Result, selected []cases.Case) {
	calls := map[string]*cases.Call{}
	for _, c := range selected {
		if c.Call != nil && c.Call.Function == "history.hash" && c.Call.Result != nil {
			calls[c.ID] = c.Call
		}
	}
	for i := range results {
		if f, call := results[i].Failure, calls[results[i].Case]; f != nil && call != nil {
			f.Hashed = wording.Shortened(history.Hashed(call.Args), mostHashed)
		}
	}
}

// budget says how much is checked on generated traces. The traces of all cases that the port declares all features for
// belong to it, so that what a law says does not depend on the selection.
func (p *Plan) budget(port spec.Description) fuzz.Budget {
	return fuzz.Budget{
		Checks: p.Settings.Checks, Seeds: p.Settings.Seeds, Thorough: p.Settings.Thorough, Suite: p.All,
		Fits: func(c cases.Case) bool { return !c.IsLaw() && len(askedReadings(c, port)) > 0 },
		Done: func(r conformance.Result) { p.done(r) }, Falls: &fuzz.Falls{}, FailFast: p.FailFast,
		Reference: reference.Port(p.profiles.Offers()...),
		Asks:      p.profiles.Asks, Hopeless: p.profiles.Hopeless,
	}
}

// givenUp returns the detectors and readings whose cases brought the port down too often, or got no answer in time:
// their generated traces would do the same, at the same price. The words say why they are not played.
func givenUp(results []conformance.Result) map[fuzz.Part]string {
	why := map[fuzz.Part]string{}
	for _, r := range results {
		part := fuzz.Part{Detector: r.Detector, Reading: r.Reading}
		switch {
		case r.Status != conformance.Undecided:
		case r.IsNotRun():
			why[part] = r.Reason
		case why[part] == "":
			why[part] = fmt.Sprintf("not run: the port gave no answer in time to cases of %s in the reading %s", r.Detector,
				r.Reading)
		}
	}
	return why
}

// judgeLaws checks laws and agreement on generated traces.
func (p *Plan) judgeLaws(
	ctx context.Context, port launch.Port, laws []cases.Case, budget fuzz.Budget,
) []conformance.Result {
	if len(laws) == 0 {
		return nil
	}
	oracle := conformance.Oracle(reference.Port(p.profiles.Offers()...))
	results, err := fuzz.Judge(ctx, port.Adapter, oracle, p.profiles.Draw, laws, budget)
	if err != nil {
		return notJudged(laws, port.Description, err)
	}
	return results
}

// notJudged returns what is known when generated traces could not be played: nothing, and why.
func notJudged(laws []cases.Case, port spec.Description, reason error) []conformance.Result {
	status, rest := conformance.Undecided, conformance.Undecided
	switch conformance.OutcomeOf(reason) {
	case conformance.SuiteFault:
		status, rest = conformance.Faulty, conformance.Faulty
	case conformance.AdapterFault:
		status = conformance.Broken // the first says so, and of the others nothing is known
	}
	var results []conformance.Result
	for _, c := range laws {
		for _, reading := range c.Readings {
			result := conformance.NewResult(c, reading, port)
			if result.Status == "" {
				result.Status, result.Reason = status, reason.Error()
				status = rest
			}
			results = append(results, result)
		}
	}
	return results
}

// Compare asks a port and an old one the same, and reports what differs, and which of both is right. Either may have
// detectors of its own.
func (p *Plan) Compare(ctx context.Context, port, old launch.Port) (*conformance.Report, error) {
	budget := fuzz.Budget{
		Checks: p.Settings.Checks, Seeds: p.Settings.Seeds, Done: func(r conformance.Result) { p.done(r) },
		Reference: reference.Port(p.profiles.Offers()...), Asks: p.profiles.Asks, Falls: &fuzz.Falls{},
	}
	results, err := fuzz.Against(ctx, port.Adapter, old.Adapter, p.profiles.Draw, p.Selected, budget)
	if err != nil {
		return nil, err
	}
	generated := lists.Filter(results, func(r conformance.Result) bool { return r.File == "" })
	r := conformance.NewReport(port.Description, p.Options())
	r.Old = conformance.PortInfoOf(old.Description, p.Settings.Against)
	r.Settings, r.Results, r.Traces = p.Settings, results, budget.Traces(generated)
	r.Restarts, r.Unexplained, r.Losses = budget.Falls.Restarts, budget.Falls.Unexplained, budget.Falls.Losses
	return r, nil
}
