// Package judging judges a port whole: how its adapter speaks, the cases, and then the laws and agreement with the
// reference on generated traces. It stands beside package conformance and not in it, since generated traces need the
// reference, which conformance does not know.
package judging

import (
	"context"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Port is a port that was started.
type Port struct {
	*stdio.Adapter
	Description spec.Description
	Dial        stdio.Dial    // opens a bare connection to another process of it
	Limits      stdio.Options // of these
}

// Judge judges the port by what is selected: by the cases of the protocol beside all others, and by the laws after the
// others. An error says that there is nothing to report: the port, or the reference, could not be asked at all.
func (p *Plan) Judge(ctx context.Context, port Port) (*conformance.Report, error) {
	laws, selected := words.Partition(p.Selected, cases.Case.IsLaw)
	var exchanges sync.WaitGroup // they have processes of their own, most of which only start and end
	var protocol []conformance.Result
	var broken error
	exchanges.Go(func() {
		protocol, broken = conformance.CheckAdapter(ctx, port.Dial, port.Description, selected, port.Limits)
	})
	r, err := p.judgeCases(ctx, port, selected)
	if err != nil {
		exchanges.Wait() // nothing that they found is told where the port itself cannot be asked
		return nil, err
	}
	budget := p.budget(port.Description)
	budget.Over = p.FailFast && r.Count(conformance.Passed)+r.Count(conformance.Skipped) < len(r.Results)
	generated := p.judgeLaws(ctx, port, laws, budget)
	if exchanges.Wait(); broken != nil {
		return nil, broken
	}
	p.done(len(protocol))
	r.Settings, r.Results, r.Traces = p.Settings, slices.Concat(protocol, r.Results, generated), budget.Traces(generated)
	r.Restarts, r.Unexplained = r.Restarts+budget.Falls.Restarts, r.Unexplained+budget.Falls.Unexplained
	r.Requests, r.Events = port.Sent()
	if p.Settings.Folder == "" && !p.Settings.LawsAlone {
		r.Port.Unexercised = conformance.Unexercised(p.All, port.Description)
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

// judgeCases runs the cases. The plain rules have the last word, and the fast detectors where the rules have no answer.
func (p *Plan) judgeCases(ctx context.Context, port Port, selected []cases.Case) (*conformance.Report, error) {
	options := p.Options()
	options.Progress = func(int, int) { p.done(1) }
	options.Oracles = []spec.Port{reference.Rules(p.profiles...), reference.Port(p.profiles...)}
	return conformance.Run(ctx, port.Adapter, selected, options)
}

// budget says how much is checked on generated traces. The traces of all cases that the port declares all features for
// belong to it, so that what a law says does not depend on the selection.
func (p *Plan) budget(port spec.Description) fuzz.Budget {
	return fuzz.Budget{
		Checks: p.Settings.Checks, Seeds: p.Settings.Seeds, Thorough: p.Settings.Thorough, Suite: p.All,
		Fits: func(c cases.Case) bool { return !c.IsLaw() && len(askedReadings(c, port)) > 0 },
		Done: func() { p.done(1) }, Falls: &fuzz.Falls{}, Rules: reference.Rules(p.profiles...), FailFast: p.FailFast,
		Asks: p.profiles.Asks,
	}
}

// judgeLaws checks laws and agreement on generated traces.
func (p *Plan) judgeLaws(ctx context.Context, port Port, laws []cases.Case, budget fuzz.Budget) []conformance.Result {
	if len(laws) == 0 {
		return nil
	}
	results, err := fuzz.Judge(ctx, port.Adapter, conformance.Oracle(reference.Port(p.profiles...)), p.profiles.Draw,
		laws, budget)
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
func (p *Plan) Compare(ctx context.Context, port, old Port) (*conformance.Report, error) {
	budget := fuzz.Budget{
		Checks: p.Settings.Checks, Seeds: p.Settings.Seeds, Done: func() { p.done(1) },
		Rules: reference.Rules(p.profiles...), Asks: p.profiles.Asks,
	}
	results, err := fuzz.Against(ctx, port.Adapter, old.Adapter, p.profiles.Draw, p.Selected, budget)
	if err != nil {
		return nil, err
	}
	generated, _ := words.Partition(results, func(r conformance.Result) bool { return r.File == "" })
	r := conformance.NewReport(port.Description, p.Options())
	r.Old = conformance.PortInfoOf(old.Description, p.Settings.Against)
	r.Settings, r.Results, r.Traces = p.Settings, results, budget.Traces(generated)
	return r, nil
}
