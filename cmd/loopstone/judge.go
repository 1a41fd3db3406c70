package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// judge starts the port, checks its adapter, runs the cases, and then the checks on generated traces. What it starts
// ends with it. Without a report, [faultOf] the error says whose fault that is.
func judge(ctx context.Context, io streams, port target, w *work) (*conformance.Report, error) {
	start := time.Now()
	io.ports = &ports{}
	defer io.ports.end(io.err)
	if w.settings.Against != nil {
		return compareTwo(ctx, io, port, w)
	}
	port.options.Left = io.ports.left // of the exchanges, too
	adapter, description, err := io.ports.start(ctx, port, w.check())
	if err != nil {
		return nil, err
	}
	if err := w.ofPort(description); err != nil {
		return nil, usageError{err}
	}
	laws, selected := split(w.selected, cases.Case.IsLaw)
	progress := newProgress(io.err)
	defer progress.clear()
	progress.all = countTests(w.selected, description)
	var exchanges sync.WaitGroup // they have processes of their own, most of which only start and end
	var protocol []conformance.Result
	var broken error
	exchanges.Go(func() {
		protocol, broken = conformance.CheckAdapter(ctx, port.dial, description, selected, port.options)
	})
	options := w.options(port)
	options.Progress, options.Oracles = func(int, int) { progress.test() }, []spec.Port{reference.Rules(), reference.Port()}
	r, err := conformance.Run(ctx, adapter, selected, options)
	if err != nil {
		exchanges.Wait() // nothing that they found is told where the port itself cannot be asked
		return nil, err
	}
	budget := w.budget(description, progress.test)
	budget.Over = w.failFast && r.Count(conformance.Passed)+r.Count(conformance.Skipped) < len(r.Results)
	generated := judgeLaws(ctx, adapter, description, laws, budget)
	if exchanges.Wait(); broken != nil {
		return nil, broken
	}
	progress.skip(len(protocol))
	r.Settings, r.Results, r.Traces = w.settings, slices.Concat(protocol, r.Results, generated), budget.Traces(generated)
	r.Restarts, r.Unexplained = r.Restarts+budget.Falls.Restarts, r.Unexplained+budget.Falls.Unexplained
	r.Requests, r.Events = adapter.Sent()
	r.Elapsed = time.Since(start)
	return r, nil
}

// compareTwo asks two ports the same, and reports what differs. Either may have detectors of its own.
func compareTwo(ctx context.Context, io streams, port target, w *work) (*conformance.Report, error) {
	other, err := targetOf(w.settings.Against, w.limits)
	if err != nil {
		return nil, err
	}
	one, first, err := io.ports.start(ctx, port, conformance.CheckOwnNames)
	if err != nil {
		return nil, err
	}
	another, _, err := io.ports.start(ctx, other, conformance.CheckOwnNames)
	if err != nil {
		return nil, fmt.Errorf("the other port: %w", err)
	}
	w.all = fuzz.AgainstCases(w.all, first)
	if w.selected, err = w.settings.Selection.Select(w.all); err != nil {
		return nil, usageError{err}
	}
	progress := newProgress(io.err)
	defer progress.clear()
	progress.all = countTests(w.selected, first)
	budget := fuzz.Budget{Checks: w.settings.Checks, Seeds: w.settings.Seeds, Done: progress.test}
	results, err := fuzz.Against(ctx, one, another, generate.For, w.selected, budget)
	if err != nil {
		return nil, err
	}
	generated, _ := split(results, func(r conformance.Result) bool { return r.File == "" })
	r := conformance.NewReport(first, w.options(port))
	r.Settings, r.Results, r.Traces = w.settings, results, budget.Traces(generated)
	return r, nil
}

// check returns what finds out whether a port declares what it may.
func (w *work) check() func(spec.Description) error {
	if w.settings.LawsAlone {
		return conformance.CheckOwnNames
	}
	return conformance.CheckNames
}

// ofPort completes the work that depends on what the port offers: that of the protocol and the laws alone.
func (w *work) ofPort(port spec.Description) (err error) {
	if !w.settings.LawsAlone {
		return nil
	}
	protocol, _ := split(w.all, isOfProtocol)
	w.all = slices.Concat(protocol, fuzz.LawsOf(port))
	w.selected, err = w.settings.Selection.Select(w.all)
	return err
}

// budget says how much is checked on generated traces. The traces of all cases that the port declares all features for
// belong to it, so that what a law says does not depend on the selection.
func (w *work) budget(port spec.Description, done func()) fuzz.Budget {
	_, whole := split(w.all, cases.Case.IsLaw)
	fit, _ := split(whole, func(c cases.Case) bool { return countReadings(c, port) > 0 })
	return fuzz.Budget{
		Checks: w.settings.Checks, Seeds: w.settings.Seeds, Thorough: w.settings.Thorough, Suite: fit, Done: done,
		Falls: &fuzz.Falls{}, Rules: reference.Rules(), FailFast: w.failFast,
	}
}

// split returns the items of which something is so, and the others.
func split[T any](list []T, isSo func(T) bool) (these, others []T) {
	for _, item := range list {
		if isSo(item) {
			these = append(these, item)
		} else {
			others = append(others, item)
		}
	}
	return these, others
}

func isOfProtocol(c cases.Case) bool { return c.Detector == cases.Protocol }

// countTests returns how many tests the port can be asked: each case and law in each reading.
func countTests(suite []cases.Case, port spec.Description) int {
	n := 0
	for _, c := range suite {
		if isOfProtocol(c) {
			n++
		}
		n += countReadings(c, port)
	}
	return n
}

// countReadings returns in how many readings the port can be asked a case.
func countReadings(c cases.Case, port spec.Description) int {
	n := 0
	for _, reading := range c.Readings {
		if conformance.NewResult(c, reading, port).Status == "" {
			n++
		}
	}
	return n
}

// judgeLaws checks laws and agreement on generated traces.
func judgeLaws(
	ctx context.Context, adapter *conformance.Adapter, description spec.Description, laws []cases.Case, budget fuzz.Budget,
) []conformance.Result {
	if len(laws) == 0 {
		return nil
	}
	results, err := fuzz.Judge(ctx, adapter, conformance.Oracle(reference.Port()), generate.For, laws, budget)
	if err != nil {
		results = notJudged(laws, description, err)
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
