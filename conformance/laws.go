package conformance

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// checkLaws carries out laws on the traces of cases, the shortest first, and returns a result for each of their
// readings. What [Run] does with generated traces needs the reference, which this package does not know.
func (r *runner) checkLaws(ctx context.Context, lawCases, suite []cases.Case) []Result {
	traces := r.traces(suite)
	var results []Result
	for _, c := range lawCases {
		for _, reading := range c.Readings {
			t := newTask(c, reading, r.description)
			law, _ := laws.LawByID(lawOf(c))
			offer, _ := r.description.Offer(c.Detector)
			if t.result.Status == "" && !law.Askable(offer) {
				t.result.Status, t.result.Reason = Skipped, "the port declares no setting that the law changes"
			}
			if t.result.Status == "" {
				r.checkLaw(ctx, law, traces[t.part()], &t.result)
			}
			results = append(results, t.result)
		}
	}
	return results
}

// lawOf returns the id of the law that a case stands for.
func lawOf(c cases.Case) string { return c.ID[len(laws.CaseID(c.Detector, "")):] }

// traces returns the traces of the cases that the port can be asked, by detector and reading, the shortest first.
func (r *runner) traces(suite []cases.Case) map[part][]laws.Trace {
	traces := map[part][]laws.Trace{}
	for _, c := range suite {
		for _, trace := range laws.TracesOf(c) {
			if t := newTask(c, trace.Reading, r.description); t.result.Status == "" {
				traces[t.part()] = append(traces[t.part()], trace)
			}
		}
	}
	for _, list := range traces {
		slices.SortStableFunc(list, func(a, b laws.Trace) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	}
	return traces
}

// checkLaw carries out one law until a trace breaks it. That the port refuses a configuration or an event is no breach:
// laws speak of traces that a port takes.
func (r *runner) checkLaw(ctx context.Context, law laws.Law, traces []laws.Trace, result *Result) {
	port := declared.Port(recovering(r.port), r.description)
	result.Status = Passed
	for _, trace := range traces {
		err := law.Check(ctx, port, trace)
		if breach, broken := errors.AsType[*laws.Breach](err); broken {
			result.Status, result.Failure = Failed, breachOf(*breach, trace)
			if breach.Clause != "" {
				result.Clauses = []string{breach.Clause}
			}
			return
		}
		if err != nil && !is[*spec.Fault](err) {
			result.Status, result.Failure = Failed, &Failure{Steps: len(trace.Steps), Problem: err.Error()}
			return
		}
	}
}

// breachOf renders the breach of a law as the failure of a case.
func breachOf(b laws.Breach, trace laws.Trace) *Failure {
	f := &Failure{Step: b.Step + 1, Steps: len(trace.Steps), Problem: b.Problem}
	for i, step := range trace.Steps {
		line := "reset"
		if !step.IsReset() {
			line = laws.DescribeEvent(step.Event)
		}
		f.Trace = append(f.Trace, line)
		if i == b.Step {
			f.Action = line
		}
	}
	if !b.Want.IsAbsent() || !b.Got.IsAbsent() {
		f.Differences = []Difference{{Want: show(b.Want), Got: show(b.Got)}}
	}
	return f
}
