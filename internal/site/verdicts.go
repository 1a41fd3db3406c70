package main

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
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
		if len(events) == 0 || c.Detector == cases.Protocol {
			continue
		}
		definition, _ := spec.DefinitionOf(c.Detector)
		for _, reading := range definition.Readings {
			all = append(all, judged(c, reading, events))
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

func judged(c cases.Case, reading spec.Reading, events []spec.Value) spec.Value {
	lane := spec.ObjectValue(
		spec.Member{Name: "detector", Value: spec.StringValue(string(c.Detector))},
		spec.Member{Name: "reading", Value: spec.StringValue(string(reading))},
	)
	if !c.Config.IsAbsent() {
		lane = lane.With("config", c.Config)
	}
	said := spec.ObjectValue(
		spec.Member{Name: "case", Value: spec.StringValue(c.ID)},
		spec.Member{Name: "lane", Value: lane},
		spec.Member{Name: "trace", Value: spec.StringValue(spec.ArrayValue(events...).String())},
	)
	ctx := context.Background()
	session, err := reference.Port().Open(ctx, c.Detector, reading, c.Config)
	if err != nil {
		return said.With("refused", spec.BoolValue(true))
	}
	defer session.Close(ctx)
	verdicts, err := session.Observe(ctx, events)
	if err != nil {
		return said.With("refused", spec.BoolValue(true))
	}
	texts := make([]string, len(verdicts))
	for i, v := range verdicts {
		texts[i] = v.String()
	}
	return said.With("verdicts", spec.StringsValue(texts))
}
