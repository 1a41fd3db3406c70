package laws

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Tag marks a law among the cases of a run.
const Tag = "law"

// CaseID returns the id of a check of a detector among the cases of a run, such as history-law-key-order.
func CaseID(detector spec.DetectorID, check string) string {
	return fmt.Sprintf("%s-law-%s", detector, check)
}

// CasesOf returns the laws that are about a detector as if each were a case, so that it can be selected, counted,
// excused and reported like one. They have no steps.
func CasesOf(d spec.Definition) []cases.Case {
	var all []cases.Case
	for _, law := range Laws() {
		readings := slices.DeleteFunc(slices.Clone(d.Readings), func(r spec.Reading) bool { return !law.HoldsFor(d.ID, r) })
		if len(readings) == 0 || !law.IsFor(d.ID) {
			continue
		}
		clauses := law.ClausesFor(d.ID)
		if len(clauses) == 0 {
			clauses = []string{observing}
		}
		all = append(all, cases.Case{
			ID: CaseID(d.ID, law.ID), Detector: d.ID, Clauses: clauses, Readings: readings, Needs: law.Needs,
			Tags: []string{Tag}, Title: law.Sentence, Why: law.Why,
		})
	}
	return all
}

// AgreementID is the id of the check that a port says what the reference says.
const AgreementID = "agreement"

// AgreementOf returns the check that a port says what the reference says of a detector, as if it were a case. It is
// carried out on generated traces by those who have the reference.
func AgreementOf(d spec.Definition) cases.Case {
	return cases.Case{
		ID: CaseID(d.ID, AgreementID), Detector: d.ID, Clauses: []string{observing}, Readings: d.Readings,
		Tags:  []string{Tag},
		Title: "On generated traces and configurations the port says what the reference says",
		Why:   "Cases find the faults that someone thought of; this finds the others.",
	}
}

// observing is the clause about verdicts, for laws that no clause states.
const observing = "PR-14"

// TracesOf returns the trace of a case in each of its readings, so that laws can be applied to it: its events and
// resets. Events that must be refused, and steps that take out or put back states, are left out. A case without events
// has no trace, and one that is long has none for laws, each of which would play it several times.
func TracesOf(c cases.Case) []Trace {
	if c.IsLong() {
		return nil
	}
	steps := StepsOf(c)
	if len(steps) == 0 || c.Instances > 0 { // what others reported to a swarm makes a trace another one
		return nil
	}
	var traces []Trace
	for _, reading := range c.Readings {
		traces = append(traces, Trace{Detector: c.Detector, Reading: reading, Config: c.Config, Steps: steps})
	}
	return traces
}

// StepsOf returns the events and resets of a case, as TracesOf does.
func StepsOf(c cases.Case) []Step {
	numbers := map[string]int{}
	var steps []Step
	for _, s := range c.Steps {
		number, known := numbers[s.Session]
		if !known {
			number = len(numbers)
			numbers[s.Session] = number
		}
		switch {
		case s.Fault != nil, !c.Sessions.Get(s.Session).IsAbsent(): // a trace has one configuration
		case s.Action == cases.Reset:
			steps = append(steps, Step{Session: number})
		case s.Action == cases.Observe:
			for _, event := range s.Observed() {
				steps = append(steps, Step{Session: number, Event: event})
			}
		}
	}
	return steps
}
