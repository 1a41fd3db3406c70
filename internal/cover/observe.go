package cover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Observed holds the clauses that decided something while a case ran, by the case's id, over all its readings.
type Observed map[string]map[string]bool

// Observe runs every case on the detectors, which write down the clauses that they apply. A detector that is no
// [spec.ClauseLogger] and a case that fails are errors: what a failing case exercises proves nothing.
func Observe(ctx context.Context, suite []cases.Case, detectors []spec.Implementation) (Observed, error) {
	log := &spec.ClauseLog{}
	port := spec.NewHost(spec.Description{Name: "observed", Language: "go"}, logged(detectors, log)...)
	observed := Observed{}
	var problems []error
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			continue
		}
		options := conformance.Options{Jobs: 1, Suite: conformance.SuiteInfo{Version: spec.Version}}
		report, err := conformance.Run(ctx, port, []cases.Case{asEvents(c)}, options)
		if err != nil {
			return nil, fmt.Errorf("observe %s: %w", c.ID, err)
		}
		if report.Count(conformance.Passed) < len(report.Results) {
			problems = append(problems, fmt.Errorf("%s: %s does not pass on the detectors that are observed", c.Place, c.ID))
		}
		observed[c.ID] = set(log.Take())
	}
	return observed, errors.Join(problems...)
}

func set(ids []string) map[string]bool {
	s := map[string]bool{}
	for _, id := range ids {
		s[id] = true
	}
	return s
}

// logged returns the implementations with the log turned on in every detector that they make.
func logged(detectors []spec.Implementation, log *spec.ClauseLog) []spec.Implementation {
	list := slices.Clone(detectors)
	for i, implementation := range list {
		list[i].New = func(reading spec.Reading, config spec.Value) (spec.Detector, error) {
			d, err := implementation.New(reading, config)
			if err != nil {
				return nil, err
			}
			logger, ok := d.(spec.ClauseLogger)
			if !ok {
				return nil, fmt.Errorf("the detector %s says nothing of its clauses", implementation.Detector)
			}
			logger.LogClauses(log)
			return d, nil
		}
	}
	return list
}

// asEvents turns a call of signature.extract into the output that it is about: the function has no log, the detector
// has one, and both take the same signature. Any other case stays what it is.
func asEvents(c cases.Case) cases.Case {
	if c.Call == nil || c.Call.Function != "signature.extract" || c.Call.Result == nil {
		return c
	}
	event := spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue(string(spec.Output))},
		spec.Member{Name: "text", Value: c.Call.Args.Get("output")},
	)
	expect := cases.Expectation{Members: []cases.MemberWant{{Name: "signature", Want: *c.Call.Result}}}
	c.Call = nil
	c.Steps = []cases.Step{{
		Action: cases.Observe, Session: cases.MainSession, Events: []spec.Value{event}, Times: 1,
		Expect: []cases.Expectation{expect}, Place: c.Place,
	}}
	return c
}
