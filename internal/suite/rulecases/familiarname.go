package rulecases

import (
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// familiarArguments are names that detectors keep when they compare calls.
var familiarArguments = []string{"path", "file_path", "command", "query", "url", "pattern", "name", "id"}

// familiarTools returns the entries of the lists of tools that the detectors of the field have: what a port may treat
// in its own way without declaring it.
func familiarTools() (entries []string) {
	all, _ := profile.All() // they are built in
	for _, p := range all {
		for _, r := range rulesOf(p.Config()) { // those of stream name no tools
			entries = append(entries, slices.Concat(r.entries()...)...)
		}
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// mostRepeated bounds how often a call is repeated for each familiar name.
const mostRepeated = 12

// tracesOfNames returns for each familiar name a trace in which a call with it is repeated; none if no rule would
// report it after few.
func tracesOfNames(rules []rule) (traces [][]spec.Value) {
	times, answer := 0, pair{declared: rules[0], changed: rules[0]}.answer("ok")
	for _, r := range rules {
		if at := r.Rungs[0].At; r.singles() && at < mostRepeated {
			times = max(times, at+1)
		}
	}
	if times == 0 {
		return nil
	}
	for _, tool := range familiarTools() {
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
	return traces
}

// casesOfNames returns cases in which calls with each familiar name are repeated: of a tool, and of an argument beside
// which the others change. Only profiles of composed have any.
func (d *Declaration) casesOfNames(b *budget) []cases.Case {
	if d.Detector.Row() != spec.Composed {
		return nil
	}
	traces := tracesOfNames(rulesOf(d.Fixed))
	for i, trace := range traces {
		if b.spend(len(trace), d.weight); b.isSpent() {
			traces = traces[:i]
			break
		}
	}
	return d.bundle(cases.Case{
		ID:      string(d.Detector) + "-decides-names",
		Title:   "Calls of tools and with arguments that other detectors treat in their own way",
		Why:     "A port that knows a tool, or an argument, which it does not declare is wrong only on these.",
		Clauses: []string{"CO-19"},
	}, traces)
}
