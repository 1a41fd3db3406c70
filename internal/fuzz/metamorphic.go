package fuzz

import (
	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/laws"
)

// subjectsOf returns the traces of the cases that a check is about.
func (h *Hunt) subjectsOf(check Check, suite []cases.Case) []Subject {
	var subjects []Subject
	for _, c := range suite {
		if c.Detector != h.Detector {
			continue
		}
		for _, trace := range TracesOf(c) {
			if s := (Subject{Trace: trace}); trace.Reading == h.Reading && check.About(s) {
				subjects = append(subjects, s)
			}
		}
	}
	return subjects
}

// TracesOf returns the trace of a case in each of its readings, so that laws can be applied to it: its events and
// resets. Events that must be refused, and steps that take out or put back states, are left out; a case without events
// has no trace.
func TracesOf(c cases.Case) []laws.Trace {
	steps := stepsOf(c)
	if len(steps) == 0 {
		return nil
	}
	var traces []laws.Trace
	for _, reading := range c.Readings {
		traces = append(traces, laws.Trace{Detector: c.Detector, Reading: reading, Config: c.Config, Steps: steps})
	}
	return traces
}

func stepsOf(c cases.Case) []laws.Step {
	numbers := map[string]int{}
	var steps []laws.Step
	for _, s := range c.Steps {
		number, known := numbers[s.Session]
		if !known {
			number = len(numbers)
			numbers[s.Session] = number
		}
		switch {
		case s.Fault != nil:
		case s.Action == cases.Reset:
			steps = append(steps, laws.Step{Session: number})
		case s.Action == cases.Observe:
			for range s.Times {
				for _, event := range s.Events {
					steps = append(steps, laws.Step{Session: number, Event: event})
				}
			}
		}
	}
	return steps
}
