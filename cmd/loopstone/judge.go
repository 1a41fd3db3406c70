package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// judge starts the port, checks its adapter, runs the cases, and then the checks on generated traces. Without a report,
// the outcome says whose fault that is.
func judge(ctx context.Context, io streams, port target, w *work) (*conformance.Report, conformance.Outcome, error) {
	start := time.Now()
	if w.settings.Against != nil {
		return compareTwo(ctx, io, port, w)
	}
	var left leftovers
	port.options.Left = left.add // of the exchanges, too
	defer left.tell(io.err)
	adapter, err := port.start(ctx, &left)
	if err != nil {
		return nil, conformance.OutcomeOf(err), err
	}
	defer adapter.Close()
	description, err := adapter.Describe(ctx)
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	if outcome, err := w.accept(description); err != nil {
		return nil, outcome, err
	}
	laws, selected := split(w.selected)
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
	options.Progress, options.Oracle = func(int, int) { progress.test() }, reference.Port()
	r, err := conformance.Run(ctx, adapter, selected, options)
	if err != nil {
		exchanges.Wait() // nothing that they found is told where the port itself cannot be asked
		return nil, conformance.OutcomeOf(err), err
	}
	budget := w.budget(description, progress.test)
	budget.Falls = &fuzz.Falls{}
	generated := judgeLaws(ctx, adapter, description, laws, budget)
	if exchanges.Wait(); broken != nil {
		return nil, conformance.AdapterFault, broken
	}
	progress.skip(len(protocol))
	r.Settings, r.Results, r.Traces = w.settings, slices.Concat(protocol, r.Results, generated), budget.Traces(generated)
	r.Requests, r.Events = adapter.Sent()
	r.Restarts, r.Unexplained = r.Restarts+budget.Falls.Restarts, r.Unexplained+budget.Falls.Unexplained
	r.Elapsed = time.Since(start)
	return r, r.Outcome(), nil
}

// accept checks what a port declares, and completes the work that depends on it.
func (w *work) accept(description spec.Description) (conformance.Outcome, error) {
	check := conformance.CheckNames
	if w.settings.LawsAlone {
		check = conformance.CheckOwnNames
	}
	if err := check(description); err != nil {
		return conformance.AdapterFault, fmt.Errorf("the adapter is at fault: %w", err)
	}
	if err := w.ofPort(description); err != nil {
		return conformance.Usage, usageError{err}
	}
	return conformance.Conformant, nil
}

// budget says how much is checked on generated traces. The traces of all cases belong to it, so that what a law says does
// not depend on the selection.
func (w *work) budget(description spec.Description, done func()) fuzz.Budget {
	_, whole := split(w.all)
	return fuzz.Budget{
		Checks: w.settings.Checks, Seeds: w.settings.Seeds, Thorough: w.settings.Thorough,
		Suite: fit(whole, description), Done: done,
	}
}

// leftovers are the processes that adapters left behind, out of reach.
type leftovers struct {
	mu   sync.Mutex // guards list: adapters end side by side
	list []string
}

func (l *leftovers) add(process string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, process)
}

func (l *leftovers) tell(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, process := range l.list {
		fmt.Fprintf(w, "loopstone: the adapter left its process group and was not ended: %s\n", process)
	}
}

// countTests returns how many tests the port can be asked: each case and law in each reading.
func countTests(suite []cases.Case, port spec.Description) int {
	n := 0
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			n++
		}
		for _, reading := range c.Readings {
			if conformance.NewResult(c, reading, port).Status == "" {
				n++
			}
		}
	}
	return n
}

// fit returns the cases that the port declares all features for.
func fit(suite []cases.Case, port spec.Description) []cases.Case {
	var list []cases.Case
	for _, c := range suite {
		for _, reading := range c.Readings {
			if conformance.NewResult(c, reading, port).Status == "" {
				list = append(list, c)
				break
			}
		}
	}
	return list
}

// judgeLaws checks laws and agreement on generated traces.
func judgeLaws(ctx context.Context, adapter *conformance.Adapter, description spec.Description, laws []cases.Case, budget fuzz.Budget) []conformance.Result {
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
