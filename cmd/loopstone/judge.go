package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// work is what a port is to be judged by: cases, some of which may stand for checks on generated traces.
type work struct {
	selected []cases.Case
	options  conformance.Options
	budget   fuzz.Budget
}

// laws returns the cases that stand for checks on generated traces, and the others.
func (w work) laws() (laws, others []cases.Case) {
	for _, c := range w.selected {
		if fuzz.IsLaw(c) {
			laws = append(laws, c)
		} else {
			others = append(others, c)
		}
	}
	return laws, others
}

// judge starts the port, checks its adapter, runs the cases, and then the checks on generated traces. Without a report,
// the outcome says whose fault that is.
func judge(ctx context.Context, io streams, port target, w work) (*conformance.Report, conformance.Outcome, error) {
	laws, selected := w.laws()

	adapter, err := port.start(ctx)
	if err != nil {
		return nil, conformance.AdapterFault, explainStart(err)
	}
	defer adapter.Close()
	description, err := adapter.Describe(ctx)
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	protocol, err := conformance.CheckAdapter(ctx, port.dial, description, selected, port.options)
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	progress := newProgress(io.err)
	w.options.Progress, w.options.Oracle = progress.show, reference.Port()
	r, err := conformance.Run(ctx, adapter, selected, w.options)
	progress.clear()
	if err != nil {
		return nil, faultOf(err), err
	}
	w.budget.Suite = fit(selected, description)
	generated := judgeLaws(ctx, adapter, description, laws, w.budget)
	r.Results = slices.Concat(protocol, r.Results, generated)
	return r, r.Outcome(), nil
}

// faultOf returns whose fault it is that there is no report.
func faultOf(err error) conformance.Outcome {
	var ours *conformance.SuiteError
	if errors.As(err, &ours) {
		return conformance.SuiteFault
	}
	return conformance.AdapterFault
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
	status := conformance.Undecided
	var ours *conformance.SuiteError
	if errors.As(reason, &ours) {
		status = conformance.Faulty
	}
	var results []conformance.Result
	for _, c := range laws {
		for _, reading := range c.Readings {
			result := conformance.NewResult(c, reading, port)
			if result.Status == "" {
				result.Status, result.Reason = status, reason.Error()
			}
			results = append(results, result)
		}
	}
	return results
}

// explainStart says why an adapter could not be started, with the last lines that it wrote.
func explainStart(err error) error {
	var gone *stdio.ProcessError
	if errors.As(err, &gone) && gone.Stderr != "" {
		err = fmt.Errorf("%w\n  its last words:\n%s", err, indent(gone.Stderr))
	}
	return fmt.Errorf("the adapter is at fault: %w", err)
}

// isTerminal reports whether w is a terminal that understands control characters.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// colourful reports whether w is a terminal that wants colours.
func colourful(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
