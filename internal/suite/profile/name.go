package profile

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// familiarArguments are names that detectors keep when they compare calls.
var familiarArguments = []string{"path", "file_path", "command", "query", "url", "pattern", "name", "id"}

// familiarTools returns the entries of the lists of tools that the detectors of the field have: what a port may treat
// in its own way without declaring it.
func familiarTools() ([]string, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	var entries []string
	for _, p := range all {
		if p.ID().Row() != spec.Composed {
			continue
		}
		rules, err := rulesOf(p.Config())
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			entries = append(entries, slices.Concat(r.entries()...)...)
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries), nil
}

// mostRepeated bounds how often a call is repeated for each familiar name.
const mostRepeated = 12

// tracesOfNames returns for each familiar name a trace in which a call with it is repeated; none if no rule would
// report it after few.
func tracesOfNames(rules []rule) ([][]spec.Value, error) {
	times, answer := 0, pair{declared: rules[0], changed: rules[0]}.answer("ok")
	for _, r := range rules {
		if at := r.Rungs[0].At; r.singles() && at < mostRepeated {
			times = max(times, at+1)
		}
	}
	tools, err := familiarTools()
	if err != nil || times == 0 {
		return nil, err
	}
	var traces [][]spec.Value
	for _, tool := range tools {
		traces = append(traces, slices.Repeat([]spec.Value{called(tool, 0), answer}, times))
	}
	for _, name := range familiarArguments {
		var trace []spec.Value
		for i := range times {
			call := called(plainTools[0], i)
			trace = append(trace, call.With("args", call.Get("args").With(name, spec.StringValue("a"))), answer)
		}
		traces = append(traces, trace)
	}
	return traces, nil
}

// casesOfNames returns cases in which calls with each familiar name are repeated: of a tool, and of an argument beside
// which the others change. Only profiles of composed have any.
func (d *Declaration) casesOfNames(ctx context.Context, b *budget) ([]cases.Case, error) {
	if d.Detector.Row() != spec.Composed {
		return nil, nil
	}
	rules, err := rulesOf(d.Fixed)
	if err != nil {
		return nil, err
	}
	traces, err := tracesOfNames(rules)
	if err != nil {
		return nil, err
	}
	for i, trace := range traces {
		if b.spend(len(trace), d.weight); b.isSpent() {
			traces = traces[:i]
			break
		}
	}
	return d.bundle(ctx, cases.Case{
		ID:      string(d.Detector) + "-decides-names",
		Title:   "Calls of tools and with arguments that other detectors treat in their own way",
		Why:     "A port that knows a tool, or an argument, which it does not declare is wrong only on these.",
		Clauses: []string{"CO-19"},
	}, traces)
}
