package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/spec"
)

// cutAgainst takes the command of another port out of the arguments: what stands between --against and the -- of the
// port itself, or, where that comes first, all that follows --against. Without --against the command is nil.
func cutAgainst(args []string) (rest, against []string, err error) {
	i, dashes := slices.Index(args, "--against"), slices.Index(args, "--")
	switch {
	case i < 0:
		return args, nil, nil
	case dashes > i:
		rest, against = slices.Concat(args[:i], args[dashes:]), args[i+1:dashes]
	default:
		rest, against = args[:i], args[i+1:]
	}
	switch {
	case len(against) == 0:
		return nil, nil, usagef("--against: say with which command the other port is started")
	case dashes < 0 || slices.Equal(rest[len(rest)-1:], []string{"--"}):
		return nil, nil, usagef("--against %s: say after -- which port is compared with it", against[0])
	default:
		return rest, against, nil
	}
}

// compareTwo asks two ports the same, and reports what differs.
func compareTwo(ctx context.Context, io streams, port target, w *work) (*conformance.Report, conformance.Outcome, error) {
	other, err := targetOf(w.settings.Against, w.limits)
	if err != nil {
		return nil, conformance.Usage, err
	}
	var left leftovers
	defer left.tell(io.err)
	one, first, outcome, err := begin(ctx, port, &left)
	if err != nil {
		return nil, outcome, err
	}
	defer one.Close()
	another, _, outcome, err := begin(ctx, other, &left)
	if err != nil {
		return nil, outcome, fmt.Errorf("the other port: %w", err)
	}
	defer another.Close()
	w.all = fuzz.AgainstCases(w.all, first)
	if w.selected, err = w.settings.Selection.Select(w.all); err != nil {
		return nil, conformance.Usage, usageError{err}
	}
	progress := newProgress(io.err)
	defer progress.clear()
	progress.all = countTests(w.selected, first)
	budget := fuzz.Budget{Checks: w.settings.Checks, Seeds: w.settings.Seeds, Done: progress.test}
	results, err := fuzz.Against(ctx, one, another, generate.For, w.selected, budget)
	if err != nil {
		return nil, conformance.OutcomeOf(err), err
	}
	r := conformance.NewReport(first, w.options(port))
	r.Settings, r.Results, r.Traces = w.settings, results, budget.Traces(generatedOf(results))
	return r, r.Outcome(), nil
}

// generatedOf returns the results that come of generated traces.
func generatedOf(results []conformance.Result) []conformance.Result {
	return slices.DeleteFunc(slices.Clone(results), func(r conformance.Result) bool { return r.File != "" })
}

// begin starts a port that may have detectors of its own, and returns what it says of itself. Without an adapter, the
// outcome says whose fault that is.
func begin(ctx context.Context, port target, left *leftovers) (
	*conformance.Adapter, spec.Description, conformance.Outcome, error,
) {
	adapter, err := port.start(ctx, left)
	if err != nil {
		return nil, spec.Description{}, conformance.OutcomeOf(err), err
	}
	description, err := adapter.Describe(ctx)
	if err == nil {
		err = conformance.CheckOwnNames(description)
	}
	if err != nil {
		adapter.Close()
		return nil, spec.Description{}, conformance.AdapterFault, fmt.Errorf("the adapter is at fault: %w", err)
	}
	return adapter, description, conformance.Conformant, nil
}

// ofPort completes the work that depends on what the port offers: that of the protocol and the laws alone.
func (w *work) ofPort(port spec.Description) (err error) {
	if !w.settings.LawsAlone {
		return nil
	}
	w.all = slices.Concat(protocolOf(w.all), fuzz.LawsOf(port))
	w.selected, err = w.settings.Selection.Select(w.all)
	return err
}

func protocolOf(suite []cases.Case) []cases.Case {
	return slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool { return c.Detector != cases.Protocol })
}
