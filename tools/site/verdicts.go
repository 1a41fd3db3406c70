package main

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// printVerdicts prints the trace of every case of the suite, for each reading, with what the reference says after each
// event: a JSON array of {case, lane, trace, verdicts}, or refused in place of verdicts where the reference takes none.
func printVerdicts() error {
	suite, err := cases.All()
	if err != nil {
		return err
	}
	var all []spec.Value
	for _, c := range suite {
		events := eventsOf(c)
		if len(events) == 0 || c.Detector == cases.Protocol || c.IsLong() { // the playground copies no long traces
			continue
		}
		definition, _ := spec.DefinitionOf(c.Detector)
		for _, reading := range definition.Readings {
			all = append(all, verdictsOf(c.ID, trace{Detector: c.Detector, Reading: reading, Config: c.Config, Events: events}))
		}
	}
	_, err = fmt.Println(spec.ArrayValue(all...))
	return err
}

// eventsOf returns the well-formed events that the main session of a case observes.
func eventsOf(c cases.Case) []spec.Value {
	var events []spec.Value
	for _, s := range c.Steps {
		if s.Action == cases.Observe && s.Session == cases.MainSession && s.Fault == nil {
			events = append(events, s.Observed()...)
		}
	}
	return events
}

func verdictsOf(id string, t trace) spec.Value {
	said := spec.ObjectValue(
		spec.Member{Name: "case", Value: spec.StringValue(id)},
		spec.Member{Name: "lane", Value: t.lane()},
		spec.Member{Name: "trace", Value: spec.StringValue(spec.ArrayValue(t.Events...).String())},
	)
	t, err := t.judged(context.Background())
	if err != nil {
		return said.With("refused", spec.BoolValue(true))
	}
	return said.With("verdicts", spec.StringsValue(lists.Map(t.verdicts, spec.Value.String)))
}
